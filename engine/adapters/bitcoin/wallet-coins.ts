import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import { PortFailure } from '../../domain/errors.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { addressOfScript } from '../../legs/onchain/address.ts';
import { keysAtOnce } from '../../legs/onchain/forgotten.ts';
import type { BitcoinPort } from '../../legs/onchain/port.ts';
import { keyPathScript } from '../../legs/onchain/taproot.ts';
import type { WalletCoin } from '../../legs/onchain/wallet-coin.ts';
import type { BitcoinWalletPort } from '../../legs/onchain/wallet-port.ts';
import { xOnlyKeyOf } from '../../legs/secp256k1.ts';
import type { KeyRef } from '../../legs/signer.ts';
import { scriptListing } from './wallet-listing.ts';
import { coinJudge, type JudgedCoin, type Seen } from './wallet-rewards.ts';

/** Where the wallet's keys come one after the other: for others to pay to, and for its own change (BIP-86). */
export type WalletBranch = 'bitcoin-deposit' | 'bitcoin-change';

/** Indices of keys that were shown to somebody, or used: saved before they are. */
export interface WalletIndexes {
  /** All below this one are taken. */
  taken(branch: WalletBranch): number;
  /** Takes the next one, at least `floor`. */
  take(branch: WalletBranch, floor: number): number;
  /** Whether it took none because nothing can be saved now; left out where nothing is. */
  isUnsaved?(cause: unknown): boolean;
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

/** Keys of the wallet, one after the other, and what lies at them. */
export interface WalletCoins {
  placeOf(branch: WalletBranch, index: number): Place;
  /** See the port. */
  coinAt: BitcoinWalletPort['coinAt'];
  /** Reserved ones and those in the mempool too. */
  coinsNow(): Promise<Seen[]>;
  /** The same, with what may be spent of them now. */
  judgedNow(): Promise<JudgedCoin[]>;
  /** One that was not paid yet, as far as the chain shows. */
  unpaid(): Promise<Place>;
  /** See the port. */
  lookBeyond(last: number): Promise<boolean>;
}

/** Coins of the wallet at a tip of this height; `whole`: every script was listed. */
interface Look {
  readonly coins: Seen[];
  readonly height: number;
  readonly whole: boolean;
}

/** What the looks at the wallet's scripts go by, and what they remember. */
interface Looking {
  readonly bitcoin: BitcoinWalletOptions['bitcoin'];
  readonly network: BitcoinWalletOptions['network'];
  readonly keys: BitcoinWalletOptions['keys'];
  readonly indexes: BitcoinWalletOptions['indexes'];
  readonly listing: ReturnType<typeof scriptListing>;
  readonly places: Map<string, Place>;
  /** Deposit keys at which a coin was seen. */
  readonly paid: Set<number>;
  /**
   * Scripts that came up later than the first look, with the height they came up at: nobody can have paid them before.
   */
  readonly births: Map<string, number>;
  looked: boolean;
}

export function walletCoins({ bitcoin, network, keys, indexes }: BitcoinWalletOptions): WalletCoins {
  const paid = new Set<number>();
  const judge = coinJudge(bitcoin);
  const own: Looking = {
    bitcoin,
    network,
    keys,
    indexes,
    listing: scriptListing(bitcoin),
    places: new Map(),
    paid,
    births: new Map(),
    looked: false,
  };

  return {
    placeOf: (branch: WalletBranch, index: number) => placeOf(own, branch, index),
    async coinAt(outpoint, { script, amount }) {
      const all = await Promise.all(branches.map((branch) => placesFrom(own, branch, 0, indexes.taken(branch))));
      const place = all.flat().find((one) => sameBytes(one.script, script));
      return place === undefined ? null : { outpoint, amount, key: place.key };
    },
    coinsNow: async () => (await coinsNow(own)).coins,
    async judgedNow() {
      const { coins, height } = await coinsNow(own);
      return judge(coins, height);
    },
    lookBeyond: (last: number) => lookBeyond(own, last),
    async unpaid() {
      // A claim needs a place to be paid to, whoever lists what: one that was paid before is as good (facts/faults.md
      // 96).
      await coinsNow(own).catch((cause: unknown) => {
        if (!(cause instanceof PortFailure)) throw cause;
      });
      return placeOf(own, 'bitcoin-deposit', unpaidIndex(own));
    },
  };
}

/** The last one where nothing can be saved: a claim does not wait for a disk (facts/faults.md 195). */
function unpaidIndex({ indexes, paid }: Looking): number {
  const last = indexes.taken('bitcoin-deposit') - 1;
  if (last >= 0 && !paid.has(last)) return last;
  try {
    return indexes.take('bitcoin-deposit', 0);
  } catch (cause) {
    if (indexes.isUnsaved?.(cause) !== true) throw cause;
    return Math.max(last, 0);
  }
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

async function coinsNow(own: Looking): Promise<Pick<Look, 'coins' | 'height'>> {
  const { indexes } = own;
  for (let round = 1; ; round++) {
    const before = branches.map(indexes.taken);
    const { coins, height, whole } = await look(own);
    // What a database from a backup forgot may go on beyond what was found of it.
    const isEnd = branches.map(indexes.taken).every((taken, i) => taken === before[i]) || round === mostRounds;
    if (own.looked || isEnd) {
      own.looked ||= whole;
      return { coins, height };
    }
  }
}

async function look(own: Looking): Promise<Look> {
  const { bitcoin, indexes, places, paid, births } = own;
  const { height } = await bitcoin.tip();
  const before = new Set(places.keys());
  const hasPlace = ({ key }: Place): boolean => before.has(nameOf(key));
  const all: Place[] = [];
  for (const branch of branches)
    all.push(...(await placesFrom(own, branch, 0, indexes.taken(branch) + (own.looked ? 1 : gap))));
  const byScript = new Map(all.map((place) => [toHex(place.script), place]));
  if (own.looked) for (const place of all) if (!hasPlace(place)) births.set(nameOf(place.key), height);
  const scriptsOf = (of: readonly Place[]): Uint8Array[] => of.map(({ script }) => script);
  const lists = [await own.listing(scriptsOf(all.filter((place) => !births.has(nameOf(place.key)))))];
  const young = all.filter((place) => births.has(nameOf(place.key)));
  // For a script that is new no block is read that is older than it (facts/faults.md 233).
  const [older, fresh] = [young.filter(hasPlace), young.filter((place) => !hasPlace(place))];
  for (const part of [older, fresh].filter(({ length }) => length > 0)) {
    const born = part.map(({ key }) => births.get(nameOf(key)) ?? 0);
    lists.push(
      await own.listing(scriptsOf(part), Math.min(...born)).catch((cause: unknown) => {
        if (!(cause instanceof PortFailure)) throw cause;
        return { coins: [], whole: false }; // somebody answers: the others were listed
      }),
    );
  }
  const whole = lists.every((list) => list.whole);
  const coins: Seen[] = [];
  const forgotten: (Seen & Pick<Place, 'key'>)[] = [];
  for (const { script, ...rest } of lists.flatMap((list) => list.coins)) {
    const place = byScript.get(toHex(script));
    if (place === undefined) continue;
    const { key } = place;
    if (key.branch === 'bitcoin-deposit') paid.add(key.index);
    const coin = { ...rest, key };
    coins.push(coin);
    // In no block it is any source's word, and would put keys out of reach (facts/faults.md 101).
    if (coin.height !== null && key.index >= indexes.taken(key.branch)) forgotten.push(coin);
  }
  // What is missing because nobody lists it was spent by nobody.
  if (whole)
    indexes.onSeen?.(
      coins.filter(({ height }) => height !== null),
      forgotten,
    );
  // A database from a backup gave these out before, and must not again.
  for (const { key } of forgotten) takeUpTo(own, key);
  return { coins, height, whole };
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
