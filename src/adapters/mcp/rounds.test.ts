import { describe, expect, it } from "vitest";
import { Rounds } from "./rounds.js";

const CALL = { name: "sendMail", arguments: { to: "bo@example.com" } };
const GOES_ON = { ...CALL, requestState: "7", inputResponses: {} };
const MINUTES = 60_000;

describe("rounds of calls that take more than one request", () => {
  it("invariant I2: let a call that was let through go on once, with its own arguments", () => {
    const rounds = new Rounds();
    rounds.continues("mail", CALL, "7");
    expect(rounds.isContinuation("mail", { ...GOES_ON, arguments: { to: "eve@example.com" } })).toBe(false);
    expect(rounds.isContinuation("mail", GOES_ON)).toBe(true);
    expect(rounds.isContinuation("mail", GOES_ON)).toBe(false);
  });

  it("invariant I2: do not let it go on when its time is over; then it is a call like any other", () => {
    let now = 0;
    const rounds = new Rounds(() => now);
    rounds.continues("mail", CALL, "7");
    now = 10 * MINUTES;
    expect(rounds.isContinuation("mail", GOES_ON)).toBe(false);
  });

  it("attack F11: of very many that a server begins, only the last can go on", () => {
    const rounds = new Rounds();
    for (let round = 0; round <= 10_000; round++) rounds.continues("mail", CALL, String(round));
    expect(rounds.isContinuation("mail", { ...GOES_ON, requestState: "0" })).toBe(false);
    expect(rounds.isContinuation("mail", { ...GOES_ON, requestState: "10000" })).toBe(true);
  });
});
