import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';

/**
 * Whose requests are counted together, as an address. A reverse proxy on this machine is believed where the owner says
 * that there is one, and only about what it wrote itself: the last address of X-Forwarded-For. What stands before that
 * came from the client, as did every other header of the kind.
 */
export function clientOf(request: IncomingMessage, trustLoopbackProxy: boolean): string {
  const peer = plainAddress(request.socket.remoteAddress ?? '') ?? '';
  if (!trustLoopbackProxy || !isLoopback(peer)) return counted(peer);
  const last =
    String(request.headers['x-forwarded-for'] ?? '')
      .split(',')
      .at(-1)
      ?.trim() ?? '';
  return counted(plainAddress(last) ?? peer);
}

/** Whose a connection is as far as its address says; null where that is a proxy's, which speaks for many. */
export function peerOf(socket: Pick<Socket, 'remoteAddress'>, trustLoopbackProxy: boolean): string | null {
  const peer = plainAddress(socket.remoteAddress ?? '') ?? '';
  return trustLoopbackProxy && isLoopback(peer) ? null : counted(peer);
}

/** Null for anything that is no address; an IPv4 address inside an IPv6 one is the IPv4 address. */
function plainAddress(text: string): string | null {
  const address = text.replace(/^\[(.*)\]$/, '$1').replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIP(address) === 0) return null;
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address) ?? [];
  if (high === undefined || low === undefined) return address.toLowerCase();
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [first >> 8, first & 0xff, second >> 8, second & 0xff].join('.');
}

function isLoopback(address: string): boolean {
  return /^(0*:)+0*1$/.test(address) || address.startsWith('127.');
}

/** What all programs on this machine count as: each of them may send from any of its sixteen million addresses. */
const thisMachine = '127.0.0.1';

/**
 * One customer of a provider holds 2^64 IPv6 addresses at least: they count as one client, as all of this machine's own
 * do.
 */
function counted(address: string): string {
  if (isLoopback(address)) return thisMachine;
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined
      ? before
      : [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
