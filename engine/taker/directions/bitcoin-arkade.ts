import { bitcoinArkadeRecord } from '../../contract/directions/bitcoin-arkade.ts';
import { isRefusal } from '../../domain/errors.ts';
import { sameBytes, xOnlyOf } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { latestByChain } from '../../legs/timelocks.ts';
import { paidLegOf, paidWithin, wholeKey, wrongHtlc, wrongRefundTime } from '../paid-htlc.ts';
import { toArkade } from '../sides/arkade.ts';
import { fromBitcoin } from '../sides/bitcoin.ts';
import { quotedFor } from '../sides/quoted.ts';
import { taken } from '../taken.ts';
import { dealt, distrust, keyIn, objection, vhtlcLeg, wrongClaimDelay, wrongReceiver } from '../verify.ts';

/** We pay an HTLC on the Bitcoin chain, the provider locks on Arkade, and our claim there shows it the secret. */
export const takenBitcoinArkade = taken('bitcoin-arkade', bitcoinArkadeRecord, {
  ours: 'receiver_pk',
  price: quotedFor('target'),
  source: fromBitcoin,
  target: toArkade,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    btc_htlc_script_version: 1,
    claim_pk: toHex(t.key),
    refund_pk: toHex(t.key),
    hash_lock: toHex(hash160OfSha256(t.hash)),
    sats_receive: Number(t.targetAmount),
    target_arkade_address: t.targetAddress,
    user_id: t.userId,
  }),
  unread: 'the Bitcoin clock, by which its locktimes are judged, cannot be read now',
  wrong(record, terms, now) {
    const { policy } = terms;
    const end = record.vhtlc_refund_locktime;
    return (
      objection(
        record.target_amount === terms.targetAmount.toString(),
        `it pays out ${record.target_amount} sats, ${terms.targetAmount} were asked for`,
      ) ??
      objection(
        record.sats_receive.toString() === record.target_amount &&
          record.asset_amount.toString() === record.source_amount,
        'its amounts contradict each other',
      ) ??
      objection(record.hash_lock === toHex(hash160OfSha256(terms.hash)), 'its hash is not ours') ??
      wrongReceiver(record, terms) ??
      wrongHtlc(record) ??
      // However late in the window we pay, and however long our coin takes to be deep enough.
      objection(
        end >= latestByChain(now.bitcoin, policy) + paidWithin(record, terms) + policy.leastClaimTime,
        `its VHTLC can be taken back at ${end}, less than ${policy.leastClaimTime} seconds after the bitcoin may ` +
          'be paid and confirmed',
      ) ??
      wrongRefundTime(record, { name: 'VHTLC', end }, terms, now) ??
      wrongClaimDelay(record, terms)
    );
  },
  deal(record, terms, now) {
    const target = vhtlcLeg(record, terms, 'receiver');
    if (isRefusal(target)) return target;
    const claimer = wholeKey(record.server_vhtlc_pk);
    if (!sameBytes(xOnlyOf(claimer), keyIn(record.sender_pk))) return distrust('its two keys are not the same');
    return dealt(record, paidLegOf(record, terms, claimer, now), target);
  },
});
