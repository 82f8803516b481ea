import { arkadeBitcoinRecord, type ArkadeBitcoinRecord } from '../../contract/directions/arkade-bitcoin.ts';
import { toHex } from '../../domain/hex.ts';
import { expectedAt, height, type ReadClocks } from '../../domain/time.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { clientOf } from '../client/client.ts';
import { fundOnArkade } from '../halves/arkade/fund/half.ts';
import { claimOnBitcoin } from '../halves/bitcoin/claim/half.ts';
import { offeredHtlc, wrongClaimHeight, wrongTarget } from '../htlc.ts';
import { arkadeFields, satsOrderFields } from '../shape.ts';
import { agreed } from '../sides/agreed.ts';
import { fromArkade } from '../sides/arkade.ts';
import { toBitcoin } from '../sides/bitcoin.ts';
import { quotedFor } from '../sides/quoted.ts';
import type { ArkadeLeg, BitcoinLeg } from '../terms.ts';
import { verifiedByChain } from '../verified.ts';
import {
  dealt,
  objection,
  vhtlcLeg,
  wrongAmounts,
  wrongFrame,
  wrongHash,
  wrongRefundTime,
  wrongSender,
  type Objection,
} from '../verify.ts';
import { fundingWindow } from '../window.ts';

/** The HTLC's claim pays its own fee. */
const fields = { ...satsOrderFields, ...arkadeFields };
export type TakeArkadeBitcoinTerms = ValueOf<typeof fields>;

/** Where we would send coins, or the sentence for which nobody is shown the address. */
export const verifyArkadeBitcoin = verifiedByChain(
  arkadeBitcoinRecord,
  'the Bitcoin chain, by whose height its coin is judged, cannot be read now',
  {
    wrong: (record, terms: TakeArkadeBitcoinTerms, now) =>
      wrongFrame(record, terms, { source: bitcoinOn('Arkade'), target: bitcoinOn('Bitcoin') }) ??
      wrongAmounts(record, terms) ??
      wrongHash(record, terms) ??
      wrongSender(record, terms) ??
      wrongTarget(record, terms) ??
      wrongTimes(record, terms, now),
    deal: (record, terms, now) => dealt(record, vhtlcLeg(record, terms, 'sender'), offeredHtlc(record, terms, now)),
  },
);

/** We fund a VHTLC, the provider pays on the Bitcoin chain, and we claim with our secret. */
export const takenArkadeBitcoin = clientOf<TakeArkadeBitcoinTerms, ArkadeLeg, BitcoinLeg>({
  secret: 'ours',
  terms: fieldsShape(fields),
  fund: fundOnArkade,
  claim: claimOnBitcoin,
  ...agreed('arkade-bitcoin', {
    record: arkadeBitcoinRecord,
    ours: 'sender_pk',
    price: quotedFor('target'),
    source: fromArkade,
    target: toBitcoin,
  }),
  request: (t) => ({
    arkade_htlc_script_version: 1,
    btc_htlc_script_version: 2,
    claim_pk: toHex(t.key),
    refund_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    user_id: t.userId,
    target_amount_sats: Number(t.targetAmount),
  }),
  verify: verifyArkadeBitcoin,
  window: fundingWindow,
});

/**
 * The provider's coin must leave us time to claim however late we pay, our coins be ours again in bounded time, and
 * never before the provider's: nobody who means it offers both legs to one side.
 */
function wrongTimes(record: ArkadeBitcoinRecord, terms: TakeArkadeBitcoinTerms, now: ReadClocks): Objection {
  const { vhtlc_refund_locktime: locktime, btc_refund_locktime: end } = record;
  return (
    wrongRefundTime(record, terms, now) ??
    wrongClaimHeight(record, terms, now, Math.max(0, fundingWindow(terms).over - now.wall)) ??
    objection(
      terms.restored !== undefined || (expectedAt(height(end), now) ?? 0) < locktime,
      `its bitcoin can be taken back from block ${end} on only, after our own refund at ${locktime}: no provider pays that`,
    )
  );
}
