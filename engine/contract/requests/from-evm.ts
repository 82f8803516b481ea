import { isRefusal, type Refusal } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { optional } from '../field.ts';
import { chainAddressField, evmChainIdField, flagField, type AddressByChain, type EvmChainId } from '../scalars.ts';
import {
  bridge,
  bridgeSourceFields,
  common,
  commonFields,
  type Bridge,
  type CommonWire,
  type CreateCommon,
} from './common.ts';

/** What both creates with an EVM source carry. */
export interface CreateFromEvm extends CreateCommon {
  readonly evmChainId: EvmChainId;
  /** The ERC-20 token the user pays with; the native coin is refused with the chain (`nativeSource`). */
  readonly token: EvmAddress;
  /** The account that pays. */
  readonly userAddress: EvmAddress;
  /** The same as the request spells it. */
  readonly userText: string;
  readonly gasless: boolean;
  readonly bridge: Bridge | null;
}

export const fromEvmFields = {
  evm_chain_id: evmChainIdField('evm_chain_id'),
  token_address: chainAddressField('token_address', 'the ERC-20 source token'),
  user_address: chainAddressField('user_address', 'the account that sends the token'),
  gasless: optional(flagField('gasless', 'whether the service submits the funding transaction; false by default')),
  ...bridgeSourceFields,
  ...commonFields,
};

/** The part of a create that every EVM source has, judged as a whole. */
export function createFromEvm(
  wire: CommonWire & {
    evm_chain_id: EvmChainId;
    token_address: AddressByChain;
    user_address: AddressByChain;
    gasless?: boolean | undefined;
    bridge_source_chain?: string | undefined;
    bridge_source_token_address?: string | undefined;
  },
): CreateFromEvm | Refusal {
  const evmChainId = wire.evm_chain_id;
  const token = wire.token_address(evmChainId);
  if (isRefusal(token)) return token;
  const userAddress = wire.user_address(evmChainId);
  if (isRefusal(userAddress)) return userAddress;
  const from = bridge('source', wire.bridge_source_chain, wire.bridge_source_token_address);
  if (isRefusal(from)) return from;
  return {
    ...common(wire),
    evmChainId,
    token,
    userAddress,
    userText: wire.user_address.text,
    gasless: wire.gasless ?? false,
    bridge: from,
  };
}
