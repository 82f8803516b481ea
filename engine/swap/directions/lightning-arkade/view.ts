import type { LightningArkadeRecord } from '../../../contract/directions/lightning-arkade.ts';
import { toHex } from '../../../domain/hex.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { lockTxidOf } from '../../halves/arkade/fund/terms.ts';
import { common, compressed, vhtlcFields, type ViewFacts } from '../../view.ts';
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
  const fundTxid = lockTxidOf(p);
  const claimTxid = 'claimTxid' in p && p.claimTxid !== null ? p.claimTxid : undefined;
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    source_amount: t.sourceAmount.toString(),
    source_token: bitcoinOn('Lightning'),
    target_amount: t.targetAmount.toString(),
    target_token: bitcoinOn('Arkade'),
    ...vhtlcFields(t.vhtlc),
    receiver_pk: compressed(t.clientKeyText),
    sender_pk: toHex(t.serverKey),
    arkade_vhtlc_address: t.address,
    bolt11_invoice: 'bolt11' in p ? p.bolt11 : '',
    hash_lock: `0x${toHex(t.hash)}`,
    invoice_expires_at: 'invoiceExpiresAt' in p ? p.invoiceExpiresAt : t.fundBefore,
    target_arkade_address: t.targetArkadeAddress,
    ...(fundTxid === undefined ? {} : { arkade_fund_txid: fundTxid }),
    ...(claimTxid === undefined ? {} : { arkade_claim_txid: claimTxid }),
  };
}
