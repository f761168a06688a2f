import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Ranges that are not the public internet, with what to say of an address in them. The first match counts. */
const RANGES: readonly (readonly [says: string, ranges: readonly (readonly [string, number])[]])[] = [
  [
    "the cloud's own metadata service",
    [
      ["169.254.169.254", 32],
      ["169.254.170.2", 32],
      ["100.100.100.200", 32],
      ["192.0.0.192", 32],
      ["168.63.129.16", 32],
      ["fd00:ec2::254", 128],
    ],
  ],
  [
    "this machine",
    [
      ["127.0.0.0", 8],
      ["0.0.0.0", 8],
      ["::1", 128],
      ["::", 128],
    ],
  ],
  [
    "a link-local network",
    [
      ["169.254.0.0", 16],
      ["fe80::", 10],
    ],
  ],
  [
    "a private network",
    [
      ["10.0.0.0", 8],
      ["172.16.0.0", 12],
      ["192.168.0.0", 16],
      ["100.64.0.0", 10],
      ["192.0.0.0", 24],
      ["198.18.0.0", 15],
      ["fc00::", 7],
      ["fec0::", 10],
    ],
  ],
  [
    "a group of machines",
    [
      ["224.0.0.0", 4],
      ["240.0.0.0", 4],
      ["ff00::", 8],
    ],
  ],
];

const LISTS = RANGES.map(([says, ranges]) => {
  const blocks = new BlockList();
  for (const [address, bits] of ranges) blocks.addSubnet(address, bits, isIPv4(address) ? "ipv4" : "ipv6");
  return { says, blocks };
});

/** What an address is, if it is not on the public internet. */
export function specialAddress(address: string): string | undefined {
  const family = isIPv4(address) ? "ipv4" : isIPv6(address) ? "ipv6" : undefined;
  if (family === undefined) return undefined;
  return LISTS.find(({ blocks }) => blocks.check(address, family))?.says;
}

/** The IPv4 address inside an IPv6 one: mapped, compatible, translated (NAT64) or tunnelled (6to4). */
export function embeddedIpv4(address: string): string | undefined {
  if (!isIPv6(address)) return undefined;
  const groups = expand(address);
  const [first = 0, second = 0, third = 0] = groups;
  const quad = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join(".");
  const zeros = (count: number): boolean => groups.slice(0, count).every((group) => group === 0);
  if (zeros(5) && groups[5] === 0xffff) return quad(groups[6], groups[7]);
  if (zeros(6) && (groups[6] ?? 0) > 0) return quad(groups[6], groups[7]);
  if (zeros(4) && groups[4] === 0xffff && groups[5] === 0) return quad(groups[6], groups[7]);
  if (first === 0x64 && second === 0xff9b) return quad(groups[6], groups[7]);
  if (first === 0x2002) return quad(second, third);
  return undefined;
}

/** The eight groups of an address as the URL parser prints it: no dots, at most one gap. */
function expand(address: string): readonly number[] {
  const [head = "", tail] = address.split("::");
  const numbers = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  if (tail === undefined) return numbers(head);
  const [left, right] = [numbers(head), numbers(tail)];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

/** What a host name is, if it cannot be a public one or stands for an address. */
export function specialName(host: string): string | undefined {
  if (/^(metadata|metadata\.google\.internal|metadata\.goog|instance-data(\.ec2\.internal)?)$/.test(host)) {
    return "the cloud's own metadata service";
  }
  if (
    /(^|\.)localhost$|(^|\.)(localtest\.me|lvh\.me|vcap\.me|lacolhost\.com)$|^(ip6-)?(localhost|loopback)(\..*)?$/.test(
      host,
    )
  ) {
    return "this machine";
  }
  if (
    /\.(local|internal|intranet|lan|home|corp|private|home\.arpa|svc|cluster\.local)$/.test(host) ||
    !host.includes(".")
  ) {
    return "a private network";
  }
  if (/\.(nip\.io|sslip\.io|xip\.io|traefik\.me)$/.test(host)) return "an address written inside a name";
  return undefined;
}
