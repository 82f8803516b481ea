import { sameBytes } from '../../../../domain/hash.ts';
import { sameOutpoint } from '../../../../domain/outpoint.ts';
import type { SwapStatus } from '../../../../domain/status.ts';
import type { Clocks } from '../../../../domain/time.ts';
import type { PartialPurpose } from '../../../../legs/onchain/key-spend.ts';
import { sha256Of } from '../../../../legs/secret.ts';
import { stepTo } from '../../../../swap/halves/answer.ts';
import { cosignFor, secretOf } from '../../../../swap/halves/bitcoin/cosign.ts';
import { move, type Event, type Outcome, type Step } from '../../../../swap/machine.ts';
import type { Beside } from '../../fund.ts';
import { isTogether, lockOpen, priceOf, rest } from './coins.ts';
import { signEffect } from './effects.ts';
import { baseOf, type Base, type BitcoinFunding, type BitcoinFundTerms, type PaidCoin } from './terms.ts';

/*
 * The provider claims our coin with our signature, by the key of both. It is given for the secret of the payee alone,
 * which proves that the invoice was paid: the coin is the provider's then, and the swap is done for us, whether the
 * provider uses our signature, claims by its script, or never comes for it.
 *
 * Loses money when wrong: a coin given up for a payment that was not made; one that was given up and is taken back.
 */

type T = BitcoinFundTerms;
type P = BitcoinFunding;

/** The coin for which our signature may leave us now; null where there is none, or a refund of it may be signed. */
function signable(p: P, { secret }: Pick<Beside, 'secret'>, now: Clocks): PaidCoin | null {
  if (secret !== 'payee' || p.at !== 'funded' || !isTogether(p) || lockOpen(p, now)) return null;
  const coin = priceOf(p);
  return coin?.mined === true && coin.spend === null ? coin : null;
}

/** The provider says that it claims: it is asked after that once. Null: there is nothing to sign. */
export function whenClaimed(t: T, p: P, status: SwapStatus, now: Clocks, beside: Beside): Step<P> | null {
  if (status !== 'clientredeemed' || p.signs === true) return null;
  const coin = signable(p, beside, now);
  return coin === null ? null : move<P>({ ...p, said: status, signs: true }, signEffect(t, p, coin));
}

/**
 * Our signature is about to leave us, or was noted: then the coin is given up by whatever database this is, in whatever
 * state. Null: the event is about something else.
 */
export function whenCosigned(t: T, p: P, event: Event, now: Clocks, beside: Beside): Outcome<P> | null {
  const claim = cosignFor('claim', event);
  if (claim === null) return null;
  const preimage = secretOf(p.deal.source.htlc, claim);
  const isPaid = preimage !== null && sameBytes(sha256Of(preimage), t.hash);
  if (beside.secret !== 'payee' || !isPaid || !isTogether(p)) return 'stay';
  if (claim.is === 'cosign.asked') {
    const coin = signable(p, beside, now);
    return coin !== null && sameOutpoint(coin.outpoint, claim.coin) ? stepTo<P>(p) : 'stay';
  }
  if (p.cosign !== undefined || p.at === 'lapsed') return 'stay';
  const next: Base = { ...baseOf(p), cosign: claim.coin };
  // Another coin beside it is ours, and comes back as before.
  if (p.at === 'refunding' && !sameOutpoint(p.coin, claim.coin))
    return stepTo<P>({ ...p, ...next }, { learned: preimage });
  return stepTo<P>(rest(next, 'ours'), { learned: preimage, supersedes: true });
}

/**
 * A swap that its words found again has forgotten its signatures: what takes its coin by the key of both has ours, so
 * that nobody is alarmed and nothing is left to do. Whether it was a claim or a refund the provider says, or the height
 * at which nobody waits for its word any more; until then it says nothing.
 */
export function withForgotten(t: T, p: P, event: Event, now: Clocks, { secret }: Beside): Event {
  if (event.is !== 'htlc.seen' || t.restored === undefined || secret !== 'payee') return event;
  const purpose: PartialPurpose | null =
    p.said === 'clientrefunded' ? 'refund' : redeemed.has(p.said) || lockOpen(p, now) ? 'claim' : null;
  const coins = event.coins.map((coin) => {
    const { spend } = coin;
    if (spend?.by !== 'key' || spend.purpose !== null) return coin;
    const { txid, height } = spend;
    return { ...coin, spend: purpose === null ? { txid, height, by: 'unknown' as const } : { ...spend, purpose } };
  });
  return { ...event, coins };
}

const redeemed: ReadonlySet<SwapStatus> = new Set(['clientredeemed', 'serverredeemed']);
