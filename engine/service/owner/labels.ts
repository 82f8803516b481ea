import type { SwapLabel } from '../../contract/owner/labels.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import type { ServiceContext } from '../context.ts';

/** Keeps the owner's words for a swap or a job of a wallet, beside it: the swap itself is not touched. */
export function labelSwap({ runtime: { store } }: ServiceContext, id: string, given: SwapLabel): SwapLabel | Refusal {
  if (store.swaps.head(id) === null) return refuse('unknown-swap', 'No swap has this id.');
  store.labels.put(id, given);
  return store.labels.of(id);
}
