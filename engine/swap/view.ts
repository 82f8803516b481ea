import type { ArkadeLightningRecord, LightningArkadeRecord } from '../contract/records/arkade.ts';
import { toHex } from '../domain/hex.ts';
import type { BitcoinNetwork } from '../domain/chain.ts';
import { noSats } from '../domain/money.ts';
import type { SwapStatus } from '../domain/status.ts';
import { bitcoinOn } from '../domain/token.ts';
import type { VhtlcTerms } from '../legs/vhtlc/terms.ts';
import type { ArkadeLightningProgress, ArkadeLightningTerms } from './arkade-lightning/terms.ts';
import type { LightningArkadeProgress, LightningArkadeTerms } from './lightning-arkade/terms.ts';

/** What a record says besides terms and progress. */
export interface ViewFacts {
  readonly id: string;
  readonly createdAt: number;
  readonly status: SwapStatus;
  readonly network: BitcoinNetwork;
}

function common(facts: ViewFacts) {
  return {
    id: facts.id,
    created_at: new Date(facts.createdAt * 1_000).toISOString(),
    // The name that published clients know mainnet by (facts/clients.md 17).
    network: facts.network === 'mainnet' ? ('bitcoin' as const) : facts.network,
    status: facts.status,
  };
}

/** As every VHTLC key in a record has 33 bytes (facts/clients.md 16): one that came x-only stands for its even point (BIP-340). */
function compressed(key: string): string {
  return key.length === 64 ? `02${key}` : key;
}

function vhtlcFields(vhtlc: VhtlcTerms) {
  return {
    arkade_htlc_script_version: 1,
    arkade_server_pk: toHex(vhtlc.operator),
    unilateral_claim_delay: vhtlc.claimDelay,
    unilateral_refund_delay: vhtlc.refundDelay,
    unilateral_refund_without_receiver_delay: vhtlc.refundWithoutReceiverDelay,
    vhtlc_refund_locktime: vhtlc.refundLocktime,
  };
}

/** The wire record of a lightning-arkade swap (facts/clients.md 19). A wrong field here makes a client derive another address and refuse to pay. */
export function viewLightningArkade(facts: ViewFacts, t: LightningArkadeTerms, p: LightningArkadeProgress): LightningArkadeRecord {
  const fundTxid = 'lock' in p && p.at !== 'locking' ? p.lock.txid : undefined;
  const claimTxid = (p.at === 'claimed' || p.at === 'settled' || p.at === 'lost') && p.claimTxid !== null ? p.claimTxid : undefined;
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

/** The wire record of an arkade-lightning swap (facts/clients.md 19). */
export function viewArkadeLightning(facts: ViewFacts, t: ArkadeLightningTerms, p: ArkadeLightningProgress): ArkadeLightningRecord {
  const fundTxid = 'coin' in p ? p.coin.txid : p.at === 'stopped' ? p.strays[0]?.outpoint.txid : undefined;
  const claimTxid = p.at === 'claimed' ? p.claimTxid : p.at === 'refunded' ? p.refundTxid : null;
  const surplus = 'surplus' in p ? p.surplus : noSats;
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    source_amount: t.sourceAmount.toString(),
    source_token: bitcoinOn('Arkade'),
    target_amount: t.targetAmount.toString(),
    target_token: bitcoinOn('Lightning'),
    ...(surplus > noSats ? { surplus_amount: surplus.toString() } : {}),
    ...vhtlcFields(t.vhtlc),
    receiver_pk: toHex(t.serverKey),
    sender_pk: compressed(t.clientKeyText),
    arkade_vhtlc_address: t.address,
    client_lightning_invoice: t.bolt11,
    hash_lock: `0x${toHex(t.hash)}`,
    invoice_expires_at: t.invoiceExpiresAt,
    ...(fundTxid === undefined ? {} : { arkade_fund_txid: fundTxid }),
    ...(claimTxid === null ? {} : { arkade_claim_txid: claimTxid }),
  };
}
