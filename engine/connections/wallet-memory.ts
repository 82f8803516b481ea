import type { WalletMemory } from '../adapters/arkade/operator.ts';
import { sameBytes } from '../domain/hash.ts';
import type { WalletTerms } from '../legs/arkade/vtxo.ts';
import type { Store } from '../store/store.ts';

const key = 'arkade-wallet-terms';

/**
 * An operator that changes its key at every look makes no list without an end. What holds a coin on record is never
 * cut.
 */
const mostKept = 32;

/**
 * Under which signers and delays the wallet has had coins or addresses: what lies there is looked for as long as there
 * is a database.
 */
export function createWalletMemory(store: Store): WalletMemory {
  const same = (a: WalletTerms, b: WalletTerms): boolean =>
    a.exitDelay === b.exitDelay && sameBytes(a.signer, b.signer);
  return {
    terms() {
      const stored = store.settings.get<readonly WalletTerms[]>(key);
      if (stored === null) return null;
      return [...store.ownCoins.terms().filter((under) => !stored.some((one) => same(one, under))), ...stored];
    },
    keep(terms) {
      store.settings.put(key, terms.slice(-mostKept));
    },
  };
}
