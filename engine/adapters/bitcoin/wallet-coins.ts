import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import { PortFailure } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { addressOfScript } from '../../legs/onchain/address.ts';
import { keysAtOnce } from '../../legs/onchain/forgotten.ts';
import type { BitcoinPort, ChainCoin } from '../../legs/onchain/port.ts';
import { keyPathScript } from '../../legs/onchain/taproot.ts';
import type { WalletCoin } from '../../legs/onchain/wallet-port.ts';
import { xOnlyKeyOf } from '../../legs/secp256k1.ts';
import type { KeyRef } from '../../legs/signer.ts';
import { rewardsLeftOut } from './wallet-rewards.ts';

/** Where the wallet's keys come one after the other: for others to pay to, and for its own change (BIP-86). */
export type WalletBranch = 'bitcoin-deposit' | 'bitcoin-change';

/** Indices of keys that were shown to somebody, or used: saved before they are. */
export interface WalletIndexes {
  /** All below this one are taken. */
  taken(branch: WalletBranch): number;
  /** Takes the next one, at least `floor`. */
  take(branch: WalletBranch, floor: number): number;
  /**
   * Hears of all coins that are in a block after each look at them, and of those that lie at keys which were never
   * taken.
   */
  onSeen?(coins: readonly WalletCoin[], forgotten: readonly WalletCoin[]): void;
}

export interface BitcoinWalletOptions {
  readonly bitcoin: BitcoinPort;
  readonly network: BitcoinNetwork;
  /** The private key, a copy. */
  readonly keys: (ref: KeyRef) => Uint8Array;
  readonly indexes: WalletIndexes;
}

export type Seen = WalletCoin & Pick<ChainCoin, 'height' | 'reward'>;

export interface Place {
  readonly key: { readonly branch: WalletBranch; readonly index: number };
  readonly script: Uint8Array;
  readonly address: string;
}

const branches: readonly WalletBranch[] = ['bitcoin-deposit', 'bitcoin-change'];
/**
 * So many keys beyond the last one taken are looked at once at first: an older database does not know what it gave out
 * (BIP-44).
 */
const gap = 20;
const keysPerTurn = 10;
/** A source that names a coin wherever it is asked is followed so far, and no claim waits for its end. */
const mostRounds = 50;
/** Scripts that are asked for one by one at the same time. */
const aloneAtOnce = 40;
/** One that nobody lists is asked for alone, and no more often than that, in milliseconds. */
const unlistedForMs = 600_000;
/** More that fail at once were an outage, of which nothing is remembered. */
const mostUnlisted = 8;

/** Keys of the wallet, one after the other, and what lies at them. */
export interface WalletCoins {
  placeOf(branch: WalletBranch, index: number): Place;
  /** Reserved ones and those in the mempool too; a miner's that cannot be spent yet as one of these. */
  coinsNow(): Promise<Seen[]>;
  /** One that was not paid yet, as far as the chain shows. */
  unpaid(): Promise<Place>;
  /** See the port. */
  lookBeyond(last: number): Promise<boolean>;
}

/** Coins that are listed, and whether there are scripts whose list is not to be had. */
interface Listing {
  readonly coins: readonly ChainCoin[];
  readonly whole: boolean;
}

/** What the looks at the wallet's scripts go by, and what they remember. */
interface Looking {
  readonly bitcoin: BitcoinWalletOptions['bitcoin'];
  readonly network: BitcoinWalletOptions['network'];
  readonly keys: BitcoinWalletOptions['keys'];
  readonly indexes: BitcoinWalletOptions['indexes'];
  readonly places: Map<string, Place>;
  /** Deposit keys at which a coin was seen. */
  readonly paid: Set<number>;
  /**
   * Scripts that came up later than the first look, with the height they came up at: nobody can have paid them before.
   */
  readonly births: Map<string, number>;
  /** Scripts that nobody listed while others were, and when that was, in milliseconds of this process. */
  readonly unlisted: Map<string, number>;
  looked: boolean;
}

export function walletCoins({ bitcoin, network, keys, indexes }: BitcoinWalletOptions): WalletCoins {
  /** Deposit keys at which a coin was seen. */
  const paid = new Set<number>();
  const own: Looking = {
    bitcoin,
    network,
    keys,
    indexes,
    places: new Map(),
    paid,
    births: new Map(),
    unlisted: new Map(),
    looked: false,
  };
  const leaveOut = rewardsLeftOut(bitcoin);

  return {
    placeOf: (branch: WalletBranch, index: number) => placeOf(own, branch, index),
    async coinsNow() {
      const { coins, height } = await lookNow(own);
      return leaveOut(coins, height);
    },
    lookBeyond: (last: number) => lookBeyond(own, last),
    async unpaid() {
      // A claim needs a place to be paid to, whoever lists what: one that was paid before is as good (facts/faults.md
      // 96).
      await lookNow(own).catch((cause: unknown) => {
        if (!(cause instanceof PortFailure)) throw cause;
      });
      const last = indexes.taken('bitcoin-deposit') - 1;
      return placeOf(own, 'bitcoin-deposit', last >= 0 && !paid.has(last) ? last : indexes.take('bitcoin-deposit', 0));
    },
  };
}

function placeOf({ network, keys, places }: Looking, branch: WalletBranch, index: number): Place {
  const name = nameOf({ branch, index });
  const cached = places.get(name);
  if (cached !== undefined) return cached;
  const secret = keys({ branch, index });
  const script = keyPathScript(xOnlyKeyOf(secret));
  secret.fill(0);
  const place = { key: { branch, index }, script, address: addressOfScript(script, network) };
  places.set(name, place);
  return place;
}

/** With a turn for everybody else now and then: a key takes a millisecond, and there may be thousands. */
async function placesFrom(own: Looking, branch: WalletBranch, first: number, count: number): Promise<Place[]> {
  const { places } = own;
  const from: Place[] = [];
  for (let index = first; index < first + count; index++) {
    if (!places.has(nameOf({ branch, index })) && index % keysPerTurn === 0) await nextTurn();
    from.push(placeOf(own, branch, index));
  }
  return from;
}

/**
 * Anybody may pay an address of ours so often that no server lists it any more: then each is asked for alone, and the
 * others have their coins (facts/faults.md 96). From then on it is left out, or each claim would cost a question for
 * every key. Rejects where the first ones all fail: nobody answers.
 */
async function listingOf(own: Looking, scripts: readonly Uint8Array[], since?: number): Promise<Listing> {
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
  { bitcoin, unlisted }: Looking,
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
  { bitcoin, unlisted }: Looking,
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

async function lookNow(own: Looking): Promise<{ coins: Seen[]; height: number }> {
  const { indexes } = own;
  for (let round = 1; ; round++) {
    const before = branches.map(indexes.taken);
    const { coins, whole, height } = await look(own);
    // What a database from a backup forgot may go on beyond what was found of it.
    const isEnd = branches.map(indexes.taken).every((taken, i) => taken === before[i]) || round === mostRounds;
    if (own.looked || isEnd) {
      own.looked ||= whole;
      return { coins, height };
    }
  }
}

async function look(own: Looking): Promise<{ coins: Seen[]; whole: boolean; height: number }> {
  const { bitcoin, indexes, places, paid, births } = own;
  const { height } = await bitcoin.tip();
  const before = new Set(places.keys());
  const all: Place[] = [];
  for (const branch of branches)
    all.push(...(await placesFrom(own, branch, 0, indexes.taken(branch) + (own.looked ? 1 : gap))));
  const byScript = new Map(all.map((place) => [toHex(place.script), place]));
  if (own.looked) for (const { key } of all) if (!before.has(nameOf(key))) births.set(nameOf(key), height);
  const [old, young] = [
    all.filter((place) => !births.has(nameOf(place.key))),
    all.filter((place) => births.has(nameOf(place.key))),
  ];
  const scriptsOf = (of: readonly Place[]): Uint8Array[] => of.map(({ script }) => script);
  const lists = [await listingOf(own, scriptsOf(old))];
  if (young.length > 0)
    lists.push(
      await listingOf(own, scriptsOf(young), Math.min(...births.values())).catch((cause: unknown) => {
        if (!(cause instanceof PortFailure)) throw cause;
        return { coins: [], whole: false }; // somebody answers: the others were listed
      }),
    );
  const whole = lists.every((list) => list.whole);
  const coins: Seen[] = [];
  const forgotten: (Seen & Pick<Place, 'key'>)[] = [];
  for (const { script, outpoint, amount, height: minedIn, reward } of lists.flatMap((list) => list.coins)) {
    const place = byScript.get(toHex(script));
    if (place === undefined) continue;
    const { key } = place;
    if (key.branch === 'bitcoin-deposit') paid.add(key.index);
    const coin = { outpoint, amount, height: minedIn, key, ...(reward === undefined ? {} : { reward }) };
    coins.push(coin);
    // In no block it is any source's word, and would put keys out of reach (facts/faults.md 101).
    if (minedIn !== null && key.index >= indexes.taken(key.branch)) forgotten.push(coin);
  }
  // What is missing because nobody lists it was spent by nobody.
  if (whole)
    indexes.onSeen?.(
      coins.filter((coin) => coin.height !== null),
      forgotten,
    );
  // A database from a backup gave these out before, and must not again.
  for (const { key } of forgotten) takeUpTo(own, key);
  return { coins, whole, height };
}

function takeUpTo({ indexes }: Looking, { branch, index }: Place['key']): void {
  if (index >= indexes.taken(branch)) indexes.take(branch, index);
}

async function lookBeyond(own: Looking, last: number): Promise<boolean> {
  const { bitcoin, indexes, paid, births } = own;
  const beyond: Place[] = [];
  for (const branch of branches)
    beyond.push(...(await placesFrom(own, branch, indexes.taken(branch) + last, keysAtOnce)));
  const byScript = new Map(beyond.map((place) => [toHex(place.script), place]));
  const coins = await bitcoin.coins(beyond.map(({ script }) => script));
  const mined = coins.filter(({ height }) => height !== null);
  const keys = mined.flatMap(({ script }) => byScript.get(toHex(script))?.key ?? []);
  for (const key of keys) {
    takeUpTo(own, key);
    if (key.branch === 'bitcoin-deposit') paid.add(key.index);
  }
  // Those below were not looked at either, and any of them may be as old.
  if (keys.length > 0) {
    own.looked = false;
    births.clear();
  }
  return keys.length > 0;
}

function nameOf({ branch, index }: Place['key']): string {
  return `${branch} ${index}`;
}
