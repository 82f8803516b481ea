import { bytesToHex, hexToBytes, parseTransaction } from 'viem/utils';
import type { EvmNetwork } from '../../../domain/chain.ts';
import { asEvmAddress } from '../../../domain/evm.ts';
import type { EvmPurpose } from '../../../legs/evm/acts.ts';
import type { EvmTransaction } from '../../../legs/evm/port.ts';
import type { NonceRow } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';
import { placeOf, type TransactionRow } from '../../../store/transactions.ts';

const starts: ReadonlySet<string> = new Set<EvmPurpose>(['lock', 'relay-fund', 'pay', 'approve', 'permit']);

/** Whether it gives something away that nobody is owed once its time is over. */
export function begins({ purpose }: { readonly purpose: string }): boolean {
  return starts.has(purpose);
}

/**
 * Everything that was signed with a nonce, in order; `latest` is what is sent now, null where nobody wants any of it.
 */
export type Variants = ReturnType<typeof readVariants>;

export function variantsOf(row: NonceRow, store: Pick<Store, 'transactions'>): Variants {
  return readVariants(row, store.transactions.onNonce(row));
}

/** The same for all that the chain has not finished with, read at once. */
export function allVariants(network: EvmNetwork, store: Store): (row: NonceRow) => Variants {
  const places = store.transactions.onOpenNonces(network);
  return (row) => readVariants(row, places.get(placeOf(row)) ?? []);
}

function readVariants(row: NonceRow, all: readonly TransactionRow[]) {
  const alive = all.filter(({ state }) => state === 'prepared' || state === 'accepted');
  const replaced = new Set(alive.map(({ replaces }) => replaces));
  const latest: TransactionRow | null = alive.find(({ txid }) => !replaced.has(txid)) ?? null;
  return { all, latest, begins: begins(row) };
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
