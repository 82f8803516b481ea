import { z } from 'zod';
import { isRefusal } from '../../domain/errors.ts';
import type { Sats } from '../../domain/money.ts';
import { optional, request } from '../field.ts';
import { bitcoinSourceRecord, commonRecord } from '../records/parts.ts';
import { common, commonFields, payee, payeeFields, type CreateCommon, type Payee } from '../requests/common.ts';
import { costs, moreOutside, route } from '../routes/route.ts';
import { flagField, keyField, satsField, scriptVersionField, type ClientKey } from '../scalars.ts';
import { hex0x, sats, unixTime, words } from '../wire.ts';
import { directionContract } from './direction.ts';

/** POST /swap/bitcoin/lightning, an extension of the published contract. */
export interface CreateBitcoinLightning extends CreateCommon {
  /** Refunds the on-chain HTLC, and is the second key of its aggregate. */
  readonly refundKey: ClientKey;
  readonly payee: Payee<Sats>;
  /** It will sign the service's claim of its coin, by the key of both: that one is waited for, and not for long. */
  readonly signsClaim: boolean;
}

const createBitcoinLightning = request(
  {
    btc_htlc_script_version: scriptVersionField('btc_htlc_script_version', 2),
    refund_pk: keyField('refund_pk', "the user's key that refunds the on-chain HTLC"),
    ...payeeFields,
    source_amount_sats: optional(satsField('source_amount_sats', 'the total to pay on chain')),
    target_amount_sats: optional(satsField('target_amount_sats', 'the amount the recipient receives')),
    signs_server_claim: optional(
      flagField('signs_server_claim', 'whether the client will sign the claim of the service, by the key of both'),
    ),
    ...commonFields,
  },
  (wire) => {
    const to = payee('source_amount_sats', { ...wire, source: wire.source_amount_sats });
    if (isRefusal(to)) return to;
    const created: CreateBitcoinLightning = {
      ...common(wire),
      refundKey: wire.refund_pk,
      payee: to,
      signsClaim: wire.signs_server_claim ?? false,
    };
    return created;
  },
);

/** What a client of bitcoin-lightning checks before it pays, and refunds from. */
export const bitcoinLightningRecord = z
  .object({
    ...commonRecord,
    ...bitcoinSourceRecord,
    client_lightning_invoice: words('Invoice that the service pays'),
    hash_lock: hex0x(32, 'Payment hash of the invoice'),
    invoice_expires_at: unixTime('When the invoice can no longer be paid'),
    network_fee_sats: sats('Flat network fee'),
  })
  .meta({ id: 'BitcoinLightningRecord', description: 'A swap from Bitcoin to Lightning' });
export type BitcoinLightningRecord = z.infer<typeof bitcoinLightningRecord>;

export const bitcoinLightning = directionContract({
  operation: 'createBitcoinLightning',
  route: route('POST', '/swap/bitcoin/lightning', {
    summary: 'Create a swap from Bitcoin to Lightning',
    body: createBitcoinLightning,
    reply: bitcoinLightningRecord,
    refusals: [400, 401, 409, 500, 503],
    more: ({ body }) => moreOutside(body.payee.is !== 'invoice', costs.create),
  }),
  keys: (request) => ({ refund_pk: request.refundKey }),
  hashOf: 'invoice',
});
