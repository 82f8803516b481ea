import { z } from 'zod';
import { asEvmAddress } from '../domain/evm.ts';
import { bytes } from '../legs/shape.ts';
import type { SwapContracts } from '../legs/evm/contracts.ts';
import type { RecordToken } from './evm-record.ts';

/** What a record says of contracts and tokens, in the order of its rows: of a swap that was never funded it is most of what is left. */
export type KeptContracts = readonly [
  kind: SwapContracts['kind'],
  htlc: Uint8Array,
  coordinator: Uint8Array,
  htlcVersion: string,
  coordinatorVersion: string | null,
];
export type KeptToken = readonly [address: Uint8Array, decimals: number, symbol: string, name: string];

export const keptContracts = z.tuple([z.enum(['erc20', 'native']), bytes, bytes, z.string(), z.string().nullable()]);
export const keptToken = z.tuple([bytes, z.number(), z.string(), z.string()]);

export function keepContracts(of: SwapContracts): KeptContracts {
  return [of.kind, of.htlc, of.coordinator, of.htlcVersion, of.coordinatorVersion];
}

export function contractsOf([kind, htlc, coordinator, htlcVersion, coordinatorVersion]: KeptContracts): SwapContracts {
  return { kind, htlc: asEvmAddress(htlc), coordinator: asEvmAddress(coordinator), htlcVersion, coordinatorVersion };
}

export function keepToken({ address, decimals, symbol, name }: RecordToken): KeptToken {
  return [address, decimals, symbol, name];
}

export function tokenOf([address, decimals, symbol, name]: KeptToken): RecordToken {
  return { address: asEvmAddress(address), decimals, symbol, name };
}
