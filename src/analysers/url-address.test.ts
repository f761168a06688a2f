import { describe, expect, it } from "vitest";
import { embeddedIpv4, specialAddress, specialName } from "./url-address.js";

const METADATA = "the cloud's own metadata service";
const MACHINE = "this machine";
const LINK = "a link-local network";
const PRIVATE = "a private network";
const GROUP = "a group of machines";
const INSIDE_NAME = "an address written inside a name";

describe("an address that is not on the public internet", () => {
  it.each([
    [
      METADATA,
      ["169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254"],
    ],
    [MACHINE, ["127.0.0.0", "127.255.255.255", "0.0.0.0", "0.255.255.255", "::1", "::"]],
    [LINK, ["169.254.0.0", "169.254.255.255", "169.254.169.253", "fe80::", "febf:ffff::1"]],
    [
      PRIVATE,
      [
        ...["10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"],
        ...["100.64.0.0", "100.127.255.255", "192.0.0.0", "192.0.0.255", "198.18.0.0", "198.19.255.255"],
        ...["fc00::", "fdff:ffff::1", "fd00:ec2::253", "fec0::", "feff::1"],
      ],
    ],
    [GROUP, ["224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255", "ff00::", "ffff::1"]],
  ])("is named as %s from the first to the last (attack C5)", (says, addresses) => {
    for (const address of addresses) expect(specialAddress(address), address).toBe(says);
  });

  it.each([
    ...["1.0.0.0", "9.255.255.255", "11.0.0.0", "126.255.255.255", "128.0.0.0", "172.15.255.255", "172.32.0.0"],
    ...["100.63.255.255", "100.128.0.0", "169.253.255.255", "169.255.0.0", "191.255.255.255", "192.0.1.0"],
    ...["192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "168.63.129.15", "223.255.255.255"],
    ...["::2", "2001:db8::1", "fbff::1", "fe00::1"],
    ...["", "example.com", "127.0.0", "localhost"],
  ])("is not %j", (address) => {
    expect(specialAddress(address)).toBeUndefined();
  });
});

describe("the IPv4 address inside an IPv6 one", () => {
  it.each([
    ["::ffff:7f00:1", "127.0.0.1"],
    ["::ffff:ffff:ffff", "255.255.255.255"],
    ["0:0:0:0:0:ffff:102:304", "1.2.3.4"],
    ["::7f00:1", "127.0.0.1"],
    ["::1:0", "0.1.0.0"],
    ["::ffff:0:a9fe:a9fe", "169.254.169.254"],
    ["64:ff9b::a9fe:a9fe", "169.254.169.254"],
    ["64:ff9b:1::102:304", "1.2.3.4"],
    ["2002:102:304::", "1.2.3.4"],
    ["2002:102:304::5", "1.2.3.4"],
  ])("is found in %s: %s (attack C5)", (address, inner) => {
    expect(embeddedIpv4(address)).toBe(inner);
  });

  it.each([
    ...[
      "::1",
      "::",
      "::ffff",
      "2001:db8::1",
      "::ffff:1:102:304",
      "::1:ffff:102:304",
      "1::ffff:102:304",
      "::fffe:102:304",
    ],
    ...[
      "64:ff9a::102:304",
      "65:ff9b::102:304",
      "2003:102:304::",
      "1::102:304",
      "::1:0:102:304",
      "127.0.0.1",
      "x",
      "2002:102",
    ],
  ])("is not there in %s", (address) => {
    expect(embeddedIpv4(address)).toBeUndefined();
  });
});

describe("a host name", () => {
  it.each([
    [
      METADATA,
      ["metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"],
    ],
    [
      MACHINE,
      [
        ...["localhost", "a.localhost", "localtest.me", "a.localtest.me", "lvh.me", "a.vcap.me", "lacolhost.com"],
        ...["loopback", "ip6-localhost", "ip6-loopback", "localhost.localdomain"],
      ],
    ],
    [
      PRIVATE,
      [
        ...["a.local", "a.internal", "a.intranet", "a.lan", "a.home", "a.corp", "a.private", "a.home.arpa", "a.svc"],
        ...["a.cluster.local", "intranet", "printer"],
      ],
    ],
    [INSIDE_NAME, ["127.0.0.1.nip.io", "a.sslip.io", "a.xip.io", "a.traefik.me"]],
  ])("stands for %s (attack C5)", (says, hosts) => {
    for (const host of hosts) expect(specialName(host), host).toBe(says);
  });

  it.each([
    ...["example.com", "notmetadata.example.com", "metadata.example.com", "metadata.google.internal.example.com"],
    ...["instance-data.example.com", "my-localhost.example.com", "notlocaltest.me", "localtest.me.example.com"],
    ...["my-metadata.goog", "a.localhost.example.com", "localhosts.example.com", "loopbacks.example.com"],
    ...["a.local.example.com", "a.alan", "nip.io", "a.nip.io.example.com", "anip.io", "x.loopback.example.com"],
  ])("is an ordinary one: %s", (host) => {
    expect(specialName(host)).toBeUndefined();
  });
});
