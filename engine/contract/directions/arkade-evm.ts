import { z } from 'zod';
import { isRefusal } from '../../domain/errors.ts';
import { request } from '../field.ts';
import { commonRecord, vhtlcRecord, evmTargetRecord } from '../records/parts.ts';
import { collabRefundReply, delegateRefundReply } from '../records/refunds.ts';
import { collabRefundBody, delegateRefundBody } from '../requests/refunds.ts';
import { createToEvm, toEvmFields, type CreateToEvm } from '../requests/to-evm.ts';
import { refundOfSwap, route } from '../routes/route.ts';
import { keyField, scriptVersionField, type ClientKey } from '../scalars.ts';
import { hex0x, words } from '../wire.ts';
import { directionContract } from './direction.ts';

/** POST /swap/arkade/evm. */
export interface CreateArkadeEvm extends CreateToEvm {
  /** Sender of the VHTLC. */
  readonly refundKey: ClientKey;
}

const createArkadeEvm = request(
  {
    arkade_htlc_script_version: scriptVersionField('arkade_htlc_script_version'),
    refund_pk: keyField('refund_pk', "the user's refund key of the Arkade VHTLC"),
    ...toEvmFields,
  },
  (wire) => {
    const target = createToEvm(wire);
    if (isRefusal(target)) return target;
    const created: CreateArkadeEvm = { ...target, refundKey: wire.refund_pk };
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
