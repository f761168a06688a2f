import { describe, expect, it } from "vitest";
import { inHosts } from "./url-scope.js";

const inside = (url: string, ...hosts: string[]) => inHosts(new URL(url), hosts);

describe("the hosts of a scope", () => {
  it.each([
    ["https://example.com/", "example.com"],
    ["https://example.com/", "EXAMPLE.com"],
    ["https://example.com/", "example.com:443"],
    ["http://example.com/", "example.com:80"],
    ["ws://example.com/", "example.com"],
    ["ws://example.com/", "example.com:80"],
    ["wss://example.com/", "example.com:443"],
    ["https://example.com:8443/", "example.com:8443"],
    ["https://a.example.com:8443/", "*.example.com:8443"],
    ["https://a.b.example.com/", "*.example.com"],
    ["https://a.b.example.com/", "*.b.example.com"],
    ["https://münchen.example/", "münchen.example"],
    ["https://[2001:db8::1]/", "[2001:DB8:0::1]"],
    ["https://[2001:db8::1]:8443/", "[2001:db8::1]:8443"],
    ["https://192.0.2.7/", "192.0.2.7"],
    ["https://localhost/", "localhost"],
    ["https://x.a.b2/", "*.a.b2"],
    ["https://x.1a.com/", "*.1a.com"],
  ])("hold %s by %s", (url, pattern) => {
    expect(inside(url, pattern)).toBe(true);
    expect(inside(url, "other.test", pattern)).toBe(true);
  });

  it.each([
    ["https://example.com/", "*.example.com"],
    ["https://b.example.com/", "*.b.example.com"],
    ["https://a.example.com/", "example.com"],
    ["https://aexample.com/", "*.example.com"],
    ["https://a.example.com.evil.test/", "*.example.com"],
    ["https://a.b.example.com/", "*.a.example.com"],
    ["https://example.com:8443/", "example.com"],
    ["https://example.com/", "example.com:8443"],
    ["https://example.com/", "example.com:80"],
    ["https://example.com/", "*.com"],
    ["https://a.localhost/", "*.localhost"],
    ["https://1.192.0.2/", "*.192.0.2"],
    ["https://192.0.2.7/", "*.2.7"],
    ["https://[2001:db8::1]/", "*.[2001:db8::1]"],
    ["https://[2001:db8::1]/", "[2001:db8::2]"],
    ["https://example.com/", "https://example.com"],
    ["https://example.com/", "example.com/"],
    ["https://example.com/", " example.com"],
    ["https://example.com/", "example.com "],
    ["https://example.com/", "a@example.com"],
    ["https://example.com/", "example.com."],
    ["https://example.com/", ".example.com"],
    ["https://example.com./", "example.com."],
    ["https://.example.com/", ".example.com"],
    ["https://example.com/", "example.com:123456"],
    ["https://example.com/", "example.com:443x"],
    ["https://example.com/", "x:example.com"],
    ["https://example.com/", "exampl%65.com"],
    ["https://example.com/", ""],
    ["https://example.com/", "*."],
    ["https://example.com/", "exam[ple.com"],
    ["https://example.com/", "*.exam[ple.com"],
    ["https://192.0.2.7/", "*.0.2.7"],
    ["https://192.0.2.7/", "*.192.0.2.7"],
    ["ftp://example.com/", "example.com"],
    ["https://example.com/", "**.example.com"],
    ["https://example.com/", ""],
    ["ftp://example.com/", "example.com:21x"],
  ])("attack C5: do not hold %s by %s", (url, pattern) => {
    expect(inside(url, pattern)).toBe(false);
  });

  it("hold nothing when there are none", () => {
    expect(inside("https://example.com/")).toBe(false);
  });
});
