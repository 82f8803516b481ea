import { toHex } from '../../../domain/hex.ts';
import { locktimeOf } from '../../../legs/onchain/locktime.ts';
import { clientOf } from '../../client/client.ts';
import { claimOnBitcoin } from '../../halves/bitcoin/claim/half.ts';
import { fundOverLightning } from '../../halves/lightning/invoice.ts';
import type { BitcoinLeg, LightningLeg } from '../../terms.ts';
import { order } from './order.ts';
import { restorable } from './recovered.ts';
import { terms, type TakeLightningBitcoinTerms } from './terms.ts';
import { verifyLightningBitcoin } from './verify.ts';

/** Somebody pays the provider's hold invoice, the provider pays on the Bitcoin chain, and we claim with our secret. */
export const takenLightningBitcoin = clientOf<TakeLightningBitcoinTerms, LightningLeg, BitcoinLeg>({
  direction: 'lightning-bitcoin',
  source: 'Lightning',
  target: 'Bitcoin',
  needs: ['bitcoin'],
  secret: 'ours',
  terms,
  fund: fundOverLightning,
  claim: claimOnBitcoin,
  order,
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
  restorable,
  neverRefunded:
    'There is nothing to take back: a payment over Lightning goes back by itself unless the bitcoin was claimed.',
});
