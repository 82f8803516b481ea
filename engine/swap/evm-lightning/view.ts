import type { EvmLightningRecord } from '../../contract/directions/evm-lightning.ts';
import { toHex } from '../../domain/hex.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { evmFields, tokenInfo } from '../evm-record.ts';
import { common, type ViewFacts } from '../view.ts';
import type { EvmLightningProgress, EvmLightningTerms } from './terms.ts';

/** The transaction that made the lock: the mined one, or the one of ours that is on its way. */
function fundTxid(p: EvmLightningProgress): string | null {
  if ('deposit' in p) return p.deposit.txid;
  if (p.at === 'pending') return p.relay?.mined?.by ?? p.relay?.txid ?? null;
  return 'strays' in p ? (p.strays[0]?.txid ?? null) : null;
}

/** The wire record of an evm-lightning swap (facts/clients.md 22). What the client gave of its own token is said once it is known. */
export function viewEvmLightning(facts: ViewFacts, t: EvmLightningTerms, p: EvmLightningProgress): EvmLightningRecord {
  const fund = fundTxid(p);
  const claim = 'claimTxid' in p ? p.claimTxid : null;
  const given = 'given' in p ? p.given : null;
  const surplus = 'deposit' in p ? p.deposit.lock.amount - t.least : 0n;
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    source_amount: (given ?? t.sourceUnits).toString(),
    source_token: tokenInfo(t.network, t.source),
    target_amount: t.targetAmount.toString(),
    target_token: bitcoinOn('Lightning'),
    ...(surplus > 0n ? { surplus_amount: surplus.toString() } : {}),
    ...evmFields({ ...t, expected: t.least, service: t.lock.claimAddress, client: t.clientAddress }),
    evm_funding_confirmations: t.confirmations,
    gasless: t.gasless,
    client_lightning_invoice: t.bolt11,
    hash_lock: `0x${toHex(t.hash)}`,
    invoice_expires_at: t.invoiceExpiresAt,
    // Only the preimage proves it, and these states alone are reached with it.
    lightning_payment_settled: p.at === 'claiming' || p.at === 'claimed' || p.at === 'lost',
    ...(fund === null ? {} : { evm_fund_txid: `0x${fund}` }),
    ...(claim === null ? {} : { evm_claim_txid: `0x${claim}` }),
  };
}
