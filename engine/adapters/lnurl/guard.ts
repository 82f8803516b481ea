import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPrivate } from './private.ts';

/* What may be called of the addresses that strangers choose: nothing of this machine, nor of its own network. */

export interface FetchRules {
  /**
   * Lets a place of this machine through, by its origin (scheme, host and port): never for what a stranger may choose.
   */
  readonly mayAsk: (origin: string) => boolean;
  readonly signal: AbortSignal;
}

/** The reason why a stranger's address is not called; the sentence is for the one who gave it. */
export class Forbidden extends Error {}

/** Throws for an address that is not called; of a name only once it was looked up is that known. */
export function judge(url: URL, rules: FetchRules): void {
  if (rules.mayAsk(url.origin)) return;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.username !== '' || url.password !== '') throw new Forbidden('the address carries a user name');
  const plainAllowed = host.endsWith('.onion');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && plainAllowed))
    throw new Forbidden('the address is not https');
  // A literal address is never looked up, so it is judged here.
  if (isIP(host) !== 0 && isPrivate(host)) throw new Forbidden('the address lies in a private network');
}

/** What carries a call connects to the very addresses that were judged here. */
export function publicLookup(allowPrivate: boolean): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) return callback(error, '', 0);
      if (!allowPrivate && addresses.some(({ address }) => isPrivate(address))) {
        return callback(new Forbidden('the address lies in a private network'), '', 0);
      }
      const [chosen] = addresses;
      if (options.all === true || chosen === undefined) return callback(null, addresses, 0);
      return callback(null, chosen.address, chosen.family);
    });
  };
}
