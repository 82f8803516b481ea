import { z } from 'zod';
import type { EvmNetwork } from '../../../domain/chain.ts';
import { evmChainNames, type EvmAddress } from '../../../domain/evm.ts';
import { chainIdOf } from '../../../domain/chain.ts';
import { checksummed } from '../../../domain/evm-address.ts';
import type { TokenInfo } from '../../../domain/token.ts';
import { evmAddress } from '../../../legs/evm/shape.ts';
import type { SwapContracts } from '../../../legs/evm/contracts.ts';
import type { LockTerms } from '../../../legs/evm/swap-key.ts';

/** What a record says of a token on an EVM chain; its address is zero for the native coin. */
export const recordToken = z.strictObject({
  address: evmAddress,
  decimals: z.number(),
  symbol: z.string(),
  name: z.string(),
});
export type RecordToken = Readonly<z.infer<typeof recordToken>>;

export function tokenInfo(network: EvmNetwork, { address, decimals, symbol, name }: RecordToken): TokenInfo {
  const chain = String(chainIdOf(network)) as TokenInfo['chain'];
  return { chain, decimals, name, symbol, token_id: checksummed(address) };
}

/** The client's account as its request spelled it, where not by its checksum: clients find their key by these words. */
export const clientText = z.string().exactOptional();

export function clientTextOf(address: EvmAddress, text: string): { readonly clientText?: string } {
  return text === checksummed(address) ? {} : { clientText: text };
}

/** What a record says of its lock on an EVM chain, whoever makes it (facts/clients.md 22). */
export function evmFields(t: {
  readonly network: EvmNetwork;
  readonly contracts: SwapContracts;
  readonly lock: Pick<LockTerms, 'token' | 'timelock'>;
  readonly expected: bigint;
  readonly service: EvmAddress;
  readonly client: EvmAddress;
  readonly clientText: string | undefined;
}) {
  const chainId = chainIdOf(t.network);
  return {
    chain: evmChainNames[chainId] ?? `Chain ${chainId}`,
    evm_chain_id: chainId,
    evm_coordinator_address: checksummed(t.contracts.coordinator),
    evm_expected_sats: t.expected.toString(),
    evm_htlc_address: checksummed(t.contracts.htlc),
    evm_htlc_kind: t.contracts.kind,
    evm_htlc_version: Number(t.contracts.htlcVersion),
    evm_refund_locktime: Number(t.lock.timelock),
    server_evm_address: checksummed(t.service),
    client_evm_address: t.clientText ?? checksummed(t.client),
    wbtc_address: checksummed(t.lock.token),
  };
}
