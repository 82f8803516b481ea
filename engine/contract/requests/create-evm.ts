import { isRefusal, refuse } from '../../domain/errors.ts';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import type { Sha256 } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import type { Sats, TokenAmount } from '../../domain/money.ts';
import { optional, request } from '../field.ts';
import {
  evmAddressField,
  evmChainIdField,
  flagField,
  keyField,
  satsField,
  scriptVersionField,
  sha256Field,
  unitsField,
  type ClientKey,
  type EvmChainId,
} from '../scalars.ts';
import {
  bitcoinAddress,
  bridge,
  bridgeSourceFields,
  bridgeTargetFields,
  common,
  commonFields,
  foreignAddress,
  payee,
  payeeFields,
  pin,
  refuseNativeSource,
  type Bridge,
  type CreateCommon,
  type Payee,
  type Pinned,
} from './common.ts';

/** POST /swap/arkade/evm. */
export interface CreateArkadeEvm extends CreateCommon {
  /** Sender of the VHTLC. */
  readonly refundKey: ClientKey;
  readonly hash: Sha256;
  readonly evmChainId: EvmChainId;
  /** Signs the claim of the EVM HTLC. A wrong one locks the tokens until the timeout. */
  readonly claimingAddress: EvmAddress;
  readonly token: EvmAddress;
  readonly target:
    { readonly is: 'evm'; readonly address: EvmAddress } | { readonly is: 'base58'; readonly text: string };
  readonly amount: Pinned<Sats, TokenAmount>;
  readonly gasless: boolean;
  readonly bridge: (Bridge & { readonly recipientSetup: boolean }) | null;
}

export const createArkadeEvm = request(
  {
    arkade_htlc_script_version: scriptVersionField('arkade_htlc_script_version'),
    claiming_address: evmAddressField(
      'claiming_address',
      'the account that signs the HTLC claim, on EVM also for other bridge targets',
    ),
    evm_chain_id: evmChainIdField('evm_chain_id'),
    hash_lock: sha256Field('hash_lock', "SHA-256 of the client's secret"),
    refund_pk: keyField('refund_pk', "the user's refund key of the Arkade VHTLC"),
    target_address: foreignAddress('target_address', 'the final recipient'),
    token_address: evmAddressField(
      'token_address',
      'the ERC-20 contract of the desired token; the zero address for the native coin',
    ),
    amount_in: optional(satsField('amount_in', 'the amount to send')),
    amount_out: optional(unitsField('amount_out', 'the amount to receive')),
    ...bridgeTargetFields,
    bridge_recipient_setup: optional(
      flagField('bridge_recipient_setup', "whether the recipient's token account exists"),
    ),
    gasless: optional(flagField('gasless', 'whether the service submits the claim; true by default')),
    ...commonFields,
  },
  (wire) => {
    const amount = pin(['amount_in', 'amount_out'], wire.amount_in, wire.amount_out);
    if (isRefusal(amount)) return amount;
    const onward = bridge('target', wire.bridge_target_chain, wire.bridge_target_token_address);
    if (isRefusal(onward)) return onward;
    const evm = wire.target_address.startsWith('0x');
    if (!evm && onward === null)
      return refuse(
        'invalid',
        'target_address is no EVM address, which only a bridge to another chain allows: send 0x and 40 hex digits, or name bridge_target_chain.',
      );
    const created: CreateArkadeEvm = {
      ...common(wire),
      refundKey: wire.refund_pk,
      hash: wire.hash_lock,
      evmChainId: wire.evm_chain_id,
      claimingAddress: wire.claiming_address,
      token: wire.token_address,
      target: evm
        ? { is: 'evm', address: asEvmAddress(fromHex(wire.target_address.slice(2))) }
        : { is: 'base58', text: wire.target_address },
      amount,
      gasless: wire.gasless ?? true,
      bridge: onward === null ? null : { ...onward, recipientSetup: wire.bridge_recipient_setup ?? false },
    };
    return created;
  },
);

/** What both creates with an EVM source carry. */
interface CreateFromEvm extends CreateCommon {
  readonly evmChainId: EvmChainId;
  /** The ERC-20 token the user pays with, never the native coin. */
  readonly token: EvmAddress;
  /** The account that pays. */
  readonly userAddress: EvmAddress;
  readonly gasless: boolean;
  readonly bridge: Bridge | null;
}

const fromEvmFields = {
  evm_chain_id: evmChainIdField('evm_chain_id'),
  token_address: evmAddressField('token_address', 'the ERC-20 source token'),
  user_address: evmAddressField('user_address', 'the account that sends the token'),
  gasless: optional(flagField('gasless', 'whether the service submits the funding transaction; false by default')),
  ...bridgeSourceFields,
  ...commonFields,
};

/** POST /swap/evm/lightning. */
export interface CreateEvmLightning extends CreateFromEvm {
  readonly payee: Payee<TokenAmount>;
}

export const createEvmLightning = request(
  {
    ...fromEvmFields,
    ...payeeFields,
    amount_in: optional(unitsField('amount_in', 'the source amount')),
    target_amount_sats: optional(satsField('target_amount_sats', 'the amount the recipient receives')),
  },
  (wire) => {
    const native = refuseNativeSource(wire.token_address);
    if (native !== null) return native;
    const to = payee('amount_in', { ...wire, source: wire.amount_in });
    if (isRefusal(to)) return to;
    const from = bridge('source', wire.bridge_source_chain, wire.bridge_source_token_address);
    if (isRefusal(from)) return from;
    const created: CreateEvmLightning = {
      ...common(wire),
      evmChainId: wire.evm_chain_id,
      token: wire.token_address,
      userAddress: wire.user_address,
      gasless: wire.gasless ?? false,
      bridge: from,
      payee: to,
    };
    return created;
  },
);

/** POST /swap/evm/bitcoin. */
export interface CreateEvmBitcoin extends CreateFromEvm {
  /** Claims the Taproot HTLC by its x coordinate. */
  readonly claimKey: ClientKey;
  readonly hash: Sha256;
  readonly amount: Pinned<TokenAmount, Sats>;
  readonly targetAddress: string | null;
}

export const createEvmBitcoin = request(
  {
    btc_htlc_script_version: scriptVersionField('btc_htlc_script_version'),
    claim_pk: keyField('claim_pk', "the user's Bitcoin key that claims the Taproot HTLC"),
    hash_lock: sha256Field('hash_lock', "SHA-256 of the client's secret"),
    amount_in: optional(unitsField('amount_in', 'the source amount')),
    amount_out: optional(satsField('amount_out', 'the bitcoin to receive')),
    target_address: optional(bitcoinAddress('target_address')),
    ...fromEvmFields,
  },
  (wire) => {
    const native = refuseNativeSource(wire.token_address);
    if (native !== null) return native;
    const amount = pin(['amount_in', 'amount_out'], wire.amount_in, wire.amount_out);
    if (isRefusal(amount)) return amount;
    const from = bridge('source', wire.bridge_source_chain, wire.bridge_source_token_address);
    if (isRefusal(from)) return from;
    const created: CreateEvmBitcoin = {
      ...common(wire),
      evmChainId: wire.evm_chain_id,
      token: wire.token_address,
      userAddress: wire.user_address,
      gasless: wire.gasless ?? false,
      bridge: from,
      claimKey: wire.claim_pk,
      hash: wire.hash_lock,
      amount,
      targetAddress: wire.target_address ?? null,
    };
    return created;
  },
);
