import { PortFailure } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import type { BitcoinPort, ChainCoin } from '../../legs/onchain/port.ts';

/** Scripts that are asked for one by one at the same time. */
const aloneAtOnce = 40;
/** One that nobody lists is asked for alone, and no more often than that, in milliseconds. */
const unlistedForMs = 600_000;
/** More that fail at once were an outage, of which nothing is remembered. */
const mostUnlisted = 8;

/** Coins that are listed, and whether there are scripts whose list is not to be had. */
interface Listing {
  readonly coins: readonly ChainCoin[];
  readonly whole: boolean;
}

/** Whom the lists are asked of, and what is remembered of them. */
interface Listings {
  readonly bitcoin: Pick<BitcoinPort, 'coins'>;
  /** Scripts that nobody listed while others were, and when that was, in milliseconds of this process. */
  readonly unlisted: Map<string, number>;
}

/** Lists coins at many scripts, of which some may have no list. */
export function scriptListing(bitcoin: Listings['bitcoin']) {
  const own: Listings = { bitcoin, unlisted: new Map() };
  return (scripts: readonly Uint8Array[], since?: number): Promise<Listing> => listingOf(own, scripts, since);
}

/**
 * Anybody may pay an address of ours so often that no server lists it any more: then each is asked for alone, and the
 * others have their coins (facts/faults.md 96). From then on it is left out, or each claim would cost a question for
 * every key. Rejects where the first ones all fail: nobody answers.
 */
async function listingOf(own: Listings, scripts: readonly Uint8Array[], since?: number): Promise<Listing> {
  const { bitcoin, unlisted } = own;
  const isUnlisted = (script: Uint8Array): boolean => unlisted.has(toHex(script));
  const left = scripts.filter(isUnlisted);
  const others = scripts.filter((script) => !isUnlisted(script));
  const again = await listedAgain(own, left, since);
  if (others.length === 0) return again;
  try {
    return { coins: [...again.coins, ...(await bitcoin.coins(others, since))], whole: again.whole };
  } catch (cause) {
    if (!(cause instanceof PortFailure) || others.length < 2) throw cause;
    return { coins: [...again.coins, ...(await listedAlone(own, others, cause, since))], whole: false };
  }
}

async function listedAlone(
  { bitcoin, unlisted }: Listings,
  scripts: readonly Uint8Array[],
  failure: PortFailure,
  since?: number,
): Promise<readonly ChainCoin[]> {
  const coins: ChainCoin[] = [];
  const failed: Uint8Array[] = [];
  for (let i = 0; i < scripts.length; i += aloneAtOnce) {
    const part = scripts.slice(i, i + aloneAtOnce);
    const lists = await Promise.allSettled(part.map((script) => bitcoin.coins([script], since)));
    const shown = lists.flatMap((list) => (list.status === 'fulfilled' ? [list.value] : []));
    if (i === 0 && shown.length === 0) throw failure;
    coins.push(...shown.flat());
    failed.push(...part.filter((_, at) => lists[at]?.status === 'rejected'));
  }
  if (failed.length <= mostUnlisted) for (const script of failed) unlisted.set(toHex(script), performance.now());
  return coins;
}

/** Those that nobody listed before, each asked for alone where that was long ago. */
async function listedAgain(
  { bitcoin, unlisted }: Listings,
  scripts: readonly Uint8Array[],
  since?: number,
): Promise<Listing> {
  const now = performance.now();
  const due = scripts.filter((script) => now - (unlisted.get(toHex(script)) ?? 0) > unlistedForMs);
  for (const script of due) unlisted.set(toHex(script), now);
  const lists = await Promise.allSettled(due.map((script) => bitcoin.coins([script], since)));
  const shown = due.filter((_, i) => lists[i]?.status === 'fulfilled');
  for (const script of shown) unlisted.delete(toHex(script));
  const coins = lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
  return { coins, whole: shown.length === scripts.length };
}
