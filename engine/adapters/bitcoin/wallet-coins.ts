import type { BitcoinNetwork } from '../../domain/chain.ts';
import { toHex } from '../../domain/hex.ts';
import { addressOfScript } from '../../legs/onchain/address.ts';
import type { BitcoinPort, ChainCoin } from '../../legs/onchain/port.ts';
import { keyPathScript } from '../../legs/onchain/taproot.ts';
import type { WalletCoin } from '../../legs/onchain/wallet-port.ts';
import { xOnlyKeyOf } from '../../legs/secp256k1.ts';
import type { KeyRef } from '../../legs/signer.ts';

/** Where the wallet's keys come one after the other: for others to pay to, and for its own change (BIP-86). */
export type WalletBranch = 'bitcoin-deposit' | 'bitcoin-change';

/** Indices of keys that were shown to somebody, or used: saved before they are. */
export interface WalletIndexes {
  /** All below this one are taken. */
  taken(branch: WalletBranch): number;
  /** Takes the next one, at least `floor`. */
  take(branch: WalletBranch, floor: number): number;
}

export interface BitcoinWalletOptions {
  readonly bitcoin: BitcoinPort;
  readonly network: BitcoinNetwork;
  /** The private key, a copy. */
  readonly keys: (ref: KeyRef) => Uint8Array;
  readonly indexes: WalletIndexes;
}

export type Seen = WalletCoin & Pick<ChainCoin, 'height'>;

export interface Place {
  readonly key: { readonly branch: WalletBranch; readonly index: number };
  readonly script: Uint8Array;
  readonly address: string;
}

const branches: readonly WalletBranch[] = ['bitcoin-deposit', 'bitcoin-change'];
/** So many keys beyond the last one taken are looked at once at first: an older database does not know what it gave out (BIP-44). */
const gap = 20;

/** Keys of the wallet, one after the other, and what lies at them. */
export interface WalletCoins {
  placeOf(branch: WalletBranch, index: number): Place;
  /** Reserved ones and those in the mempool too. */
  coinsNow(): Promise<Seen[]>;
  /** One that was not paid yet, as far as the chain shows. */
  unpaid(): Promise<Place>;
}

export function walletCoins({ bitcoin, network, keys, indexes }: BitcoinWalletOptions): WalletCoins {
  const places = new Map<string, Place>();
  /** Deposit keys at which a coin was seen. */
  const paid = new Set<number>();
  /** Scripts that came up later than the first look, with the height they came up at: nobody can have paid them before. */
  const births = new Map<string, number>();
  let looked = false;

  function placeOf(branch: WalletBranch, index: number): Place {
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

  async function coinsNow(): Promise<Seen[]> {
    for (;;) {
      const before = branches.map(indexes.taken);
      const coins = await look();
      // What a database from a backup forgot may go on beyond what was found of it.
      if (looked || branches.map(indexes.taken).every((taken, i) => taken === before[i])) {
        looked = true;
        return coins;
      }
    }
  }

  async function look(): Promise<Seen[]> {
    const { height } = await bitcoin.tip();
    const before = new Set(places.keys());
    const all = branches.flatMap((branch) =>
      Array.from({ length: indexes.taken(branch) + (looked ? 1 : gap) }, (_, index) => placeOf(branch, index)),
    );
    const byScript = new Map(all.map((place) => [toHex(place.script), place]));
    if (looked) for (const key of places.keys()) if (!before.has(key)) births.set(key, height);
    const [old, young] = [
      all.filter((place) => !births.has(nameOf(place.key))),
      all.filter((place) => births.has(nameOf(place.key))),
    ];
    const scriptsOf = (of: readonly Place[]): Uint8Array[] => of.map(({ script }) => script);
    const coins = await bitcoin.coins(scriptsOf(old));
    if (young.length > 0) coins.push(...(await bitcoin.coins(scriptsOf(young), Math.min(...births.values()))));
    return coins.flatMap((coin) => {
      const place = byScript.get(toHex(coin.script));
      if (place === undefined) return [];
      const { key } = place;
      if (key.branch === 'bitcoin-deposit') paid.add(key.index);
      // A database from a backup gave this one out before, and must not again.
      if (key.index >= indexes.taken(key.branch)) indexes.take(key.branch, key.index);
      return [{ outpoint: coin.outpoint, amount: coin.amount, height: coin.height, key }];
    });
  }

  return {
    placeOf,
    coinsNow,
    async unpaid() {
      await coinsNow();
      const last = indexes.taken('bitcoin-deposit') - 1;
      return placeOf('bitcoin-deposit', last >= 0 && !paid.has(last) ? last : indexes.take('bitcoin-deposit', 0));
    },
  };
}

function nameOf({ branch, index }: Place['key']): string {
  return `${branch} ${index}`;
}
