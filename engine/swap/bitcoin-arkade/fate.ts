import { furthest, type Clocks } from '../../domain/time.ts';
import { claimLine } from '../../legs/onchain/timelocks.ts';
import { move, type Step } from '../machine.ts';
import { claimEffect } from '../onchain-source/claiming.ts';
import { ownCoins } from '../onchain-source/terms.ts';
import { whoseBatch } from '../vhtlc-target/refunding.ts';
import { lockedCoin } from '../vhtlc-target/seen.ts';
import type { Claim, Fate, Raced, Refunding } from '../vhtlc-target/terms.ts';
import { lockOf, type BitcoinArkadeProgress, type BitcoinArkadeTerms, type Locked } from './terms.ts';

type P = BitcoinArkadeProgress;
type T = BitcoinArkadeTerms;

/** What becomes of the client's bitcoin: claimed with its secret, left to it once our refund is final. */
export const fate: Fate<T, Locked, P> = {
  kept: lockOf,
  claimed: (t, p, claim) => claimed(t, p, claim, {}),
  beaten,
  // Nobody has said whose batch it was, and the bitcoin is about to be lost: it is claimed, and whose it was is asked on.
  trusted: (t, p, event) =>
    lockedCoin(p, event)?.spend !== 'hidden'
      ? null
      : {
          progress: claiming(p, null, { racing: true, asked: true }),
          effects: [claimEffect(t, p), whoseBatch(t, p)],
          supersedes: true,
        },
  refunded: (t, p, refundTxid) =>
    move<P>({
      at: 'returned',
      reason: 'the VHTLC was not claimed in time',
      fundTxid: p.lock.txid,
      refundTxid,
      strays: ownCoins(t, p),
    }),
  late,
  stays: 'The bitcoin stays where it is until its secret or our refund shows.',
};

function claiming(p: Locked, claimTxid: Claim['txid'], raced: Raced): P {
  return { at: 'claiming', spends: [], mined: null, claimTxid, ...lockOf(p), ...raced };
}

function claimed(t: T, p: Locked, { preimage, txid }: Claim, raced: Raced): Step<P> {
  return {
    progress: claiming(p, txid, raced),
    effects: [claimEffect(t, p)],
    // A refund of ours that has not been sent would only race a claim that already happened.
    supersedes: true,
    learned: preimage,
  };
}

/**
 * Until its claim is a fact the client may lose the VHTLC to our refund, and then its bitcoin is its own: the secret is saved and opens nothing
 * before that is decided. Of a claim on the chain that may be too late: it is believed while the bitcoin is still ours to claim.
 */
function beaten(t: T, p: Refunding<Locked>, claim: Claim, now: Clocks): Step<P> | null {
  if (claim.is === 'fact') return claimed(t, p, claim, {});
  if (claim.is === 'on-chain' && late(t, p, now) !== null) return claimed(t, p, claim, { racing: true });
  return p.told === true ? null : { progress: { ...p, told: true }, effects: [], learned: claim.preimage };
}

function late(t: T, _: Locked, now: Clocks): string | null {
  const { mtp } = furthest(now.bitcoin);
  const line = claimLine(t.htlc.refundLocktime, t.policy);
  return mtp === null || mtp <= line
    ? null
    : `The bitcoin of this swap is surely ours only until median time past is ${line}, and the VHTLC is neither claimed nor back: see why the Arkade operator does not refund it.`;
}
