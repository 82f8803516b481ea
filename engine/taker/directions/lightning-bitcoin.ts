import { lightningBitcoinRecord } from '../../contract/directions/lightning-bitcoin.ts';
import { isRefusal } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { holdLegOf } from '../hold-invoice.ts';
import { offeredHtlc, wrongClaimHeight, wrongTarget } from '../htlc.ts';
import { toBitcoin } from '../sides/bitcoin.ts';
import { fromLightning } from '../sides/lightning.ts';
import { quotedFor } from '../sides/quoted.ts';
import { taken } from '../taken.ts';
import { dealt, distrust, wrongHash } from '../verify.ts';

/** Somebody pays the provider's hold invoice, the provider pays on the Bitcoin chain, and we claim with our secret. */
export const takenLightningBitcoin = taken('lightning-bitcoin', lightningBitcoinRecord, {
  ours: 'btc_user_claim_pk',
  price: quotedFor('source'),
  source: fromLightning('Swap to Bitcoin'),
  target: toBitcoin,
  request: (t) => ({
    btc_htlc_script_version: 2,
    claim_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    user_id: t.userId,
    source_amount_sats: Number(t.sourceAmount),
    invoice_description: t.description,
  }),
  unread: 'the Bitcoin chain, by whose height its coin is judged, cannot be read now',
  wrong: (record, terms) => wrongHash(record, terms) ?? wrongTarget(record, terms),
  deal(record, terms, now, decode) {
    const source = holdLegOf(record, terms, now, decode);
    if (isRefusal(source)) return source;
    // However late the invoice is paid.
    const late = wrongClaimHeight(record, terms, now, Math.max(0, source.expiresAt - now.wall));
    return late === null ? dealt(record, source, offeredHtlc(record, terms, now)) : distrust(late);
  },
});
