import { promises, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopback, isPrivate } from './private.ts';

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
  // No name server is asked for this one.
  if (isLoopback(host)) throw new Forbidden('the address is this machine');
}

/** Milliseconds for a name server to answer; one that says nothing is asked once more. */
const namePatience = 2_000;

/**
 * For a call to an address that was judged: by the name servers themselves, for those of a stranger may be silent; a
 * place of the owner's as this machine finds it.
 */
export function lookupFor(url: URL, rules: FetchRules): LookupFunction {
  if (rules.mayAsk(url.origin)) return publicLookup(true, bySystem);
  // Anew each time: the machine may be in another network by now.
  return publicLookup(false, byNameServers(new promises.Resolver({ timeout: namePatience, tries: 2 })));
}

type Addresses = (host: string, options: LookupOptions) => Promise<readonly LookupAddress[]>;

/** As this machine looks names up for everything else. */
const bySystem: Addresses = (host, options) => promises.lookup(host, { ...options, all: true });

/** What carries a call connects to the very addresses that were judged here. */
export function publicLookup(allowPrivate: boolean, look: Addresses): LookupFunction {
  async function judged(host: string, options: LookupOptions): Promise<[LookupAddress, ...LookupAddress[]]> {
    const [first, ...others] = await look(host, options);
    if (first === undefined) throw new Error(`${host} has no address`);
    if (!allowPrivate && [first, ...others].some(({ address }) => isPrivate(address)))
      throw new Forbidden('the address lies in a private network');
    return [first, ...others];
  }
  return (host, options, callback) => {
    judged(host, options).then(
      (all) => (options.all === true ? callback(null, all) : callback(null, all[0].address, all[0].family)),
      (error: Error) => callback(error, '', 0),
    );
  };
}

/**
 * Asks the name servers itself. What the system looks up holds one of the few threads of this process for as long as a
 * name server likes, and those of strangers may like long.
 */
export function byNameServers(resolver: promises.Resolver): Addresses {
  return async (host) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    return [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
  };
}
