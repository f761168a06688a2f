import type { WebWorld } from "./world.js";

/** A morning's worth of questions: one of each tier, hostile text, something long, a group, and something that went wrong. */
export async function fillInbox({ ask, gate }: WebWorld) {
  const person = { kind: "person", userId: "ann", workspaceId: "home" } as const;
  const mail = await ask(
    "email.send",
    {
      to: ["ann@ex\u0430mple.com", "bob@example.com"],
      subject: "Invoice \u202efdp.exe",
      body: "Dear Ann,\nplease find the invoice attached.\n\nBest regards",
    },
    {
      summary: "Just a friendly greeting, nothing to look at.",
      confidence: 0.62,
      alternatives: [{ tool: "calendar.create", args: { title: "Call Ann" } }],
    },
  );
  const clear = await ask("tasks.clear", { list: "Household" });
  await ask("bank.pay", { amount: 120, payee: "ACME Ltd", pin: "0O-l1I-secret" });
  const long = await ask("email.send", {
    to: Array.from({ length: 120 }, (_, index) => `reader-${index + 1}@example.com`),
    subject: "The newsletter",
    body: `${"All the news. ".repeat(400)}${" ".repeat(10_000)}and a last word`,
  });
  const titles = ["Lunch with Bo", "Lunch with Cleo", "Lunch with Dan"];
  const events = [];
  for (const title of titles) {
    events.push(await ask("calendar.create", { title, start: "2026-11-20T12:00", guests: ["bo@example.com"] }));
  }
  const shell = await ask("shell.run", { command: "rsync -a photos/ backup:/photos" });
  await gate.decide(
    { approvalId: shell.approvalId, toolCallHash: shell.card.toolCallHash, decision: "approve" },
    person,
  );
  const denied = await ask("email.send", { to: ["eve@example.com"], subject: "Passwords", body: "Here they are." });
  await gate.decide({ approvalId: denied.approvalId, decision: "deny", reason: "Never send these." }, person);
  return {
    mail: mail.approvalId,
    clear: clear.approvalId,
    long: long.approvalId,
    group: events[0]?.approvalId ?? "",
    failed: shell.approvalId,
    denied: denied.approvalId,
  };
}
