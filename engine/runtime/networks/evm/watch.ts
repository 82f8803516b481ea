import { toHex } from '../../../domain/hex.ts';
import type { EvmWatch } from '../../../legs/evm/watch.ts';
import type { Watching } from '../watching.ts';

export const evmLockWatching: Watching<Extract<EvmWatch, { on: 'evm-lock' }>> = {
  keyOf: ({ on, network, htlc, hash }) => `${on} ${network} ${toHex(htlc)} ${toHex(hash)}`,
  open: () => null,
};

export const evmSentWatching: Watching<Extract<EvmWatch, { on: 'evm-sent' }>> = {
  keyOf: ({ on, network, txid }) => `${on} ${network} ${txid}`,
  open: () => null,
};
