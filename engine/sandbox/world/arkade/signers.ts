import { sameBytes } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { Journal } from '../journal.ts';
import { type KeyPair, keyPair } from './key-pair.ts';

/** A signer that was replaced, as /v1/info lists it. */
export interface DeprecatedSigner {
  readonly pubkey: string;
  /** Unix seconds: until then its coins move off chain. */
  readonly cutoffDate: string;
}

/** The keys that co-sign coins: one at a time is given out, replaced ones sign on until their cutoff. */
export interface SignerBook {
  current(): KeyPair;
  /** Those that sign now. */
  valid(now: number): readonly KeyPair[];
  /** The keys that are none of the operator's, present or past. */
  others(keys: readonly Uint8Array[]): Uint8Array[];
  /** The operator's own among the keys of a leaf. */
  own(keys: readonly Uint8Array[]): KeyPair | undefined;
  deprecated(): DeprecatedSigner[];
  /** A new signer from now on; the present one stays good until `cutoff`. */
  rotate(cutoff: number): void;
}

const row = 'cutoffs';

export function openSignerBook(journal: Journal, seed: Uint8Array): SignerBook {
  const saved = new Map(journal.rows('arkade.meta')).get(row);
  const cutoffs = Array.isArray(saved) ? (saved as number[]) : [];
  const pairs = Array.from({ length: cutoffs.length + 1 }, (_, i) => signer(i));

  function signer(index: number): KeyPair {
    return keyPair(seed, index === 0 ? 'signer' : `signer ${index}`);
  }
  function own(keys: readonly Uint8Array[]): KeyPair | undefined {
    return pairs.find(({ xOnly }) => keys.some((key) => sameBytes(key, xOnly)));
  }
  return {
    current: () => pairs.at(-1) as KeyPair,
    valid: (now) => pairs.filter((_, i) => (cutoffs[i] ?? Infinity) > now),
    others: (keys) => keys.filter((key) => own([key]) === undefined),
    own,
    deprecated: () =>
      cutoffs.map((cutoff, i) => ({ pubkey: toHex((pairs[i] as KeyPair).publicKey), cutoffDate: String(cutoff) })),
    rotate(cutoff) {
      cutoffs.push(cutoff);
      journal.put('arkade.meta', row, cutoffs);
      pairs.push(signer(cutoffs.length));
    },
  };
}
