import { createGate, defineTool, memoryStore } from "countersign";
import { renderCardText } from "countersign/terminal";
import { z } from "zod";

const invoices = new Map([["2041", { payee: "Roof Ltd", euros: 4800, paid: false }]]);

const pay = defineTool({
  name: "invoices.pay",
  title: { en: "Pay an invoice", zh: "支付发票" },
  tags: ["payment"],
  inputSchema: z.object({ invoice: z.string(), account: z.string() }),
  labels: { invoice: { en: "Invoice", zh: "发票" }, account: { en: "From account", zh: "付款账户" } },
  sensitive: ["account"],
  confirmPrompt: { en: "Pay invoice {invoice}?", zh: "支付发票 {invoice}？" },
  preview: ({ invoice }) => {
    const { payee, euros } = found(invoice);
    const effects = [{ kind: "spend", noun: { en: "euro", zh: "欧元" }, count: euros }];
    return { effects, targets: [payee], digest: JSON.stringify(invoices.get(invoice)) };
  },
  rollback: { note: { en: "A transfer can be recalled for one day.", zh: "转账可在一天内撤回。" } },
  execute: ({ invoice }) => {
    invoices.set(invoice, { ...found(invoice), paid: true });
    return { paid: invoice };
  },
  status: ({ invoice }) => (found(invoice).paid ? { type: "succeeded" } : { type: "failed", error: "not paid" }),
});

function found(/** @type {string} */ number) {
  const invoice = invoices.get(number);
  if (invoice === undefined) throw new Error(`There is no invoice ${number}.`);
  return invoice;
}

const gate = createGate({ store: memoryStore(), tools: [pay] });
const asked = await gate.submit({ tool: "invoices.pay", args: { invoice: "2041", account: "DE89 3704 0044" } });
if (asked.type === "pending") console.log(renderCardText(asked.card, { width: 72, colour: false }));
await gate.close();
