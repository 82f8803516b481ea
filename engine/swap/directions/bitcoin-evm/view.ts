import type { BitcoinEvmRecord } from '../../../contract/directions/bitcoin-evm.ts';
import { xOnlyOf } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { sourceView } from '../../halves/bitcoin/claim/view.ts';
import { targetView } from '../../halves/evm/fund/view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { BitcoinEvmProgress, BitcoinEvmTerms } from './terms.ts';

/**
 * The wire record of a bitcoin-evm swap (facts/clients.md 48). Its fee holds the network fee: the record has no field
 * for that. A wrong field here makes a client derive another address: it could never take its bitcoin back.
 */
export function viewBitcoinEvm(facts: ViewFacts, t: BitcoinEvmTerms, p: BitcoinEvmProgress): BitcoinEvmRecord {
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats + t.networkFeeSats),
    source_token: bitcoinOn('Bitcoin'),
    ...sourceView(t, p),
    ...targetView(t, p),
    evm_hash_lock: `0x${toHex(t.hash)}`,
    btc_hash_lock: toHex(t.htlc.hash),
    btc_server_pk: toHex(xOnlyOf(t.htlc.claimer)),
  };
}
