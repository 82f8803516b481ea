import { z } from 'zod';
import { isRefusal } from '../../domain/errors.ts';
import type { Sats } from '../../domain/money.ts';
import { optional, request } from '../field.ts';
import { commonRecord, vhtlcRecord } from '../records/parts.ts';
import { collabRefundReply } from '../records/refunds.ts';
import { common, commonFields, payee, payeeFields, type CreateCommon, type Payee } from '../requests/common.ts';
import { collabRefundBody } from '../requests/refunds.ts';
import { costs, moreOutside, refundOfSwap, route } from '../routes/route.ts';
import { keyField, satsField, scriptVersionField, type ClientKey } from '../scalars.ts';
import { hex0x, sats, unixTime, words } from '../wire.ts';
import { directionContract } from './direction.ts';

/** POST /swap/arkade/lightning. */
export interface CreateArkadeLightning extends CreateCommon {
  /** Sender of the VHTLC, who alone can refund it. */
  readonly refundKey: ClientKey;
  readonly payee: Payee<Sats>;
}

const createArkadeLightning = request(
  {
    arkade_htlc_script_version: scriptVersionField('arkade_htlc_script_version'),
    refund_pk: keyField('refund_pk', "the user's refund key"),
    ...payeeFields,
    source_amount_sats: optional(satsField('source_amount_sats', 'the total to lock on Arkade')),
    target_amount_sats: optional(satsField('target_amount_sats', 'the amount the recipient receives')),
    ...commonFields,
  },
  (wire) => {
    const to = payee('source_amount_sats', { ...wire, source: wire.source_amount_sats });
    if (isRefusal(to)) return to;
    const created: CreateArkadeLightning = { ...common(wire), refundKey: wire.refund_pk, payee: to };
    return created;
  },
);

/** What a client of arkade-lightning checks before it funds, and refunds from (facts/clients.md 19). */
export const arkadeLightningRecord = z
  .object({
    ...commonRecord,
    ...vhtlcRecord,
    arkade_vhtlc_address: words('VHTLC that the user funds'),
    client_lightning_invoice: words('Invoice that the service pays'),
    hash_lock: hex0x(32, 'Payment hash of the invoice'),
    invoice_expires_at: unixTime('When the invoice can no longer be paid'),
    network_fee_sats: sats('Flat network fee'),
  })
  .meta({ id: 'ArkadeLightningRecord', description: 'A swap from Arkade to Lightning' });
export type ArkadeLightningRecord = z.infer<typeof arkadeLightningRecord>;

export const arkadeLightning = directionContract({
  operation: 'createArkadeLightning',
  route: route('POST', '/swap/arkade/lightning', {
    summary: 'Create a swap from Arkade to Lightning',
    body: createArkadeLightning,
    reply: arkadeLightningRecord,
    refusals: [400, 401, 409, 500, 503],
    more: ({ body }) => moreOutside(body.payee.is !== 'invoice', costs.create),
  }),
  keys: (request) => ({ refund_pk: request.refundKey }),
  hashOf: 'invoice',
});

export const arkadeLightningRefund = route('POST', '/api/swap/arkade-lightning/{id}/collab-refund', {
  summary: 'The same under the name that older clients use',
  body: collabRefundBody,
  reply: collabRefundReply,
  ...refundOfSwap,
});
