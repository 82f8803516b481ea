import type { LightningBitcoinRecord } from '../../../contract/directions/lightning-bitcoin.ts';
import { toHex } from '../../../domain/hex.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { targetView } from '../../halves/bitcoin/fund/view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { LightningBitcoinProgress, LightningBitcoinTerms } from './terms.ts';

/** The wire record of a lightning-bitcoin swap. */
export function viewLightningBitcoin(
  facts: ViewFacts,
  t: LightningBitcoinTerms,
  p: LightningBitcoinProgress,
): LightningBitcoinRecord {
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    source_amount: t.sourceAmount.toString(),
    source_token: bitcoinOn('Lightning'),
    bolt11_invoice: 'bolt11' in p ? p.bolt11 : '',
    invoice_expires_at: 'invoiceExpiresAt' in p ? p.invoiceExpiresAt : t.fundBefore,
    hash_lock: `0x${toHex(t.hash)}`,
    ...targetView(t, p),
  };
}
