import { takerDirections, takerMachine, type EvmNetwork } from '../../../domain/chain.ts';
import { toHex } from '../../../domain/hex.ts';
import { swapKey, type LockTerms } from '../../../legs/evm/swap-key.ts';
import type { Store } from '../../../store/store.ts';
import type { WorkingSet } from '../../working-set.ts';

/** Claims of own swaps whose secret left us, and of which the chain does not show the end: each may be ours to make. */
export interface ShownClaims {
  /** Of other locks than this one. */
  beside(network: EvmNetwork, lock: LockTerms): number;
  /** It counts from this very turn on, before anything of it is saved. */
  add(lock: LockTerms): void;
}

const claiming: ReadonlySet<string> = new Set(takerDirections.filter((one) => one.endsWith('-evm')).map(takerMachine));

export function createShownClaims(of: {
  readonly workingSet: Pick<WorkingSet, 'all'>;
  readonly store: Pick<Store, 'intents' | 'nonces'>;
}): ShownClaims {
  const { workingSet, store } = of;
  const added = new Set<string>();

  function isShown(network: EvmNetwork, id: string, key: string): boolean {
    return (
      added.has(key) ||
      store.intents.has('payment', id) ||
      store.nonces.openOf(network, id).some(({ purpose }) => purpose === 'taker-claim')
    );
  }

  return {
    beside(network, lock) {
      const own = toHex(swapKey(lock));
      let count = 0;
      for (const { row, machine } of workingSet.all()) {
        const rescue = claiming.has(row.machine) ? machine.rescue?.(row.terms, row.progress) : null;
        // What its claim has judged counts before anything of it is saved, and is not shown yet by its state.
        const mayBeShown = rescue?.shown === true || row.progress.at === 'claiming';
        const claim = mayBeShown && rescue?.claim?.on === 'evm' ? rescue.claim : null;
        if (claim === null || claim.network !== network) continue;
        const key = toHex(swapKey(claim.lock));
        if (key !== own && isShown(network, row.id, key)) count += 1;
      }
      return count;
    },
    add(lock) {
      added.add(toHex(swapKey(lock)));
    },
  };
}
