import { after, isAhead, minute, type Clocks } from '../../../../domain/time.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { claimUntil, locktimePassed } from '../../../../legs/timelocks.ts';
import { whileTakingCoin, type CoinTaker } from '../../../../swap/halves/bitcoin/taking.ts';
import { takes } from '../../../../swap/halves/takes.ts';
import { move, type Effect, type Event, type Step } from '../../../../swap/machine.ts';
import { byBoth } from '../by-both.ts';
import { claimEffect, onlyIf, type BitcoinClaim } from './effects.ts';
import type { Claiming } from './terms.ts';

/*
 * The provider's coin is claimed by the key of both, where its HTLC has one: cheaper, and it looks like any payment.
 * Asking shows the provider our secret, so that it is judged as the claim itself is; the claim by the script is signed
 * and saved before, and goes out at once when there is no answer that makes a signature.
 *
 * Loses money when wrong: a claim that waits for its provider; a secret called ours that was shown.
 */

/** A provider that does not answer is waited for no longer, whatever becomes of the call. */
const patience = minute;

export function isAsking({ together }: Claiming): boolean {
  return together !== undefined && together.until !== null;
}

/** Once, before anything of ours was sent, and while there is time for the script after it. */
function mayAsk({ t: { policy }, deal, isOut }: BitcoinClaim, p: Claiming, now: Clocks): boolean {
  const { htlc } = deal.target;
  if (htlc.form !== 'musig' || htlc.provider !== 'refunder') return false;
  const claimTimePassed = locktimePassed(claimUntil(locktimeOf(htlc), policy), now.bitcoin);
  return p.together === undefined && p.spends.length === 0 && !p.shown && !isOut && !claimTimePassed;
}

export function askEffect(claim: BitcoinClaim, p: Claiming): Effect {
  const { t, deal } = claim;
  const { htlc, script } = deal.target;
  return {
    ...{ do: 'provider.cosign-htlc', purpose: 'claim', ...byBoth(t, deal, deal.target) },
    ...{ script, coin: p.coin.outpoint },
    ...(p.parent === undefined ? {} : { funding: p.parent }),
    leastRate: 0,
    deadline: locktimeOf(htlc),
    onlyIf: onlyIf(claim, p),
  };
}

/** What concerns the provider's part in it; null for any other event. */
export function whenTogether<R>(
  claim: BitcoinClaim,
  p: Claiming,
  event: Event,
  now: Clocks,
  taker: () => CoinTaker<Claiming, R>,
): Step<Claiming> | R | 'stay' | null {
  switch (event.is) {
    case 'onchain.prepared':
      if (event.purpose !== 'claim' || !takes(event, p.coin.outpoint)) return null;
      if (event.joint === true)
        // Late it changes nothing: the claim by the script is on its way.
        return isAsking(p) ? whileTakingCoin(taker(), { ...settled(p), shown: true }, event) : 'stay';
      if (isAsking(p)) return whileTakingCoin(taker(), settled(p), event);
      return mayAsk(claim, p, now) ? ask(claim, p, event, now) : null;
    case 'provider.declined':
      return isAsking(p) ? byScript(claim, { ...p, shown: true }) : 'stay';
    case 'provider.claim-withheld':
      return isAsking(p) ? byScript(claim, p) : 'stay';
    case 'clock': {
      const until = p.together?.until ?? null;
      if (until === null || isAhead(until, patience, now.wall)) return null;
      // Whether it was asked at all, the note of that says when the claim is to be sent (facts/faults.md 148).
      return { ...byScript(claim, p), supersedes: true };
    }
    default:
      return null;
  }
}

/** Nobody is waited for any more. */
export function settled(p: Claiming): Claiming {
  return isAsking(p) ? { ...p, together: { until: null } } : p;
}

/** The claim by the script is on the disk, with what made the coin; it is not sent yet. */
function ask(
  claim: BitcoinClaim,
  { halted: _, ...p }: Claiming,
  { txid, funding: parent }: Event & { is: 'onchain.prepared' },
  now: Clocks,
): Step<Claiming> {
  const next: Claiming = {
    ...p,
    spends: [...p.spends.filter((one) => one !== txid), txid],
    ...(parent === undefined ? {} : { parent }),
    together: { until: after(now.wall, patience) },
  };
  return move<Claiming>(next, askEffect(claim, next));
}

function byScript(claim: BitcoinClaim, p: Claiming): Step<Claiming> {
  return move<Claiming>(settled(p), claimEffect(claim, p));
}
