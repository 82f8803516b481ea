import type { ArkadeEvmRecord } from '../../contract/directions/arkade-evm.ts';
import { chainIdOf, type EvmNetwork } from '../../domain/chain.ts';
import { evmChainNames } from '../../domain/evm.ts';
import { toHex } from '../../domain/hex.ts';
import { noSats } from '../../domain/money.ts';
import { bitcoinOn, type TokenInfo } from '../../domain/token.ts';
import { checksummed } from '../../legs/evm/address.ts';
import { common, compressed, vhtlcFields, type ViewFacts } from '../view.ts';
import type { ArkadeEvmProgress, ArkadeEvmTerms, RecordToken } from './terms.ts';

function tokenInfo(network: EvmNetwork, { address, decimals, symbol, name }: RecordToken): TokenInfo {
  const chain = String(chainIdOf(network)) as TokenInfo['chain'];
  return { chain, decimals, name, symbol, token_id: checksummed(address) };
}

/** The claim of our lock as far as it is known: the mined one, or the one that we sent for the client. */
function evmClaimOf(p: ArkadeEvmProgress): string | null {
  if ('redeemTxid' in p && p.redeemTxid !== undefined) return p.redeemTxid;
  if (p.at !== 'relaying' && p.at !== 'relayed') return null;
  return p.relay.by ?? p.relay.txid;
}

function evmFundOf(p: ArkadeEvmProgress): string | null {
  if ('fundTxid' in p) return p.fundTxid;
  return p.at === 'refunded' ? (p.returned?.fundTxid ?? null) : null;
}

/** The wire record of an arkade-evm swap (facts/clients.md 22). Its fee holds the network fee: the record has no field for that. */
export function viewArkadeEvm(facts: ViewFacts, t: ArkadeEvmTerms, p: ArkadeEvmProgress): ArkadeEvmRecord {
  const chainId = chainIdOf(t.network);
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
    chain: evmChainNames[chainId] ?? `Chain ${chainId}`,
    evm_chain_id: chainId,
    evm_coordinator_address: checksummed(t.contracts.coordinator),
    evm_expected_sats: t.lock.amount.toString(),
    evm_htlc_address: checksummed(t.contracts.htlc),
    evm_htlc_kind: t.contracts.kind,
    evm_htlc_version: Number(t.contracts.htlcVersion),
    evm_refund_locktime: Number(t.lock.timelock),
    server_evm_address: checksummed(t.lock.refundAddress),
    client_evm_address: checksummed(t.lock.claimAddress),
    wbtc_address: checksummed(t.lock.token),
    target_evm_address: checksummed(t.targetAddress),
    hash_lock: `0x${toHex(t.hash)}`,
    ...(evmFund === null ? {} : { evm_fund_txid: `0x${evmFund}` }),
    ...(evmClaim === null ? {} : { evm_claim_txid: `0x${evmClaim}` }),
  };
}
