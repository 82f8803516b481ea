import type { LightningArkadeRecord } from '../../../contract/directions/lightning-arkade.ts';
import { toHex } from '../../../domain/hex.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { targetView } from '../../halves/arkade/fund/view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { LightningArkadeProgress, LightningArkadeTerms } from './terms.ts';

/**
 * The wire record of a lightning-arkade swap (facts/clients.md 19). A wrong field here makes a client derive another
 * address and refuse to pay.
 */
export function viewLightningArkade(
  facts: ViewFacts,
  t: LightningArkadeTerms,
  p: LightningArkadeProgress,
): LightningArkadeRecord {
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    source_amount: t.sourceAmount.toString(),
    source_token: bitcoinOn('Lightning'),
    ...targetView(t, p, t.clientKeyText),
    arkade_vhtlc_address: t.address,
    bolt11_invoice: 'bolt11' in p ? p.bolt11 : '',
    hash_lock: `0x${toHex(t.hash)}`,
    invoice_expires_at: 'invoiceExpiresAt' in p ? p.invoiceExpiresAt : t.fundBefore,
  };
}
