import type { EvmAddress } from '../../domain/evm.ts';
import { optional } from '../field.ts';
import { evmAddressField, evmChainIdField, flagField, type EvmChainId } from '../scalars.ts';
import { bridgeSourceFields, commonFields, type Bridge, type CreateCommon } from './common.ts';

/** What both creates with an EVM source carry. */
export interface CreateFromEvm extends CreateCommon {
  readonly evmChainId: EvmChainId;
  /** The ERC-20 token the user pays with, never the native coin. */
  readonly token: EvmAddress;
  /** The account that pays. */
  readonly userAddress: EvmAddress;
  readonly gasless: boolean;
  readonly bridge: Bridge | null;
}

export const fromEvmFields = {
  evm_chain_id: evmChainIdField('evm_chain_id'),
  token_address: evmAddressField('token_address', 'the ERC-20 source token'),
  user_address: evmAddressField('user_address', 'the account that sends the token'),
  gasless: optional(flagField('gasless', 'whether the service submits the funding transaction; false by default')),
  ...bridgeSourceFields,
  ...commonFields,
};
