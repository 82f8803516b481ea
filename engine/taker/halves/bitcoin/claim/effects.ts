import type { OnlyIf } from '../../../../legs/only-if.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { claimUntil } from '../../../../legs/timelocks.ts';
import type { Effect } from '../../../../swap/machine.ts';
import type { BitcoinLeg } from '../../../terms.ts';
import type { Given } from '../../claim.ts';
import type { BitcoinClaimTerms, Claiming } from './terms.ts';

/** One claim, with what it hangs on. */
export interface Claim extends Given {
  readonly t: BitcoinClaimTerms;
  /** Of the swap, at its provider. */
  readonly swapId: string;
  readonly leg: BitcoinLeg;
}

/** The secret has left us, or the provider took what we gave with it. */
export function isShown({ isOut }: Pick<Claim, 'isOut'>, { shown }: Pick<Claiming, 'shown'>): boolean {
  return shown || isOut;
}

/** Dearer the nearer the provider's refund comes, and never more than the coin holds. */
export function claimEffect(claim: Claim, p: Pick<Claiming, 'coin' | 'parent' | 'shown'>, leastRate = 0): Effect {
  const { t, leg } = claim;
  const { htlc: terms, script } = leg;
  const { coin, parent } = p;
  return {
    do: 'htlc.spend',
    purpose: 'claim',
    terms,
    script,
    key: { branch: 'taker', index: t.keyIndex },
    coin: coin.outpoint,
    ...(parent === undefined ? {} : { funding: parent }),
    leastRate,
    deadline: locktimeOf(terms),
    ...(isShown(claim, p) ? {} : { onlyIf: onlyIf(claim, p) }),
  };
}

/** Judged once more at the moment at which the secret leaves us, however long the node slept. */
export function onlyIf({ t: { policy }, leg, limit }: Claim, { coin }: Pick<Claiming, 'coin'>): OnlyIf {
  const { script, amount: targetAmount, htlc } = leg;
  const refundLocktime = locktimeOf(htlc);
  return {
    notAfter: claimUntil(refundLocktime, policy),
    paidOut: { script, outpoint: coin.outpoint, targetAmount, refundLocktime, policy },
    ...limit,
  };
}
