import { describe, expect, it } from "vitest";
import { HOSTILE } from "../../../test/channels/sample-face.js";
import { escaped, hasQuote, plainTextOf } from "./text.js";

describe("Slack's text", () => {
  it("takes out the bot's mention and gives back what was typed", () => {
    expect(plainTextOf("<@U0BOT> approve", "U0BOT")).toBe("approve");
    expect(plainTextOf("<@U0BOT|countersign>确认 27", "U0BOT")).toBe("确认 27");
    expect(plainTextOf("<@U0ANN> approve", "U0BOT")).toBe("@U0ANN approve");
    expect(plainTextOf("<!here> <#C1|general> <https://a.example|a.example> <https://b.example>", "U0BOT")).toBe(
      "@here #general a.example https://b.example",
    );
    expect(plainTextOf("a &lt;b&gt; &amp;lt; c", "U0BOT")).toBe("a <b> &lt; c");
  });

  it("gives back every text that was escaped, and leaves nothing in it for Slack to read (attack A7)", () => {
    for (const text of [...HOSTILE, "&amp;amp;", "<<>>&"]) {
      expect(escaped(text)).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
      expect(plainTextOf(escaped(text), "U0BOT")).toBe(text);
    }
  });

  it("knows a quote by its mark", () => {
    expect(hasQuote("&gt; approve")).toBe(true);
    expect(hasQuote("he said\n &gt; approve")).toBe(true);
    expect(hasQuote("a &gt; b")).toBe(false);
  });
});
