import { z } from 'zod';
import type { BitcoinArkadeRecord } from '../../contract/directions/bitcoin-arkade.ts';
import { toHex } from '../../domain/hex.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { htlcScript } from '../../legs/onchain/htlc.ts';
import { locktimeOf } from '../../legs/onchain/locktime.ts';
import { safeToLockForCoin } from '../../legs/safety/lock.ts';
import { hash160, sha256, fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { fundOnArkade } from '../halves/arkade/fund/half.ts';
import { targetTerms, type ArkadeFund } from '../halves/arkade/fund/terms.ts';
import { targetView } from '../halves/arkade/fund/view.ts';
import { claimOnBitcoin } from '../halves/bitcoin/claim/half.ts';
import { sourceTerms, type OnchainClaim } from '../halves/bitcoin/claim/terms.ts';
import { sourceView, sourceViewByHeight } from '../halves/bitcoin/claim/view.ts';
import type { ProviderProgress } from '../provider/direction.ts';
import { providerOf } from '../provider/machine.ts';
import { common, type ViewFacts } from '../view.ts';

/**
 * Bitcoin to Arkade. The client pays an HTLC on the Bitcoin chain, the service locks a VHTLC under the same hash, the
 * client claims it and so reveals the secret, the service claims the bitcoin with it (facts/clients.md 2,
 * facts/onchain.md 2).
 *
 * Loses money when wrong: a VHTLC locked for a coin that is in no block, or is the client's again before the VHTLC is
 * surely ours or claimed; a bitcoin claimed after our refund of the VHTLC; a secret seen and not used.
 */
const fields = {
  ...sourceTerms,
  ...targetTerms,
  /** HASH160: of a client of ours nobody has the other form before it claims. */
  hash: hash160,
  /** SHA-256 of the secret, where the client gave that. */
  sha256: sha256.exactOptional(),
  /** The client's claim key and refund key as they were sent, for the record. */
  claimKeyText: z.string(),
  refundKeyText: z.string(),
};
export type BitcoinArkadeTerms = ValueOf<typeof fields>;
export type BitcoinArkadeProgress = ProviderProgress<OnchainClaim, ArkadeFund>;

/** What the lock hangs on, at the create and at each act. */
function lockFacts({ sourceAmount, confirmations, htlc, vhtlc }: BitcoinArkadeTerms) {
  return {
    ...{ sourceAmount, confirmations },
    refundLocktime: locktimeOf(htlc),
    lockRefundLocktime: vhtlc.refundLocktime,
  };
}

/**
 * The client pays an HTLC on the Bitcoin chain, we lock a VHTLC, and the secret of the client's claim there claims the
 * bitcoin.
 */
export const bitcoinArkade = providerOf<BitcoinArkadeTerms, OnchainClaim, ArkadeFund>({
  name: 'bitcoin-arkade',
  terms: fieldsShape(fields),
  claim: claimOnBitcoin,
  fund: fundOnArkade,
  // As the last look said; what is true when the lock is sent, its conditions say.
  judge: (t, depth, now) =>
    safeToLockForCoin({ coin: { amount: t.sourceAmount, depth }, ...lockFacts(t) }, now, t.policy),
  onlyIf: (t, { coin: outpoint }) => ({
    notAfter: t.lockBefore,
    funded: { script: t.htlcScript, outpoint, policy: t.policy, ...lockFacts(t) },
  }),
  notes: ['payment', 'refund'],
  signsRefund: ({ htlc }) => htlc.form === 'musig',
  hash160: (t) => t.hash,
  unfunded: { locktime: ({ htlc }) => locktimeOf(htlc), script: ({ script }) => script },
});

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
