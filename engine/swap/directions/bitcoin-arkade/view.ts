import type { BitcoinArkadeRecord } from '../../../contract/directions/bitcoin-arkade.ts';
import { toHex } from '../../../domain/hex.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { htlcScript } from '../../../legs/onchain/htlc.ts';
import { targetView } from '../../halves/arkade/fund/view.ts';
import { sourceView, sourceViewByHeight } from '../../halves/bitcoin/claim/view.ts';
import { common, type ViewFacts } from '../../view.ts';
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
  const { htlc } = t;
  const script = htlcScript(htlc);
  return {
    ...common(facts),
    // There is no field for it of its own: the network's part is in it (DECISIONS.md, "Fees come from the pinned
    // side").
    fee_sats: Number(t.feeSats + t.networkFeeSats),
    source_token: bitcoinOn('Bitcoin'),
    ...targetView(t, p, t.claimKeyText),
    ...(t.targetArkadeAddress === null ? {} : { target_arkade_address: t.targetArkadeAddress }),
    ...(htlc.form === 'musig' ? sourceViewByHeight(t, p) : sourceView({ ...t, htlc }, p)),
    server_vhtlc_pk: toHex(t.serverKey),
    arkade_vhtlc_address: t.address,
    ...(script.form === 'p2wsh' ? { btc_htlc_witness_script: toHex(script.witnessScript) } : {}),
    hash_lock: toHex(t.hash),
    sats_receive: Number(t.targetAmount),
    asset_amount: Number(t.sourceAmount),
  };
}
