import type { BitcoinArkadeRecord } from '../../../contract/directions/bitcoin-arkade.ts';
import { toHex } from '../../../domain/hex.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { htlcScript } from '../../../legs/onchain/htlc.ts';
import { coinView } from '../../halves/bitcoin/claim/view.ts';
import { lockTxidOf } from '../../halves/arkade/fund/terms.ts';
import { common, compressed, vhtlcFields, type ViewFacts } from '../../view.ts';
import type { BitcoinArkadeProgress, BitcoinArkadeTerms } from './terms.ts';

/**
 * The wire record of a bitcoin-arkade swap (facts/clients.md 20). A wrong field here makes a client derive another
 * address: it refuses to pay, or could never take its bitcoin back.
 */
export function viewBitcoinArkade(
  facts: ViewFacts,
  t: BitcoinArkadeTerms,
  p: BitcoinArkadeProgress,
): BitcoinArkadeRecord {
  const script = htlcScript(t.htlc);
  const claim = 'claimTxid' in p ? p.claimTxid : null;
  const lock = lockTxidOf(p);
  return {
    ...common(facts),
    // There is no field for it of its own: the network's part is in it (DECISIONS.md, "Fees come from the pinned
    // side").
    fee_sats: Number(t.feeSats + t.networkFeeSats),
    source_amount: t.sourceAmount.toString(),
    source_token: bitcoinOn('Bitcoin'),
    target_amount: t.targetAmount.toString(),
    target_token: bitcoinOn('Arkade'),
    ...vhtlcFields(t.vhtlc),
    receiver_pk: compressed(t.claimKeyText),
    sender_pk: toHex(t.serverKey),
    server_vhtlc_pk: toHex(t.serverKey),
    arkade_vhtlc_address: t.address,
    btc_htlc_address: t.htlcAddress,
    btc_htlc_script_version: 1,
    btc_funding_confirmations: t.confirmations,
    ...(script.form === 'p2wsh' ? { btc_htlc_witness_script: toHex(script.witnessScript) } : {}),
    btc_refund_locktime: t.htlc.refundLocktime,
    hash_lock: toHex(t.hash),
    sats_receive: Number(t.targetAmount),
    asset_amount: Number(t.sourceAmount),
    target_arkade_address: t.targetArkadeAddress,
    ...coinView(p),
    ...(lock === undefined ? {} : { arkade_fund_txid: lock }),
    ...(claim === null ? {} : { arkade_claim_txid: claim }),
  };
}
