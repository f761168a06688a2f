import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RiskTier } from "../core/risk.js";
import { analyseUrl } from "./url.js";

const SCOPE = {
  hosts: ["example.com", "*.example.org", "münchen.example", "api.example.net:8443", "[2001:db8::1]", "192.0.2.7"],
};

type Row = readonly [url: string, code: string | undefined, riskTier?: RiskTier];

function table(title: string, inside: boolean, rows: readonly Row[]): void {
  it.each(rows.map(([url, code, riskTier]) => ({ url, code, riskTier })))(
    `${title}: $url`,
    ({ url, code, riskTier }) => {
      const analysis = analyseUrl(url, SCOPE);
      const codes = analysis.findings.map((finding) => finding.code);
      expect(analysis.inside).toBe(inside);
      expect(codes).toEqual(code === undefined ? [] : expect.arrayContaining([code]));
      expect(analysis.riskTier).toBe(riskTier ?? (code === undefined ? "R0" : "R3"));
      expect(codes.includes("host_outside")).toBe(!inside && analysis.inspectable);
      for (const finding of analysis.findings) expect(url).toContain(finding.fragment ?? "");
    },
  );
}

describe("analyseUrl inside the scope", () => {
  table("stays quiet about", true, [
    ["https://example.com", undefined],
    ["https://example.com/", undefined],
    ["https://EXAMPLE.com/Path?q=1#top", undefined],
    ["http://example.com/a", undefined],
    ["https://example.com:443/a", undefined],
    ["http://example.com:80/a", undefined],
    ["wss://example.com/live", undefined],
    ["https://a.example.org/", undefined],
    ["https://a.b.example.org/", undefined],
    ["https://api.example.net:8443/", undefined],
    ["https://example.com/?next=https://evil.test/", undefined],
    ["https://example.com/a@b", undefined],
    ["https://example.com/?a=\\", undefined],
    ["https://example.com/%2e%2e/x", undefined],
  ]);
  table("says what else there is to know of", true, [
    ["https://münchen.example/", "international_host", "R2"],
    ["https://xn--mnchen-3ya.example/", "international_host", "R2"],
    ["https://192.0.2.7/", "bare_address", "R2"],
    ["https://[2001:db8::1]/", "bare_address", "R2"],
  ]);
});

describe("analyseUrl outside the scope", () => {
  table("compares whole hosts, not prefixes (attack C5)", false, [
    ["https://example.com.evil.test/", "host_outside"],
    ["https://evil.test/example.com", "host_outside"],
    ["https://evil.test/?example.com", "host_outside"],
    ["https://evil.test/#example.com", "host_outside"],
    ["https://notexample.com/", "host_outside"],
    ["https://example.co/", "host_outside"],
    ["https://www.example.com/", "host_outside"],
    ["https://example.org/", "host_outside"],
    ["https://evilexample.org/", "host_outside"],
    ["https://a.example.org.evil.test/", "host_outside"],
    ["https://a-example.org/", "host_outside"],
    ["https://example.com:8443/", "host_outside"],
    ["https://example.com:80/", "host_outside"],
    ["http://example.com:443/", "host_outside"],
    ["https://api.example.net/", "host_outside"],
    ["https://example.com:22/", "port"],
    ["https://192.0.2.8/", "host_outside"],
    ["https://[2001:db8::2]/", "host_outside"],
  ]);

  table("is not fooled by what parsers drop or repair (attack C5)", false, [
    ["https://example.com@evil.test/", "userinfo"],
    ["https://example.com:443@evil.test/", "userinfo"],
    ["https://example.com%2f@evil.test/", "userinfo"],
    ["https://user:secret@example.com/", "userinfo"],
    ["https://@example.com/", "userinfo"],
    ["https://evil.test\\@example.com/", "backslash"],
    ["https://example.com\\.evil.test/", "backslash"],
    ["https:\\\\example.com/", "backslash"],
    ["https:/example.com/", "odd_slashes"],
    ["https:example.com/", "odd_slashes"],
    ["https:///example.com/", "odd_slashes"],
    ["https://exam\tple.com/", "stripped_characters"],
    ["https://example.com/\nx", "stripped_characters"],
    ["ht\ntps://example.com/", "stripped_characters"],
    [" https://example.com/", "stripped_characters"],
    ["https://example.com/ ", "stripped_characters"],
    ["\u0001https://example.com/", "stripped_characters"],
    ["https://%65xample.com/", "rewritten_host"],
    ["https://example%2ecom/", "rewritten_host"],
  ]);

  table("is not fooled by other spellings of a name (attack C7)", false, [
    ["https://example.com./", "trailing_dot"],
    ["https://ｅxample.com/", "rewritten_host"],
    ["https://example。com/", "rewritten_host"],
    ["https://exam\u00adple.com/", "rewritten_host"],
    ["https://еxample.com/", "lookalike_host"],
    ["https://xn--xample-9uf.com/", "lookalike_host"],
    ["https://аррӏе.com/", "lookalike_host"],
    ["https://gοοgle.com/", "lookalike_host"],
    ["https://bücher.test/", "international_host"],
    ["https://例え.test/", "international_host"],
    ["https://ex\u0323ample.com/", "host_outside"],
  ]);

  table("reads addresses in all their forms (attack C5)", false, [
    ["http://127.0.0.1/", "special_address"],
    ["http://127.1/", "rewritten_host"],
    ["http://0x7f.1/", "rewritten_host"],
    ["http://0177.0.0.1/", "rewritten_host"],
    ["http://2130706433/", "rewritten_host"],
    ["http://0x7f000001/", "special_address"],
    ["http://017700000001/", "special_address"],
    ["http://１２７.0.0.1/", "rewritten_host"],
    ["http://0/", "special_address"],
    ["http://0.0.0.0/", "special_address"],
    ["http://10.1.2.3/", "special_address"],
    ["http://172.16.0.1/", "special_address"],
    ["http://192.168.1.1/", "special_address"],
    ["http://100.64.0.1/", "special_address"],
    ["http://169.254.169.254/latest/meta-data", "special_address"],
    ["http://2852039166/", "special_address"],
    ["http://[::1]/", "special_address"],
    ["http://[::]/", "special_address"],
    ["http://[::ffff:127.0.0.1]/", "embedded_address"],
    ["http://[::ffff:7f00:1]/", "special_address"],
    ["http://[::ffff:a9fe:a9fe]/", "special_address"],
    ["http://[64:ff9b::a9fe:a9fe]/", "special_address"],
    ["http://[2002:7f00:1::]/", "special_address"],
    ["http://[::7f00:1]/", "special_address"],
    ["http://[::ffff:8.8.8.8]/", "embedded_address"],
    ["http://[fe80::1]/", "special_address"],
    ["http://[fd00:ec2::254]/", "special_address"],
    ["http://localhost/", "special_address"],
    ["http://LOCALHOST:3000/", "special_address"],
    ["http://a.localhost/", "special_address"],
    ["http://localhost./", "special_address"],
    ["http://metadata.google.internal/", "special_address"],
    ["http://printer.local/", "special_address"],
    ["http://intranet/", "special_address"],
    ["http://127.0.0.1.nip.io/", "special_address"],
    ["http://localtest.me/", "special_address"],
    ["http://8.8.8.8/", "bare_address"],
  ]);

  table("asks about other schemes", false, [
    ["file:///etc/passwd", "file_scheme"],
    ["file://example.com/x", "file_scheme"],
    ["ftp://example.com/", "other_scheme"],
    ["mailto:a@example.com", "other_scheme"],
    ["gopher://example.com:70/", "other_scheme"],
    ["ssh://example.com/", "other_scheme"],
    ["javascript:alert(1)", "code_scheme", "R4"],
    ["JaVaScRiPt:alert(1)", "code_scheme", "R4"],
    ["java\nscript:alert(1)", "code_scheme", "R4"],
    ["data:text/html,<script>1</script>", "code_scheme", "R4"],
    ["vbscript:x", "code_scheme", "R4"],
    ["blob:https://example.com/1", "code_scheme", "R4"],
  ]);

  table("does not read", false, [
    ["", "unparsable", "R4"],
    ["   ", "unparsable", "R4"],
    ["example.com", "unparsable", "R4"],
    ["//example.com/", "unparsable", "R4"],
    ["/path", "unparsable", "R4"],
    ["https://", "unparsable", "R4"],
    ["https://exa mple.com/", "unparsable", "R4"],
    ["https://example.com:99999/", "unparsable", "R4"],
    ["https://[::1/", "unparsable", "R4"],
    ["https://1.2.3.4.5/", "unparsable", "R4"],
    ["https://256.0.0.1/", "unparsable", "R4"],
    ["https://example.com/\u0000", "unparsable", "R4"],
    ["https://example.com/\ud800", "unparsable", "R4"],
    [`https://example.com/${"a".repeat(9000)}`, "unparsable", "R4"],
  ]);
});

describe("what analyseUrl says", () => {
  it.each([
    ["javascript:alert(1)", "R4", "A javascript: URL carries its own content or code.", undefined],
    ["filesystem:https://a.test/x", "R4", "A filesystem: URL carries its own content or code.", undefined],
    ["file:///etc/passwd", "R3", "A file: URL reads from this machine or a share.", undefined],
    ["ssh://a.test/", "R3", "A ssh: URL starts another program or protocol.", undefined],
    ["https://a.test/\t", "R3", "The URL holds white space or control characters that its parser drops.", "\t"],
    ["https:\\\\a.test/", "R3", "The parser reads a backslash as a slash, other programs do not.", "https:\\"],
    ["https:/a.test/", "R3", "The URL does not have exactly two slashes before its host.", "https:/a.test/"],
    ["https://b@a.test/", "R3", "What stands before the @ is not the host: this leads to a.test.", "b@a.test"],
    ["https://%61.test/", "R3", "The host is an unusual spelling of a.test.", "%61.test"],
    [
      "https://\u0430b.test/",
      "R3",
      "The host \u0430b.test (xn--b-7sb.test) can be taken for another one.",
      "\u0430b.test",
    ],
    ["https://b\u00fc.test/", "R2", "The host b\u00fc.test is xn--b-eha.test to machines.", "b\u00fc.test"],
    ["https://a.test./", "R3", "The host ends with a dot: the same machine, but not the same name.", "a.test."],
    ["https://[::ffff:808:808]/", "R3", "The address holds the IPv4 address 8.8.8.8.", "[::ffff:808:808]"],
    ["https://10.0.0.1/", "R3", "The host 10.0.0.1 is a private network.", "10.0.0.1"],
    ["https://8.8.8.8/", "R2", "The host is an address without a name.", "8.8.8.8"],
    ["https://a.test:22/", "R2", "Port 22 is not a usual one for the web.", "a.test"],
    ["https://user:p@[2001:db8::1]:22/", "R2", "The host is an address without a name.", "[2001:db8::1]"],
  ])("of %j", (url, riskTier, text, fragment) => {
    const finding = analyseUrl(url).findings.find((one) => one.text === text);
    expect(finding).toMatchObject({ riskTier });
    expect(finding?.fragment).toBe(fragment);
  });

  it("names the host that is outside, and what cannot be read at all", () => {
    expect(analyseUrl("https://evil.test/", SCOPE).findings).toEqual([
      {
        code: "host_outside",
        riskTier: "R3",
        text: "The host evil.test is outside of the scope.",
        fragment: "https://evil.test/",
      },
    ]);
    expect(analyseUrl("mailto:a@b.test", SCOPE).findings.at(-1)?.text).toBe(
      "The host of this URL is outside of the scope.",
    );
    expect(analyseUrl("nonsense", SCOPE)).toEqual({
      riskTier: "R4",
      inspectable: false,
      findings: [{ code: "unparsable", riskTier: "R4", text: "This cannot be read as an absolute URL." }],
      inside: false,
      url: undefined,
    });
  });

  it("finds nothing odd in ordinary URLs", () => {
    for (const port of ["", ":80", ":443", ":3000", ":5000", ":8000", ":8080", ":8443"])
      expect(analyseUrl(`https://a.test${port}/`).findings, port).toEqual([]);
    for (const url of [
      "HTTPS://A.test/",
      "ws://a.test/",
      "wss://a.test",
      "https://a.test:/",
      "https://a.test?x=@",
      "https://a.test#@",
      "https://a.test/a b",
      "https://a.test/#\\",
      `https://a.test/${"a".repeat(8_192 - 15)}`,
    ])
      expect(analyseUrl(url).findings, url).toEqual([]);
  });

  it("finds exactly one thing where there is one", () => {
    const codesOf = (url: string) => analyseUrl(url).findings.map(({ code }) => code);
    expect(codesOf("https://b@a.test/")).toEqual(["userinfo"]);
    expect(codesOf("https://b@a.test\\")).toEqual(["backslash", "userinfo"]);
    expect(codesOf("https://:b@a.test/")).toEqual(["userinfo"]);
    expect(codesOf("https://@a.test/")).toEqual(["userinfo"]);
    expect(codesOf("https://b@a.test:8443/")).toEqual(["userinfo"]);
    expect(codesOf(" https://a.test/")).toEqual(["stripped_characters"]);
    expect(codesOf("https://a.test ")).toEqual(["stripped_characters"]);
    expect(codesOf("https://a.te\nst/")).toEqual(["stripped_characters"]);
    expect(codesOf("https:/a.test/")).toEqual(["odd_slashes"]);
    expect(codesOf("https:////a.test/")).toEqual(["odd_slashes"]);
    expect(codesOf("https://a.test/x\\y")).toEqual(["backslash"]);
    expect(codesOf("https://127.0.0.1/")).toEqual(["special_address"]);
    expect(codesOf("https://127.0.0.1:8080/")).toEqual(["special_address"]);
    expect(codesOf("https://[::1]:8080/")).toEqual(["special_address"]);
    expect(codesOf("https://[0:0::1]/")).toEqual(["special_address"]);
    expect(codesOf("https://[::ffff:808:808]/")).toEqual(["embedded_address"]);
    expect(codesOf("https://[::ffff:7f00:1]/")).toEqual(["embedded_address", "special_address"]);
    expect(codesOf("https://8.8.8.8/")).toEqual(["bare_address"]);
    expect(codesOf("https://localhost./")).toEqual(["trailing_dot", "special_address"]);
    expect(codesOf("https://xn--b-eha.test/")).toEqual(["international_host"]);
    expect(codesOf("data:,x")).toEqual(["code_scheme"]);
  });

  it("shortens what it quotes", () => {
    expect(analyseUrl(`https:/a.test/${"x".repeat(1_000)}`).findings[0]?.fragment).toHaveLength(400);
  });
});

describe("analyseUrl and its scope", () => {
  it("has nothing inside for patterns that are not a host", () => {
    const patterns = [
      "*",
      "*.com",
      "*.*.com",
      "ex*mple.com",
      "https://example.com",
      "example.com/",
      "example.com/a",
      "a@example.com",
      "",
      ".",
      ".com",
      "example.com.",
      "*.2.7",
      "example.com:",
      "example.com:x",
      "%65xample.com",
    ];
    for (const pattern of patterns) {
      for (const url of ["https://example.com/", "https://a.example.com/", "https://192.0.2.7/"]) {
        expect(analyseUrl(url, { hosts: [pattern] }).inside, `${pattern} ${url}`).toBe(false);
      }
    }
    expect(analyseUrl("https://example.com/", { hosts: [] }).inside).toBe(false);
  });

  it("does not put a default port of one scheme under the other", () => {
    expect(analyseUrl("https://example.com/", { hosts: ["example.com:80"] }).inside).toBe(false);
    expect(analyseUrl("http://example.com/", { hosts: ["example.com:80"] }).inside).toBe(true);
    expect(analyseUrl("https://example.com/", { hosts: ["example.com:443"] }).inside).toBe(true);
  });

  it("says neither inside nor outside without a scope", () => {
    expect(analyseUrl("https://anything.test/")).toEqual({
      riskTier: "R0",
      inspectable: true,
      findings: [],
      inside: undefined,
      url: "https://anything.test/",
    });
    expect(analyseUrl("nonsense")).toMatchObject({ riskTier: "R4", inspectable: false, inside: undefined });
  });

  it("names the address that an odd form stands for", () => {
    const sentences = analyseUrl("http://0x7f.1/").findings.map((finding) => finding.text);
    expect(sentences).toContain("The host is an unusual spelling of 127.0.0.1.");
    expect(sentences).toContain("The host 127.0.0.1 is this machine.");
  });

  it("never throws, and is inside only when the parsed host is the scope's", () => {
    const pieces = fc.constantFrom(
      "https:",
      "http:",
      "//",
      "/",
      "\\",
      "@",
      ":",
      "example.com",
      ".",
      "evil.test",
      "%2f",
      "#",
      "?",
      "\t",
      "[::1]",
      "443",
      "ｅ",
      "а",
      " ",
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.webUrl(),
      fc.array(pieces, { maxLength: 9 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const { inside, url } = analyseUrl(text, { hosts: ["example.com"] });
        if (inside) expect(new URL(url ?? "").host).toBe("example.com");
        if (inside) expect(text.toLowerCase()).toMatch(/^(https?|wss?):\/\/example\.com(:(80|443)?)?([/?#]|$)/);
      }),
      { numRuns: 3000 },
    );
  });
});
