import type { BitcoinLightningRecord } from '../../../contract/directions/bitcoin-lightning.ts';
import { toHex } from '../../../domain/hex.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { sourceViewByHeight } from '../../halves/bitcoin/claim/view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { BitcoinLightningProgress, BitcoinLightningTerms } from './terms.ts';

/** The wire record of a bitcoin-lightning swap. */
export function viewBitcoinLightning(
  facts: ViewFacts,
  t: BitcoinLightningTerms,
  p: BitcoinLightningProgress,
): BitcoinLightningRecord {
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    target_amount: t.targetAmount.toString(),
    target_token: bitcoinOn('Lightning'),
    client_lightning_invoice: t.bolt11,
    hash_lock: `0x${toHex(t.hash)}`,
    invoice_expires_at: t.invoiceExpiresAt,
    ...sourceViewByHeight(t, p),
  };
}
