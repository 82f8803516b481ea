import { furthest, type Clocks } from '../../domain/time.ts';
import { stopLine } from '../../legs/timelocks.ts';
import { move, type Step } from '../machine.ts';
import { whoseBatch } from '../vhtlc-target/refunding.ts';
import type { Claim, Fate, Raced } from '../vhtlc-target/terms.ts';
import { lockOf, type LightningArkadeProgress, type LightningArkadeTerms, type Locked } from './terms.ts';

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;

/** What becomes of the held payment: settled with the client's secret, cancelled once our refund is final. */
export const fate: Fate<T, Locked, P> = {
  kept: lockOf,
  claimed: (t, p, claim) => claimed(t, p, claim, {}),
  beaten: (t, p, claim) => claimed(t, p, claim, claim.is === 'fact' ? {} : { racing: true }),
  // Nobody has said whose batch it was, and the payment is about to be lost: it is settled, and whose it was is asked on.
  trusted: (t, p) => ({
    progress: { at: 'claimed', claimTxid: null, ...lockOf(p), racing: true, asked: true },
    effects: [{ do: 'hold.settle', hash: t.hash }, whoseBatch(t, p)],
    supersedes: true,
  }),
  refunded: (t, p, refundTxid) =>
    move<P>({ at: 'refunded', refundTxid, ...lockOf(p) }, { do: 'hold.cancel', hash: t.hash }),
  late,
  stays: 'The held payment stays until its preimage or our refund shows.',
};

function claimed(t: T, p: Locked, { preimage, txid }: Claim, raced: Raced): Step<P> {
  return {
    progress: { at: 'claimed', claimTxid: txid, ...lockOf(p), ...raced },
    effects: [{ do: 'hold.settle', hash: t.hash }],
    // A refund of ours that has not been sent would only race a claim that already happened.
    supersedes: true,
    learned: preimage,
  };
}

/** From the stop line on the Lightning node may give the payment back while the client can still claim. */
function late(t: T, { expiryHeight }: Locked, now: Clocks): string | null {
  const { height } = furthest(now.bitcoin);
  if (expiryHeight === undefined || height === null) return null;
  const line = stopLine(expiryHeight, t.policy);
  return height < line
    ? null
    : `The payment of this swap is surely ours only until block ${line}, and the VHTLC is neither claimed nor back: see why the Arkade operator does not refund it.`;
}
