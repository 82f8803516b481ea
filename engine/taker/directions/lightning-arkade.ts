import { lightningArkadeRecord } from '../../contract/directions/lightning-arkade.ts';
import { toHex } from '../../domain/hex.ts';
import { laterOf } from '../../domain/time.ts';
import { latestByChain } from '../../legs/timelocks.ts';
import { holdLegOf } from '../hold-invoice.ts';
import { toArkade } from '../sides/arkade.ts';
import { fromLightning } from '../sides/lightning.ts';
import { quotedFor } from '../sides/quoted.ts';
import { taken } from '../taken.ts';
import { dealt, objection, vhtlcLeg, wrongClaimDelay, wrongHash, wrongReceiver } from '../verify.ts';

/** We hold the secret, somebody pays the provider's hold invoice, and we claim what the provider locks. */
export const takenLightningArkade = taken('lightning-arkade', lightningArkadeRecord, {
  ours: 'receiver_pk',
  price: quotedFor('source'),
  source: fromLightning('Swap to Arkade'),
  target: toArkade,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    claim_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    target_arkade_address: t.targetAddress,
    user_id: t.userId,
    source_amount_sats: Number(t.sourceAmount),
    invoice_description: t.description,
  }),
  unread: 'the Bitcoin clock, by which its locktime is judged, cannot be read now',
  wrong(record, terms, now) {
    const { policy } = terms;
    const locktime = record.vhtlc_refund_locktime;
    // However late the invoice is paid: how long it lives the wall tells, when the VHTLC can be taken back the chain.
    const paidBy = latestByChain(now.bitcoin, policy) + Math.max(0, record.invoice_expires_at - now.wall);
    return (
      wrongHash(record, terms) ??
      wrongReceiver(record, terms) ??
      objection(
        locktime >= paidBy + policy.leastClaimTime,
        `its VHTLC can be taken back at ${locktime}, less than ${policy.leastClaimTime} seconds after its invoice ` +
          'may be paid',
      ) ??
      objection(
        locktime <= laterOf(now) + policy.longestLeg,
        `its VHTLC can be taken back at ${locktime} only, the payment could be held for too long`,
      ) ??
      wrongClaimDelay(record, terms)
    );
  },
  deal: (record, terms, now, decode) =>
    dealt(record, holdLegOf(record, terms, now, decode), vhtlcLeg(record, terms, 'receiver')),
});
