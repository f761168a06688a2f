import { describe, expect, it } from "vitest";
import { ANN, held } from "../../../test/support/held.js";
import type { People } from "../ports.js";

/** A directory in which everybody is an owner and some have names. */
function directory(names: Readonly<Record<string, string>>): People {
  return {
    member: async () => ({ roles: ["owner"], groups: [] }),
    reachable: async () => true,
    nameOf: async (workspaceId, id) => (workspaceId === "home" && Object.hasOwn(names, id) ? names[id] : undefined),
  };
}

describe("names on a card", () => {
  it("stand in place of ids wherever the directory knows them, beside the ids", async () => {
    const people = directory({ "agent-7": "Mail helper", ann: "Ann Ødegård" });
    const { card, gate, approvalId } = await held({}, {}, { gate: { people, audience: () => ({ quorum: 2 }) } });
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    expect(await card()).toMatchObject({
      asks: "Mail helper, for Ann Ødegård, asks",
      requester: { userId: "ann", agentId: "agent-7", userName: "Ann Ødegård", agentName: "Mail helper" },
      votes: ["Ann Ødegård"],
    });
    expect((await card("zh")).asks).toBe("Mail helper（代 Ann Ødegård）请求");
  });

  it("leave the id where nobody has given one", async () => {
    const { card } = await held({}, {}, { gate: { people: directory({ ann: "Ann" }) } });
    const { asks, requester } = await card();
    expect(asks).toBe("agent-7, for Ann, asks");
    expect(requester).not.toHaveProperty("agentName");
  });

  it.each([
    ["Mailer, for Bob", '"Mailer, for Bob", for Ann, asks'],
    ["助手（代 Bob）", '"助手（代 Bob）", for Ann, asks'],
    ['A", for Bob', '"A\\u{22}, for Bob", for Ann, asks'],
    ["Mail\u202ereplh", '"Mail\\u{202e}replh", for Ann, asks'],
  ])("attack A5: cannot pass for words of the sentence around them: %j", async (name, asks) => {
    const { card } = await held({}, {}, { gate: { people: directory({ "agent-7": name, ann: "Ann" }) } });
    expect((await card()).asks).toBe(asks);
  });

  it("are part of what the card's hash stands for", async () => {
    const hash = async (name: string) =>
      (await (await held({}, {}, { gate: { people: directory({ "agent-7": name }) } })).card()).cardHash;
    expect(new Set([await hash("Mailer"), await hash("Payer")]).size).toBe(2);
  });

  it("are not looked up for those whom the agent itself names as its ancestors", async () => {
    const people = directory({ bob: "Bob" });
    const { card } = await held({}, {}, { caller: { lineage: ["bob"] }, gate: { people } });
    expect((await card()).requester.lineage).toEqual(["bob"]);
  });
});
