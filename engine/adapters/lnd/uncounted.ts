import { fromHex } from '../../domain/hex.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import { readRawTx } from '../../legs/raw-tx.ts';
import type { Transaction } from './transaction.ts';

/**
 * Outputs that lnd's list of transactions counts and its balance does not, by their place, in sats. The list goes by
 * the bare key or hash of an address, and anybody can pay to that in another form of script; what the owner sends with
 * lnd may spend some of them. The balance takes the forms of `counted` alone.
 *
 * Wrong here, and a stranger's dust is a difference in the books, which stops new swaps over Lightning.
 */
export type Uncounted = Map<string, bigint>;

type Output = Transaction['output_details'][number];

const counted: ReadonlySet<string> = new Set([
  'SCRIPT_TYPE_WITNESS_V0_PUBKEY_HASH',
  'SCRIPT_TYPE_SCRIPT_HASH',
  'SCRIPT_TYPE_WITNESS_V1_TAPROOT',
]);

export function addUncounted(uncounted: Uncounted, transactions: readonly Transaction[]): void {
  for (const one of transactions)
    for (const { output_index: vout, amount } of ours(one).filter(isUncounted))
      uncounted.set(`${one.tx_hash}:${vout}`, BigInt(amount));
}

export const ourInputs = ({ previous_outpoints: inputs }: Transaction): readonly string[] =>
  inputs.filter(({ is_our_output: isOurs }) => isOurs).map(({ outpoint }) => outpoint);

/** Places of uncounted coins that it takes beside counted ones, and of which no amount is known yet. */
export function unknownInputs(one: Transaction, uncounted: Uncounted): readonly string[] {
  const taken = uncountedInputs(one);
  return taken.length === ourInputs(one).length ? [] : taken.filter((place) => !uncounted.has(place));
}

/** Sats that a transaction brings to the balance, below zero where it takes some. */
export function broughtBy(one: Transaction, uncounted: Uncounted): bigint {
  const came = ours(one).filter(isUncounted);
  return BigInt(one.amount) - sumOf(came) + takenOf(one, uncounted);
}

/** Sats of the counted coins that go into a transaction. */
export function spentBy(one: Transaction, uncounted: Uncounted): bigint {
  return sumOf(ours(one).filter((output) => !isUncounted(output))) - broughtBy(one, uncounted);
}

/** Sats of the uncounted coins that go into it. */
function takenOf(one: Transaction, uncounted: Uncounted): bigint {
  const taken = uncountedInputs(one);
  if (taken.length > 0 && taken.length === ourInputs(one).length) return sumOf(ours(one)) - BigInt(one.amount);
  return taken.reduce((sum, place) => sum + (uncounted.get(place) ?? 0n), 0n);
}

/** Each counted form is spent by a witness; of the others lnd can spend those alone that have none. */
function uncountedInputs(one: Transaction): readonly string[] {
  const own = new Set(ourInputs(one));
  if (own.size === 0) return [];
  const inputs = readRawTx(fromHex(one.raw_tx_hex))?.inputs ?? [];
  return inputs
    .filter(({ witness }) => witness.length === 0)
    .map(outpointKey)
    .filter((place) => own.has(place));
}

function ours({ output_details: outputs }: Transaction): readonly Output[] {
  return outputs.filter(({ is_our_address: isOurs }) => isOurs);
}

const isUncounted = ({ output_type: type }: Output): boolean => !counted.has(type);

function sumOf(outputs: readonly Output[]): bigint {
  return outputs.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}
