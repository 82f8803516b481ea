import type { EvmNetwork } from '../../../domain/chain.ts';
import { lesser, noSats, type Sats } from '../../../domain/money.ts';
import type { EvmTransaction } from '../../../legs/evm/port.ts';
import { satsOfWeiUp } from '../../../quote/coin-price.ts';
import { gasOf, lockGas } from '../../../quote/gas.ts';
import { refundToCome, relayToCome } from '../../../store/outlays.ts';
import type { NonceRow } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';
import type { EvmContext } from './context.ts';
import { priceOf } from './gas.ts';
import type { Priced } from './prepare.ts';
import type { EvmRules, RulesOf } from './rules.ts';

/**
 * What is sent for clients before a fee is ours, with what it needs before it. What takes our own claim is paid by the
 * swap.
 */
const unpaidFor: ReadonlySet<string> = new Set(['approve', 'lock', 'refund', 'permit']);

function isUnpaid(purpose: string): boolean {
  return unpaidFor.has(purpose) || purpose.startsWith('relay-');
}

/** Null while nobody knows what the coin costs. */
function worth(wei: bigint, { price }: Pick<EvmRules, 'price'>): Sats | null {
  if (wei === 0n) return noSats;
  return price === null ? null : satsOfWeiUp(wei, price);
}

/** What a lock may cost with what has to follow it; null while nobody knows what the coin costs. */
export function costOfLock(
  { outgoing: { network, subject }, gas, fees }: Priced,
  { unpaid, evm }: Pick<EvmContext, 'unpaid' | 'evm'>,
): Sats | null {
  const toCome = lockGas(unpaid.paysRelay(subject)) - gasOf.lock;
  return worth((gas + toCome) * priceOf(fees), evm(network));
}

/** What a relay of a claim may cost, of the gas that our lock counts for it. */
export function costOfRelay(
  { outgoing: { network }, gas, fees }: Priced,
  { evm }: Pick<EvmContext, 'evm'>,
): Sats | null {
  return worth(lesser(gas, gasOf.relayClaim) * priceOf(fees), evm(network));
}

/**
 * Counts what is signed as much as it may cost, in its commit; with a lock the refund that may have to follow, and the
 * relay that its client paid for (facts/faults.md 246).
 */
export function noteOutlay(
  { outgoing: { network, subject: swap, purpose }, gas, fees }: Priced,
  nonce: number,
  { unpaid, evm }: Pick<EvmContext, 'unpaid' | 'evm'>,
): (store: Pick<Store, 'outlays'>, now: number) => void {
  // Counted once it was mined and somebody knows what the coin costs.
  const signedFor = (wei: bigint): Sats => worth(wei, evm(network)) ?? noSats;
  return (store, now) => {
    if (!isUnpaid(purpose)) return;
    const price = priceOf(fees);
    const at = { swap, network };
    if (purpose === 'refund') store.outlays.drop({ ...at, place: refundToCome });
    if (purpose === 'refund' || purpose === 'relay-claim') store.outlays.drop({ ...at, place: relayToCome });
    unpaid.note({ ...at, place: `${nonce}`, amount: signedFor(gas * price) }, store, now);
    if (purpose !== 'lock') return;
    const refund = signedFor(gasOf.refund * price);
    unpaid.note({ ...at, place: refundToCome, amount: refund }, store, now);
    if (!unpaid.paysRelay(swap)) return;
    unpaid.note({ ...at, place: relayToCome, amount: signedFor(gasOf.relayClaim * price) }, store, now);
  };
}

/** The same of what is signed in its place, which is counted instead. */
export function noteVariant(
  { subject: swap, network, nonce, purpose }: Pick<NonceRow, 'subject' | 'nonce' | 'purpose'> & { network: EvmNetwork },
  { gas, fees }: Pick<EvmTransaction, 'gas' | 'fees'>,
  {
    unpaid,
    rules,
    store,
  }: { readonly store: Pick<Store, 'outlays'>; readonly rules: EvmRules } & Pick<EvmContext, 'unpaid'>,
  now: number,
): void {
  const amount = worth(gas * priceOf(fees), rules);
  if (isUnpaid(purpose) && amount !== null) unpaid.note({ swap, network, place: `${nonce}`, amount }, store, now);
}

/**
 * What it came to: nothing where something else was mined in its place, and as it was signed where nobody knows
 * (facts/faults.md 106).
 */
export function settleOutlay(row: NonceRow, cost: bigint, network: EvmNetwork, evm: RulesOf, store: Store): void {
  const at = { swap: row.subject, network, place: `${row.nonce}` };
  const amount = worth(cost, evm(network));
  if (isUnpaid(row.purpose) && amount !== null) store.outlays.cost({ ...at, amount });
}
