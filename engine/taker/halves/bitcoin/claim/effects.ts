import type { OnlyIf } from '../../../../legs/only-if.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { claimUntil } from '../../../../legs/timelocks.ts';
import type { Effect } from '../../../../swap/machine.ts';
import type { BitcoinLeg } from '../../../terms.ts';
import type { BitcoinClaimTerms, Claiming } from './terms.ts';

/** One claim, with what it hangs on. `isOut`: the provider took what we gave with our secret. */
export interface Claim {
  readonly t: BitcoinClaimTerms;
  /** Of the swap, at its provider. */
  readonly swapId: string;
  readonly leg: BitcoinLeg;
  readonly isOut: boolean;
}

/** Dearer the nearer the provider's refund comes, and never more than the coin holds. */
export function claimEffect(
  t: BitcoinClaimTerms,
  leg: BitcoinLeg,
  { coin, parent }: Pick<Claiming, 'coin' | 'parent'>,
  leastRate = 0,
): Effect {
  const { htlc: terms, script } = leg;
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
  };
}

/** Judged once more at the moment at which the secret leaves us, however long the node slept. */
export function onlyIf({ t: { policy }, leg }: Pick<Claim, 't' | 'leg'>, { coin }: Pick<Claiming, 'coin'>): OnlyIf {
  const { script, amount: targetAmount, htlc } = leg;
  const refundLocktime = locktimeOf(htlc);
  return {
    notAfter: claimUntil(refundLocktime, policy),
    paidOut: { script, outpoint: coin.outpoint, targetAmount, refundLocktime, policy },
  };
}
