import { lightningBitcoinRecord } from '../../contract/directions/lightning-bitcoin.ts';
import { isRefusal } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { bitcoinOn } from '../../domain/token.ts';
import type { DecodeInvoice } from '../../legs/lightning/invoice.ts';
import { locktimeOf } from '../../legs/onchain/locktime.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { clientOf } from '../client/client.ts';
import { claimOnBitcoin } from '../halves/bitcoin/claim/half.ts';
import { fundOverLightning } from '../halves/lightning/invoice.ts';
import { holdLegOf } from '../hold-invoice.ts';
import { offeredHtlc, wrongClaimHeight, wrongTarget } from '../htlc.ts';
import { holdFields, satsOrderFields } from '../shape.ts';
import { agreed } from '../sides/agreed.ts';
import { toBitcoin } from '../sides/bitcoin.ts';
import { fromLightning } from '../sides/lightning.ts';
import { quotedFor } from '../sides/quoted.ts';
import type { BitcoinLeg, LightningLeg } from '../terms.ts';
import { verifiedByChain } from '../verified.ts';
import { dealt, distrust, wrongAmounts, wrongFrame, wrongHash } from '../verify.ts';

/** The HTLC's claim pays its own fee. */
const fields = { ...satsOrderFields, ...holdFields };
export type TakeLightningBitcoinTerms = ValueOf<typeof fields>;

/** What we would pay for, or the sentence for which nobody is shown the invoice. */
export const verifyLightningBitcoin = verifiedByChain(
  lightningBitcoinRecord,
  'the Bitcoin chain, by whose height its coin is judged, cannot be read now',
  {
    wrong: (record, terms: TakeLightningBitcoinTerms) =>
      wrongFrame(record, terms, { source: bitcoinOn('Lightning'), target: bitcoinOn('Bitcoin') }) ??
      wrongAmounts(record, terms) ??
      wrongHash(record, terms) ??
      wrongTarget(record, terms),
    deal(record, terms, now, decode: DecodeInvoice) {
      const source = holdLegOf(record, terms, now, decode);
      if (isRefusal(source)) return source;
      // However late the invoice is paid.
      const late = wrongClaimHeight(record, terms, now, Math.max(0, source.expiresAt - now.wall));
      if (late !== null) return distrust(late);
      return dealt(record, source, offeredHtlc(record, terms, now));
    },
  },
);

/** Somebody pays the provider's hold invoice, the provider pays on the Bitcoin chain, and we claim with our secret. */
export const takenLightningBitcoin = clientOf<TakeLightningBitcoinTerms, LightningLeg, BitcoinLeg>({
  secret: 'ours',
  terms: fieldsShape(fields),
  fund: fundOverLightning,
  claim: claimOnBitcoin,
  ...agreed('lightning-bitcoin', {
    record: lightningBitcoinRecord,
    ours: 'btc_user_claim_pk',
    price: quotedFor('source'),
    source: fromLightning('Swap to Bitcoin'),
    target: toBitcoin,
  }),
  request: (t) => ({
    btc_htlc_script_version: 2,
    claim_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    user_id: t.userId,
    source_amount_sats: Number(t.sourceAmount),
    invoice_description: t.description,
  }),
  verify: verifyLightningBitcoin,
  window: (_, { source, target }) => ({ pay: source.expiresAt, over: locktimeOf(target.htlc) }),
  neverRefunded:
    'There is nothing to take back: a payment over Lightning goes back by itself unless the bitcoin was claimed.',
});
