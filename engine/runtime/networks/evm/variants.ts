import { bytesToHex, hexToBytes, parseTransaction } from 'viem/utils';
import type { EvmNetwork } from '../../../domain/chain.ts';
import { asEvmAddress } from '../../../domain/evm.ts';
import type { EvmPurpose } from '../../../legs/evm/acts.ts';
import type { EvmTransaction } from '../../../legs/evm/port.ts';
import type { NonceRow } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';
import { placeOf, type TransactionRow } from '../../../store/transactions.ts';
import { latestOf } from '../latest.ts';
import type { Look } from './look.ts';

const starts: ReadonlySet<string> = new Set<EvmPurpose>(['lock', 'relay-fund', 'pay', 'approve', 'permit']);
const shows: ReadonlySet<string> = new Set<EvmPurpose>(['taker-claim']);

/** Whether it gives something away that nobody is owed once its time is over. */
function begins({ purpose }: Pick<NonceRow, 'purpose'>): boolean {
  return starts.has(purpose);
}

/**
 * Whether it would show a secret of ours that nobody was handed yet: the client's own claim shows it first, unless the
 * swap's provider was asked to claim.
 */
export function isFirstShown(
  { purpose, subject }: Pick<NonceRow, 'purpose' | 'subject'>,
  { intents }: Pick<Store, 'intents'>,
): boolean {
  return shows.has(purpose) && !intents.has('payment', subject);
}

/**
 * Whether nobody is handed it for the first time once its deadline is over: what only begins then, a secret that leaves
 * us for nothing, and a client's claim of what we may take back by then (facts/faults.md 126).
 */
export function tooLateToSend(
  row: NonceRow,
  { now, tip }: Pick<Look, 'now' | 'tip'>,
  store: Pick<Store, 'intents'>,
): boolean {
  const isBound = begins(row) || row.purpose === 'relay-claim' || isFirstShown(row, store);
  return isBound && isPast(row, { now, tip });
}

/** A process that was asleep goes by what the chain says now. */
export function isPast({ deadline }: Pick<NonceRow, 'deadline'>, { now, tip }: Pick<Look, 'now' | 'tip'>): boolean {
  return deadline !== null && Math.max(now, tip.time) > deadline;
}

/**
 * A claim of ours whose secret may be out and that nobody was handed in time: sent for a lock that its provider has
 * back it would show what a simulation alone may have shown (facts/faults.md 126, 170).
 */
export function doubtfulOf(
  row: NonceRow,
  look: Pick<Look, 'now' | 'tip'>,
  store: Pick<Store, 'intents' | 'transactions'>,
): TransactionRow | null {
  if (!shows.has(row.purpose) || !isPast(row, look) || isFirstShown(row, store)) return null;
  const { latest } = variantsOf(row, store);
  return latest?.state === 'prepared' && latest.purpose === row.purpose ? latest : null;
}

/** No block has it. */
export function isWaiting({ mined }: NonceRow): boolean {
  return mined === null;
}

/**
 * Everything that was signed with a nonce, in order; `latest` is what is sent now, null where nobody wants any of it.
 */
export type Variants = ReturnType<typeof readVariants>;

export function variantsOf(row: NonceRow, store: Pick<Store, 'transactions'>): Variants {
  return readVariants(store.transactions.onNonce(row));
}

/** The same for all that the chain has not finished with, read at once. */
export function allVariants(network: EvmNetwork, store: Store): (row: NonceRow) => Variants {
  const places = store.transactions.onOpenNonces(network);
  return (row) => readVariants(places.get(placeOf(row)) ?? []);
}

function readVariants(all: readonly TransactionRow[]) {
  const alive = all.filter(({ state }) => state === 'prepared' || state === 'accepted');
  return { all, latest: latestOf(alive) ?? null };
}

/** What our own signed bytes say. */
export function readTransaction(bytes: Uint8Array): EvmTransaction {
  const read = parseTransaction(bytesToHex(bytes));
  const { to, data, value, gas, nonce } = read;
  if (to === null || to === undefined) throw new Error('a transaction of ours has no address');
  const call = { to: asEvmAddress(hexToBytes(to)), value: value ?? 0n, data: hexToBytes(data ?? '0x') };
  const fees =
    read.type === 'eip1559'
      ? ({ is: 'dynamic', most: read.maxFeePerGas ?? 0n, tip: read.maxPriorityFeePerGas ?? 0n } as const)
      : ({ is: 'legacy', price: read.gasPrice ?? 0n } as const);
  return { ...call, gas: gas ?? 0n, nonce: nonce ?? 0, fees };
}
