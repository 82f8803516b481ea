import type { Txid } from '../../domain/outpoint.ts';
import { createSignal } from '../signal.ts';

/**
 * The transactions of ours on the chains that a node took, by its own answer. Nothing of it is stored: after a start
 * all that wait are sent again, and answered again. A name is told to nobody before a node took what it is of: whoever
 * is told looks it up at once.
 */
export interface SentMemory {
  has(txid: Txid): boolean;
  add(txid: Txid): void;
  /** It waits no more, or no node has it any more. */
  forget(txid: Txid): void;
  /** Told of each once, in the order in which they were taken. */
  on(listener: (txid: Txid) => void): () => void;
}

export function createSentMemory(): SentMemory {
  const taken = new Set<Txid>();
  const { tell, on } = createSignal<Txid>();
  return {
    has: (txid) => taken.has(txid),
    add(txid) {
      if (taken.has(txid)) return;
      taken.add(txid);
      tell(txid);
    },
    forget(txid) {
      taken.delete(txid);
    },
    on,
  };
}
