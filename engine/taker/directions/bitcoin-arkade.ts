import { bitcoinArkadeRecord } from '../../contract/directions/bitcoin-arkade.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { toArkade } from '../sides/arkade.ts';
import { fromBitcoin } from '../sides/bitcoin.ts';
import { quotedFor } from '../sides/quoted.ts';
import { taken } from '../taken.ts';
import { keyIn, objection } from '../verify.ts';

/** We pay an HTLC on the Bitcoin chain, the provider locks on Arkade, and our claim there shows it the secret. */
export const takenBitcoinArkade = taken('bitcoin-arkade', bitcoinArkadeRecord, {
  ours: 'receiver_pk',
  price: quotedFor('target'),
  source: fromBitcoin('server_vhtlc_pk'),
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
  wrong: (record, terms) =>
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
    objection(sameBytes(keyIn(record.server_vhtlc_pk), keyIn(record.sender_pk)), 'its two keys are not the same'),
});
