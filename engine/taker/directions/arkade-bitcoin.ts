import { arkadeBitcoinRecord } from '../../contract/directions/arkade-bitcoin.ts';
import { toHex } from '../../domain/hex.ts';
import { expectedAt, height } from '../../domain/time.ts';
import { offeredHtlc, wrongClaimHeight, wrongTarget } from '../htlc.ts';
import { fromArkade } from '../sides/arkade.ts';
import { toBitcoin } from '../sides/bitcoin.ts';
import { quotedFor } from '../sides/quoted.ts';
import { taken } from '../taken.ts';
import { dealt, objection, vhtlcLeg, wrongHash, wrongRefundTime, wrongSender } from '../verify.ts';
import { fundingWindow } from '../window.ts';

/** We fund a VHTLC, the provider pays on the Bitcoin chain, and we claim with our secret. */
export const takenArkadeBitcoin = taken('arkade-bitcoin', arkadeBitcoinRecord, {
  ours: 'sender_pk',
  price: quotedFor('target'),
  source: fromArkade,
  target: toBitcoin,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    btc_htlc_script_version: 2,
    claim_pk: toHex(t.key),
    refund_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    user_id: t.userId,
    target_amount_sats: Number(t.targetAmount),
  }),
  unread: 'the Bitcoin chain, by whose height its coin is judged, cannot be read now',
  wrong(record, terms, now) {
    const { vhtlc_refund_locktime: locktime, btc_refund_locktime: end } = record;
    return (
      wrongHash(record, terms) ??
      wrongSender(record, terms) ??
      wrongTarget(record, terms) ??
      wrongRefundTime(record, terms, now) ??
      // However late we pay.
      wrongClaimHeight(record, terms, now, Math.max(0, fundingWindow(terms).over - now.wall)) ??
      // Ours again never before the provider's: nobody who means it offers both legs to one side.
      objection(
        terms.restored !== undefined || (expectedAt(height(end), now) ?? 0) < locktime,
        `its bitcoin can be taken back from block ${end} on only, after our own refund at ${locktime}: no provider pays that`,
      )
    );
  },
  deal: (record, terms, now) => dealt(record, vhtlcLeg(record, terms, 'sender'), offeredHtlc(record, terms, now)),
});
