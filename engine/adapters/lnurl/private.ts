import { BlockList, isIP } from 'node:net';

/** Ranges that no payee on the internet lives in: a stranger's text must not make this node call its own network. */
const ranges = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  ranges.ipv4.addSubnet(net, bits, 'ipv4');
}
for (const [net, bits] of [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['100::', 64],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  ranges.ipv6.addSubnet(net, bits, 'ipv6');
}

/** True for an address of this machine or of a network that is not public. Anything that is no address counts too. */
export function isPrivate(address: string): boolean {
  const kind = isIP(address);
  if (kind === 0) return true;
  // Two lists: one list would hold every IPv4 address to be inside ::ffff:0:0/96.
  return kind === 4 ? ranges.ipv4.check(address, 'ipv4') : ranges.ipv6.check(address, 'ipv6');
}

/** A host name that can only mean this machine. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}
