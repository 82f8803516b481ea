import type { Txid } from '../../../domain/outpoint.ts';
import type { Locktime } from '../../../domain/time.ts';
import type { OnchainEffect } from '../../../legs/onchain/effects.ts';
import type { HtlcSpend } from '../../../legs/onchain/htlc-spend.ts';
import type { KeySpend } from '../../../legs/onchain/key-spend.ts';
import type { OpenJointSpend, TheirPartial } from '../../../legs/onchain/wallet-port.ts';
import type { SpendPlan } from './spend-plan.ts';

/*
 * Claims of a client's coin that its client is asked to sign with us, by the key of both. The claim by the script is
 * signed and saved by then, and goes out once this is over. Nothing of it is on a disk: whoever starts again asks
 * nobody.
 *
 * What a stranger who knows the swap's id gains by asking, our claim being in no mempool yet: a public nonce, what is
 * to be signed, and the secret. That is none since our payment settled, for each node on its way has it, or since the
 * client claimed our lock by it. With it our leaf opens to our key alone, the client's leaf opens only at its height,
 * and the key of both wants our partial signature, which never leaves: the coin is as much ours as before. However
 * often anybody asks there is one nonce, and what does not fit to it is not signed beside: it ends nothing, and is no
 * reason to wait longer.
 *
 * Loses money when wrong: a claim that waits for its client until that may take the coin back; two signatures of one
 * nonce.
 */

/**
 * In milliseconds. A client that is there hears of it at once by its socket, or within three seconds where it asks, and
 * answers by two calls, of a few seconds each through Tor.
 */
const patienceMs = 15_000;

/** A claim of which the client is asked to sign half. */
interface JointClaim {
  readonly subject: string;
  /** The one by the script, which is held until this is over. */
  readonly alone: Txid;
  readonly effect: Extract<OnchainEffect, { do: 'htlc.spend' }>;
  /** Of the effect: from then on nobody is waited for. */
  readonly asksUntil: Locktime;
  readonly plan: SpendPlan;
  readonly open: OpenJointSpend;
}

export interface JointClaims {
  /** One at a time for a swap: the next takes its place. */
  ask(claim: JointClaim): void;
  /** What the client of this swap is asked to sign; null for nothing, or nothing any more. */
  shown(subject: string): { readonly publicNonce: Uint8Array; readonly spend: KeySpend } | null;
  /** Verified before anything of ours is signed, once: what is wrong leaves everything as it was. */
  give(subject: string, theirs: TheirPartial): 'taken' | 'wrong' | 'closed';
  /** What holds the claim by this transaction back; null for nothing. */
  of(subject: string, alone: Txid): HeldClaim | null;
  /** It goes by the script, or the other way is saved. */
  end(subject: string): void;
}

interface HeldClaim extends Pick<JointClaim, 'effect' | 'plan' | 'asksUntil'> {
  readonly spend: KeySpend;
  /** Of both; null while the client gave nothing that fits. */
  readonly made: HtlcSpend | null;
  /** The client is waited for so long from now on, and no longer: 0 at the end. */
  readonly leftMs: number;
}

interface OpenClaim extends JointClaim {
  readonly until: number;
  made: HtlcSpend | null;
}

/** `now`: of a clock that nobody sets. */
export function createJointClaims(now: () => number = () => performance.now()): JointClaims {
  const bySubject = new Map<string, OpenClaim>();

  const leftOf = ({ until }: OpenClaim): number => Math.max(0, until - now());

  function asking(subject: string): OpenClaim | null {
    const claim = bySubject.get(subject);
    return claim !== undefined && claim.made === null && leftOf(claim) > 0 ? claim : null;
  }

  return {
    ask(claim) {
      // Of those that nobody ended, for what became of their coin: nothing is held by them any more.
      for (const [subject, one] of bySubject) if (leftOf(one) === 0 && one.made === null) bySubject.delete(subject);
      bySubject.set(claim.subject, { ...claim, until: now() + patienceMs, made: null });
    },
    shown(subject) {
      const claim = asking(subject);
      return claim === null ? null : { publicNonce: claim.open.publicNonce, spend: claim.open.spend };
    },
    give(subject, theirs) {
      const claim = asking(subject);
      if (claim === null) return 'closed';
      if (!claim.open.fits(theirs)) return 'wrong';
      claim.made = claim.open.join(theirs);
      if (claim.made !== null) return 'taken';
      // Its nonce is gone: the script takes the coin.
      bySubject.delete(subject);
      return 'closed';
    },
    of(subject, alone) {
      const claim = bySubject.get(subject);
      if (claim === undefined || claim.alone !== alone) return null;
      const { effect, plan, asksUntil, open, made } = claim;
      return { effect, plan, asksUntil, spend: open.spend, made, leftMs: leftOf(claim) };
    },
    end(subject) {
      bySubject.delete(subject);
    },
  };
}
