import type { ArkadeEvmRecord } from '../../../contract/directions/arkade-evm.ts';
import { toHex } from '../../../domain/hex.ts';
import { noSats } from '../../../domain/money.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { targetView } from '../../halves/evm/fund/view.ts';
import { common, compressed, vhtlcFields, type ViewFacts } from '../../view.ts';
import type { ArkadeEvmProgress, ArkadeEvmTerms } from './terms.ts';

/**
 * The wire record of an arkade-evm swap (facts/clients.md 22). Its fee holds the network fee: the record has no field
 * for that.
 */
export function viewArkadeEvm(facts: ViewFacts, t: ArkadeEvmTerms, p: ArkadeEvmProgress): ArkadeEvmRecord {
  const fundTxid = 'coin' in p ? p.coin.txid : 'extras' in p ? p.extras[0]?.outpoint.txid : undefined;
  const claimTxid = p.at === 'claimed' ? p.claimTxid : p.at === 'refunded' ? p.refundTxid : null;
  const surplus = 'surplus' in p ? p.surplus : noSats;
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats + t.networkFeeSats),
    source_amount: t.sourceAmount.toString(),
    source_token: bitcoinOn('Arkade'),
    ...(surplus > noSats ? { surplus_amount: surplus.toString() } : {}),
    ...vhtlcFields(t.vhtlc),
    receiver_pk: toHex(t.serverKey),
    sender_pk: compressed(t.clientKeyText),
    btc_vhtlc_address: t.address,
    ...(fundTxid === undefined ? {} : { arkade_fund_txid: fundTxid, btc_fund_txid: fundTxid }),
    ...(claimTxid === null ? {} : { arkade_claim_txid: claimTxid, btc_claim_txid: claimTxid }),
    ...targetView(t, p),
    hash_lock: `0x${toHex(t.hash)}`,
  };
}
