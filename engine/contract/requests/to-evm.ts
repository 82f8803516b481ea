import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { hasRightCase } from '../../domain/evm-address.ts';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import type { Sha256 } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import type { Sats, TokenAmount } from '../../domain/money.ts';
import { optional } from '../field.ts';
import {
  chainAddressField,
  evmChainIdField,
  flagField,
  satsField,
  sha256Field,
  unitsField,
  wrongCase,
  type AddressByChain,
  type EvmChainId,
} from '../scalars.ts';
import {
  bridge,
  bridgeTargetFields,
  common,
  commonFields,
  foreignAddress,
  pin,
  type Bridge,
  type CommonWire,
  type CreateCommon,
  type Pinned,
} from './common.ts';

/** What every create with an EVM target carries. */
export interface CreateToEvm extends CreateCommon {
  readonly hash: Sha256;
  readonly evmChainId: EvmChainId;
  /** Signs the claim of the EVM HTLC. A wrong one locks the tokens until the timeout. */
  readonly claimingAddress: EvmAddress;
  /** The same as the request spells it. */
  readonly claimingText: string;
  readonly token: EvmAddress;
  readonly target:
    { readonly is: 'evm'; readonly address: EvmAddress } | { readonly is: 'base58'; readonly text: string };
  readonly amount: Pinned<Sats, TokenAmount>;
  readonly gasless: boolean;
  readonly bridge: (Bridge & { readonly recipientSetup: boolean }) | null;
}

export const toEvmFields = {
  claiming_address: chainAddressField(
    'claiming_address',
    'the account that signs the HTLC claim, on EVM also for other bridge targets',
  ),
  evm_chain_id: evmChainIdField('evm_chain_id'),
  hash_lock: sha256Field('hash_lock', "SHA-256 of the client's secret"),
  target_address: foreignAddress('target_address', 'the final recipient'),
  token_address: chainAddressField(
    'token_address',
    'the ERC-20 contract of the desired token; the zero address for the native coin',
  ),
  amount_in: optional(satsField('amount_in', 'the amount to send')),
  amount_out: optional(unitsField('amount_out', 'the amount to receive')),
  ...bridgeTargetFields,
  bridge_recipient_setup: optional(flagField('bridge_recipient_setup', "whether the recipient's token account exists")),
  gasless: optional(flagField('gasless', 'whether the service submits the claim; true by default')),
  ...commonFields,
};

/** The part of a create that every EVM target has, judged as a whole. */
export function createToEvm(
  wire: CommonWire & {
    claiming_address: AddressByChain;
    evm_chain_id: EvmChainId;
    hash_lock: Sha256;
    target_address: string;
    token_address: AddressByChain;
    amount_in?: Sats | undefined;
    amount_out?: TokenAmount | undefined;
    bridge_target_chain?: string | undefined;
    bridge_target_token_address?: string | undefined;
    bridge_recipient_setup?: boolean | undefined;
    gasless?: boolean | undefined;
  },
): CreateToEvm | Refusal {
  const amount = pin(['amount_in', 'amount_out'], wire.amount_in, wire.amount_out);
  if (isRefusal(amount)) return amount;
  const onward = bridge('target', wire.bridge_target_chain, wire.bridge_target_token_address);
  if (isRefusal(onward)) return onward;
  const evm = wire.target_address.startsWith('0x');
  const chain = wire.evm_chain_id;
  const claimingAddress = wire.claiming_address(chain);
  if (isRefusal(claimingAddress)) return claimingAddress;
  const token = wire.token_address(chain);
  if (isRefusal(token)) return token;
  if (!evm && onward === null)
    return refuse(
      'invalid',
      'target_address is no EVM address, which only a bridge to another chain allows: send 0x and 40 hex ' +
        'digits, or name bridge_target_chain.',
    );
  // Over a bridge the address is on another chain, whose checksum the field has judged.
  if (evm && onward === null && !hasRightCase(wire.target_address, chain))
    return refuse(
      'invalid',
      `target_address cannot be ${wire.target_address}, ${wrongCase(chain)}: send it as its wallet shows it.`,
    );
  return {
    ...common(wire),
    hash: wire.hash_lock,
    evmChainId: chain,
    claimingAddress,
    claimingText: wire.claiming_address.text,
    token,
    target: evm
      ? { is: 'evm', address: asEvmAddress(fromHex(wire.target_address.slice(2))) }
      : { is: 'base58', text: wire.target_address },
    amount,
    gasless: wire.gasless ?? true,
    bridge: onward === null ? null : { ...onward, recipientSetup: wire.bridge_recipient_setup ?? false },
  };
}
