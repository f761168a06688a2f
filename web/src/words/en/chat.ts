export const chat = {
  title: "Chat",
  placeholder: "Write to the assistant",
  send: "Send",
  you: "You",
  assistant: "Assistant",
  waiting: "Waits for you",
  running: "Running…",
  hint: "“yes” and “cancel” answer what waits. From “Leaves this place” on, the yes is given on the card.",
  /** Whole messages that are a yes. */
  yes: ["yes", "y", "yep", "yeah", "ok", "okay", "sure", "confirm", "approve", "go ahead", "do it", "yes please"],
  empty: "Ask for something.",
  emptyLead: "What it wants to do appears here before it happens.",
  tool: (name: string) => `Tool call: ${name}`,
  failed: (detail: string) => `The assistant stopped: ${detail}`,
} as const;
