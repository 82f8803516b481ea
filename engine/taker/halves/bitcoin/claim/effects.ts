import type { OnlyIf } from '../../../../legs/only-if.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { claimUntil } from '../../../../legs/timelocks.ts';
import { spendEffect } from '../../../../swap/halves/bitcoin/taking.ts';
import type { Effect } from '../../../../swap/machine.ts';
import type { BitcoinLeg } from '../../../terms.ts';
import type { Claim } from '../../claim.ts';
import type { BitcoinClaimTerms, Claiming } from './terms.ts';

export type BitcoinClaim = Claim<BitcoinClaimTerms, BitcoinLeg>;

/** The secret has left us, or the provider took what we gave with it. */
export function isShown({ isOut }: Pick<BitcoinClaim, 'isOut'>, { shown }: Pick<Claiming, 'shown'>): boolean {
  return shown || isOut;
}

/** Dearer the nearer the provider's refund comes, and never more than the coin holds. */
export function claimEffect(
  claim: BitcoinClaim,
  p: Pick<Claiming, 'coin' | 'parent' | 'shown'>,
  leastRate = 0,
): Effect {
  const { t, deal } = claim;
  const { htlc: terms, script } = deal.target;
  const htlc = { purpose: 'claim', terms, script, key: { branch: 'taker', index: t.keyIndex } } as const;
  const spend = spendEffect(htlc, { coin: p.coin.outpoint, parent: p.parent }, locktimeOf(terms), leastRate);
  return isShown(claim, p) ? spend : { ...spend, onlyIf: onlyIf(claim, p) };
}

/** Judged once more at the moment at which the secret leaves us, however long the node slept. */
export function onlyIf({ t: { policy }, deal, limit }: BitcoinClaim, { coin }: Pick<Claiming, 'coin'>): OnlyIf {
  const { script, amount: targetAmount, htlc } = deal.target;
  const refundLocktime = locktimeOf(htlc);
  return {
    notAfter: claimUntil(refundLocktime, policy),
    paidOut: { script, outpoint: coin.outpoint, targetAmount, refundLocktime, policy },
    ...limit,
  };
}
