import { BlockList, isIP } from 'node:net';

/**
 * Ranges that no payee on the internet lives in: a stranger's text must not make this node call its own network. From
 * IANA's registries of special-purpose addresses, all that is not globally reachable there, documentation included.
 */
const closed = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24], // relays of 6to4, withdrawn
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3], // multicast, and all above it
] as const) {
  closed.ipv4.addSubnet(net, bits, 'ipv4');
}
for (const [net, bits] of [
  ['2001::', 23], // protocols: Teredo, which carries an IPv4 address, benchmarks, identifiers
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4, which carries an IPv4 address
  ['3fff::', 20],
] as const) {
  closed.ipv6.addSubnet(net, bits, 'ipv6');
}

/**
 * The only part of IPv6 that was ever handed out to networks. Outside it lie loopback, link-local, site-local and
 * unique local addresses, and every form that wraps an IPv4 address: mapped, compatible, translated, NAT64 by either
 * prefix.
 */
const handedOut = new BlockList();
handedOut.addSubnet('2000::', 3, 'ipv6');

/** True for an address of this machine or of a network that is not public. Anything that is no address counts too. */
export function isPrivate(address: string): boolean {
  const kind = isIP(address);
  if (kind === 4) return closed.ipv4.check(address, 'ipv4');
  return kind === 0 || !handedOut.check(address, 'ipv6') || closed.ipv6.check(address, 'ipv6');
}

/** A host name that can only mean this machine. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/** True for a host of this machine or of a network that is not public: what answers there is the owner's. */
export function isOwnHost({ hostname }: URL): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isLoopback(hostname) || (isIP(bare) !== 0 && isPrivate(bare));
}
