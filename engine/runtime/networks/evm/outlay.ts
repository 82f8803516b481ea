import type { EvmNetwork } from '../../../domain/chain.ts';
import { noSats, type Sats } from '../../../domain/money.ts';
import { satsOfWeiUp } from '../../../quote/coin-price.ts';
import { gasOf } from '../../../quote/gas.ts';
import { refundToCome } from '../../../store/outlays.ts';
import type { NonceRow } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';
import type { EvmContext } from './context.ts';
import { priceOf } from './gas.ts';
import type { Priced } from './prepare.ts';
import type { RulesOf } from './rules.ts';

/**
 * What is sent for clients before a fee is ours, with what it needs before it. What takes our own claim is paid by the
 * swap.
 */
const unpaidFor: ReadonlySet<string> = new Set(['approve', 'lock', 'refund', 'permit']);

function isUnpaid(purpose: string): boolean {
  return unpaidFor.has(purpose) || purpose.startsWith('relay-');
}

/** Null while nobody knows what the coin costs. */
function worth(network: EvmNetwork, wei: bigint, evm: RulesOf): Sats | null {
  if (wei === 0n) return noSats;
  const { price } = evm(network);
  return price === null ? null : satsOfWeiUp(wei, price);
}

/** Counts what is signed as much as it may cost, in its commit; with a lock the refund that may have to follow. */
export function noteOutlay(
  { outgoing: { network, subject: swap, purpose }, gas, fees }: Priced,
  nonce: number,
  { unpaid, evm }: Pick<EvmContext, 'unpaid' | 'evm'>,
): (store: Pick<Store, 'outlays'>, now: number) => void {
  // Counted once it was mined and somebody knows what the coin costs.
  const signedFor = (wei: bigint): Sats => worth(network, wei, evm) ?? noSats;
  return (store, now) => {
    if (!isUnpaid(purpose)) return;
    const price = priceOf(fees);
    const at = { swap, network };
    if (purpose === 'refund') store.outlays.drop({ ...at, place: refundToCome });
    unpaid.note({ ...at, place: `${nonce}`, amount: signedFor(gas * price) }, store, now);
    if (purpose !== 'lock') return;
    const refund = signedFor(gasOf.refund * price);
    unpaid.note({ ...at, place: refundToCome, amount: refund }, store, now);
  };
}

/**
 * What it came to: nothing where something else was mined in its place, and as it was signed where nobody knows
 * (facts/faults.md 106).
 */
export function settleOutlay(row: NonceRow, cost: bigint, network: EvmNetwork, evm: RulesOf, store: Store): void {
  const at = { swap: row.subject, network, place: `${row.nonce}` };
  const amount = worth(network, cost, evm);
  if (isUnpaid(row.purpose) && amount !== null) store.outlays.cost({ ...at, amount });
}
