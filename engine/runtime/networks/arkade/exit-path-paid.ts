import { less, noSats, plus, type Sats } from '../../../domain/money.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import type { Store } from '../../../store/store.ts';
import { bitcoinOf, type Ports } from '../../ports.ts';
import { paidBy, takenBy, tipNow } from '../onchain/transactions.ts';

/** What was paid on the way of a coin, and is mined. */
interface Paid {
  readonly txid: Txid;
  readonly fee: Sats;
  /** A split alone may be younger than the coin. */
  readonly isBuried: boolean;
}

export function sumOf(of: readonly Paid[]): Sats {
  return of.reduce((sum, { fee }) => plus(sum, fee), noSats);
}

/** The children that a job paid by, and splits of a coin that paid for them. */
export async function minedChildren(
  job: string,
  { ports, store }: { readonly ports: Pick<Ports, 'bitcoin'>; readonly store: Pick<Store, 'transactions'> },
): Promise<Paid[]> {
  const bitcoin = bitcoinOf(ports);
  const height = (await tipNow({ ports }))?.height ?? null;
  const mined: Paid[] = [];
  for (const { txid, purpose, state } of store.transactions.of(job)) {
    if ((purpose !== 'unroll' && purpose !== 'split') || state === 'dead') continue;
    const there = await bitcoin.transaction(txid);
    if (there === null || there.height === null) continue;
    const taken = await takenBy(bitcoin, txid);
    const isBuried = purpose === 'unroll' || buried(there.height, height);
    mined.push({ txid, isBuried, fee: taken === null ? noSats : less(taken, await paidBy(bitcoin, txid)) });
  }
  return mined;
}
