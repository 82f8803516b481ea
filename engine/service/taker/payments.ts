import { createHash } from 'node:crypto';
import type { ServiceContext } from '../context.ts';

/**
 * The payment of a swap is the job of this id, so that there can be no second one, whoever asks and wherever the node
 * dies. Another try has an id of its own, and exists only once the one before it failed with nothing ever signed.
 */
function jobId(swap: string, tried: number): string {
  const hex = createHash('sha256').update(`pay ${swap} ${tried}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** The id of the next try; null while one may have paid. */
export function nextPayment({ runtime: { store } }: Pick<ServiceContext, 'runtime'>, swap: string): string | null {
  for (let tried = 0; ; tried++) {
    const id = jobId(swap, tried);
    const before = store.swaps.head(id);
    if (before === null) return id;
    if (before.at !== 'failed' || store.transactions.of(id).length > 0) return null;
  }
}
