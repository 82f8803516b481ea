import type { EvmAddress } from '../../domain/evm.ts';
import type { EvmSignature } from './contracts.ts';

/**
 * How published clients derived the EVM key of a swap, the newest first (facts/clients.md 13): the wallet's own
 * account, the key of the swap itself, and one below it. New swaps have the first.
 */
export const evmKeySchemes = ['wallet', 'swap', 'below-swap'] as const;
type EvmKeyScheme = (typeof evmKeySchemes)[number];

/**
 * Names one of the taker's keys on EVM chains without holding it. The key of a `wallet` is the same for every index.
 */
export interface TakerEvmKey {
  readonly scheme: EvmKeyScheme;
  readonly index: number;
}

/** The taker's accounts on EVM chains: they sign, and never send. They hang on no connection. */
export interface TakerAccounts {
  accountOf(key: TakerEvmKey): EvmAddress;
  /** A 32-byte digest: `v` 27 or 28. */
  sign(digest: Uint8Array, key: TakerEvmKey): EvmSignature;
}
