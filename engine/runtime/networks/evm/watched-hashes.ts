import type { Sha256 } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import { nameOfWanted, type WantedLocks } from '../../../legs/evm/wanted-locks.ts';

interface Wanting {
  readonly name: string;
  readonly wanted: WantedLocks;
  swaps: number;
}

/** What the swaps that look at one HTLC want of the locks of each hash. */
export interface Watched {
  wantedOf(hash: Sha256): readonly { readonly name: string; readonly wanted: WantedLocks }[];
}

/** Several swaps may have one hash: a node that is the client of its own service has two. */
export function watchedHashes() {
  const byHash = new Map<string, Wanting[]>();

  function find(hash: Sha256, wanted: WantedLocks): Wanting | undefined {
    const name = nameOfWanted(wanted);
    return byHash.get(toHex(hash))?.find((one) => one.name === name);
  }

  return {
    wantedOf: (hash: Sha256) => byHash.get(toHex(hash)) ?? [],
    add(hash: Sha256, wanted: WantedLocks): void {
      const before = find(hash, wanted);
      if (before !== undefined) before.swaps += 1;
      else
        byHash.set(toHex(hash), [...(byHash.get(toHex(hash)) ?? []), { name: nameOfWanted(wanted), wanted, swaps: 1 }]);
    },
    remove(hash: Sha256, wanted: WantedLocks): void {
      const one = find(hash, wanted);
      if (one === undefined) return;
      one.swaps -= 1;
      if (one.swaps > 0) return;
      const left = (byHash.get(toHex(hash)) ?? []).filter((other) => other !== one);
      if (left.length > 0) byHash.set(toHex(hash), left);
      else byHash.delete(toHex(hash));
    },
    has: (hash: Sha256, wanted: WantedLocks): boolean => find(hash, wanted) !== undefined,
  };
}
