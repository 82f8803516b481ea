import { z } from 'zod';
import type { BitcoinArkadeRecord } from '../../contract/directions/bitcoin-arkade.ts';
import { toHex } from '../../domain/hex.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { htlcScript } from '../../legs/onchain/htlc.ts';
import { locktimeOf } from '../../legs/onchain/locktime.ts';
import { safeToLockForCoin } from '../../legs/safety/lock.ts';
import { hash160, sha256, fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { fundOnArkade } from '../halves/arkade/fund/half.ts';
import { targetTerms } from '../halves/arkade/fund/terms.ts';
import { targetView } from '../halves/arkade/fund/view.ts';
import { claimOnBitcoin } from '../halves/bitcoin/claim/half.ts';
import { sourceTerms, agreedCoin, coinOf } from '../halves/bitcoin/claim/terms.ts';
import { sourceView, sourceViewByHeight } from '../halves/bitcoin/claim/view.ts';
import { providerOf, type ProgressOf } from '../provider/machine.ts';
import { commonInOneFee, type ViewFacts } from '../view.ts';

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

export const bitcoinArkade = providerOf({
  name: 'bitcoin-arkade',
  terms: fieldsShape(fields),
  claim: claimOnBitcoin,
  fund: fundOnArkade,
  // As the last look said; what is true when the lock is sent, its conditions say.
  judge: (t, depth, now) =>
    safeToLockForCoin({ ...agreedCoin(t, depth), lockRefundLocktime: t.vhtlc.refundLocktime }, now, t.policy),
  onlyIf: (t, p) => ({
    notAfter: t.lockBefore,
    funded: { ...coinOf(t, p), lockRefundLocktime: t.vhtlc.refundLocktime },
  }),
  notes: ['payment', 'refund'],
  signsRefund: ({ htlc }) => htlc.form === 'musig',
  unfunded: { locktime: ({ htlc }) => locktimeOf(htlc), script: ({ script }) => script },
});
export type BitcoinArkadeTerms = ValueOf<typeof fields>;
export type BitcoinArkadeProgress = ProgressOf<typeof bitcoinArkade>;

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
    ...commonInOneFee(facts, t),
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
