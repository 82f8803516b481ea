import type { ArkadeEvmRecord } from '../../../contract/directions/arkade-evm.ts';
import { checksummed, withChecksum } from '../../../domain/evm-address.ts';
import { toHex } from '../../../domain/hex.ts';
import { noSats } from '../../../domain/money.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { evmFields, tokenInfo } from '../../halves/evm/record.ts';
import { common, compressed, vhtlcFields, type ViewFacts } from '../../view.ts';
import { hashOf } from '../../halves/evm/fund/terms.ts';
import type { ArkadeEvmProgress, ArkadeEvmTerms } from './terms.ts';

/** The claim of our lock as far as others can look it up: the mined one, or the one of ours that a node took. */
function evmClaimOf(p: ArkadeEvmProgress): string | null {
  if ('redeemTxid' in p && p.redeemTxid !== undefined) return p.redeemTxid;
  if (p.at !== 'relaying' && p.at !== 'relayed') return null;
  return hashOf(p.relay);
}

function evmFundOf(p: ArkadeEvmProgress): string | null {
  if ('fundTxid' in p) return p.fundTxid;
  return p.at === 'refunded' ? (p.returned?.fundTxid ?? null) : null;
}

/**
 * The wire record of an arkade-evm swap (facts/clients.md 22). Its fee holds the network fee: the record has no field
 * for that.
 */
export function viewArkadeEvm(facts: ViewFacts, t: ArkadeEvmTerms, p: ArkadeEvmProgress): ArkadeEvmRecord {
  const fundTxid = 'coin' in p ? p.coin.txid : 'strays' in p ? p.strays[0]?.outpoint.txid : undefined;
  const claimTxid = p.at === 'claimed' ? p.claimTxid : p.at === 'refunded' ? p.refundTxid : null;
  const surplus = 'surplus' in p ? p.surplus : noSats;
  const evmFund = evmFundOf(p);
  const evmClaim = evmClaimOf(p);
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats + t.networkFeeSats),
    source_amount: t.sourceAmount.toString(),
    source_token: bitcoinOn('Arkade'),
    target_amount: t.targetAmount.toString(),
    target_token: tokenInfo(t.network, t.target),
    ...(surplus > noSats ? { surplus_amount: surplus.toString() } : {}),
    ...vhtlcFields(t.vhtlc),
    receiver_pk: toHex(t.serverKey),
    sender_pk: compressed(t.clientKeyText),
    btc_vhtlc_address: t.address,
    ...(fundTxid === undefined ? {} : { arkade_fund_txid: fundTxid, btc_fund_txid: fundTxid }),
    ...(claimTxid === null ? {} : { arkade_claim_txid: claimTxid, btc_claim_txid: claimTxid }),
    ...evmFields({ ...t, expected: t.lock.amount, service: t.lock.refundAddress, client: t.lock.claimAddress }),
    target_evm_address: checksummed(t.targetAddress),
    ...(t.onward === undefined
      ? {}
      : { bridge_target_chain: t.onward.chain, bridge_target_token_address: withChecksum(t.onward.usdc) }),
    hash_lock: `0x${toHex(t.hash)}`,
    ...(evmFund === null ? {} : { evm_fund_txid: `0x${evmFund}` }),
    ...(evmClaim === null ? {} : { evm_claim_txid: `0x${evmClaim}` }),
  };
}
