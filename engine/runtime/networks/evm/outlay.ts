import type { EvmNetwork } from '../../../domain/chain.ts';
import { noSats, type Sats } from '../../../domain/money.ts';
import { satsOfWeiUp } from '../../../quote/coin-price.ts';
import { gasOf } from '../../../quote/gas.ts';
import { refundToCome } from '../../../store/outlays.ts';
import type { NonceRow } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';
import type { EffectContext } from '../context.ts';
import { priceOf } from './gas.ts';
import type { Priced } from './prepare.ts';
import type { RulesOf } from './rules.ts';

/** What is sent for clients before a fee is ours. What takes our own claim is paid by the swap. */
function isUnpaid(purpose: string): boolean {
  return purpose === 'lock' || purpose === 'refund' || purpose === 'permit' || purpose.startsWith('relay-');
}

/** Nobody knows what the coin costs: counted once it was mined and somebody does. */
function worth(network: EvmNetwork, wei: bigint, evm: RulesOf): Sats {
  const { price } = evm(network);
  return price === null ? noSats : satsOfWeiUp(wei, price);
}

/** Counts what is signed as much as it may cost, in its commit; with a lock the refund that may have to follow. */
export function noteOutlay(
  { outgoing: { network, subject: swap, purpose }, gas, fees }: Priced,
  nonce: number,
  { unpaid, evm }: Pick<EffectContext, 'unpaid' | 'evm'>,
): (store: Store, now: number) => void {
  return (store, now) => {
    if (!isUnpaid(purpose)) return;
    const price = priceOf(fees);
    const at = { swap, network };
    if (purpose === 'refund') store.outlays.drop({ ...at, place: refundToCome });
    unpaid.note({ ...at, place: `${nonce}`, amount: worth(network, gas * price, evm) }, store, now);
    if (purpose !== 'lock') return;
    const refund = worth(network, gasOf.refund * price, evm);
    unpaid.note({ ...at, place: refundToCome, amount: refund }, store, now);
  };
}

/** What it came to: nothing where something else was mined in its place. */
export function settleOutlay(row: NonceRow, cost: bigint, network: EvmNetwork, evm: RulesOf, store: Store): void {
  const at = { swap: row.subject, network, place: `${row.nonce}` };
  if (isUnpaid(row.purpose)) store.outlays.cost({ ...at, amount: worth(network, cost, evm) });
}
