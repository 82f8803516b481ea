import type { LightningEvmRecord } from '../../../contract/directions/lightning-evm.ts';
import { toHex } from '../../../domain/hex.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { targetView } from '../../halves/evm/fund/view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { LightningEvmProgress, LightningEvmTerms } from './terms.ts';

/**
 * The wire record of a lightning-evm swap (facts/clients.md 22). Its fee holds the network fee: the record has no field
 * for that.
 */
export function viewLightningEvm(facts: ViewFacts, t: LightningEvmTerms, p: LightningEvmProgress): LightningEvmRecord {
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats + t.networkFeeSats),
    source_amount: t.sourceAmount.toString(),
    source_token: bitcoinOn('Lightning'),
    bolt11_invoice: 'bolt11' in p ? p.bolt11 : '',
    invoice_expires_at: 'invoiceExpiresAt' in p ? p.invoiceExpiresAt : t.fundBefore,
    ...targetView(t, p),
    hash_lock: `0x${toHex(t.hash)}`,
  };
}
