export function ChatPage(_: object) { return null; }
