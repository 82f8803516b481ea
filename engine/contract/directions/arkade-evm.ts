import { z } from 'zod';
import { isRefusal, refuse } from '../../domain/errors.ts';
import { hasRightCase } from '../../domain/evm-address.ts';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import type { Sha256 } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import type { Sats, TokenAmount } from '../../domain/money.ts';
import { optional, request } from '../field.ts';
import { commonRecord, vhtlcRecord, evmTargetRecord } from '../records/parts.ts';
import { collabRefundReply, delegateRefundReply } from '../records/refunds.ts';
import {
  bridge,
  bridgeTargetFields,
  common,
  commonFields,
  foreignAddress,
  pin,
  type Bridge,
  type CreateCommon,
  type Pinned,
} from '../requests/common.ts';
import { collabRefundBody, delegateRefundBody } from '../requests/refunds.ts';
import { refundOfSwap, route } from '../routes/route.ts';
import {
  chainAddressField,
  evmChainIdField,
  flagField,
  keyField,
  satsField,
  scriptVersionField,
  sha256Field,
  unitsField,
  wrongCase,
  type ClientKey,
  type EvmChainId,
} from '../scalars.ts';
import { hex0x, words } from '../wire.ts';
import { directionContract } from './direction.ts';

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

const createArkadeEvm = request(
  {
    arkade_htlc_script_version: scriptVersionField('arkade_htlc_script_version'),
    claiming_address: chainAddressField(
      'claiming_address',
      'the account that signs the HTLC claim, on EVM also for other bridge targets',
    ),
    evm_chain_id: evmChainIdField('evm_chain_id'),
    hash_lock: sha256Field('hash_lock', "SHA-256 of the client's secret"),
    refund_pk: keyField('refund_pk', "the user's refund key of the Arkade VHTLC"),
    target_address: foreignAddress('target_address', 'the final recipient'),
    token_address: chainAddressField(
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
    const created: CreateArkadeEvm = {
      ...common(wire),
      refundKey: wire.refund_pk,
      hash: wire.hash_lock,
      evmChainId: chain,
      claimingAddress,
      token,
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

/** Record of Arkade to EVM. `btc_fund_txid` and `btc_claim_txid` equal their `arkade_` twins (facts/clients.md 22). */
export const arkadeEvmRecord = z
  .object({
    ...commonRecord,
    ...vhtlcRecord,
    ...evmTargetRecord,
    btc_vhtlc_address: words('VHTLC that the user funds'),
    btc_claim_txid: words('Transaction that claimed the VHTLC').optional(),
    btc_fund_txid: words('Transaction that funded the VHTLC').optional(),
    target_evm_address: words('Where the tokens go after the claim').optional(),
    hash_lock: hex0x(32, "SHA-256 of the client's secret"),
  })
  .meta({ id: 'ArkadeEvmRecord', description: 'A swap from Arkade to an EVM token' });

export type ArkadeEvmRecord = z.infer<typeof arkadeEvmRecord>;

export const arkadeEvm = directionContract({
  operation: 'createArkadeEvm',
  route: route('POST', '/swap/arkade/evm', {
    summary: 'Create a swap from Arkade to an EVM token',
    body: createArkadeEvm,
    reply: arkadeEvmRecord,
    refusals: [400, 401, 409, 500, 503],
  }),
  keys: (request) => ({ refund_pk: request.refundKey }),
  hashOf: 'preimage',
});

/**
 * Every VHTLC that a client funded is refunded under these two, whatever its direction: they are the published paths.
 */
export const arkadeEvmRefund = route('POST', '/api/swap/arkade-evm/{id}/collab-refund', {
  summary: "Countersign a client's refund of a VHTLC it funded",
  body: collabRefundBody,
  reply: collabRefundReply,
  ...refundOfSwap,
});
export const arkadeEvmDelegateRefund = route('POST', '/api/swap/arkade-evm/{id}/collab-refund-delegate', {
  summary: "Countersign a client's refund of a recoverable VHTLC through a batch",
  body: delegateRefundBody,
  reply: delegateRefundReply,
  ...refundOfSwap,
});
