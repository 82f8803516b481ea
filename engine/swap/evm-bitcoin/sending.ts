import { sameBytes } from '../../domain/hash.ts';
import { whenBacking } from '../evm-source/claiming.ts';
import { depositedOf, givenBack, timelockOf, type Deposited } from '../evm-source/terms.ts';
import { type Event, type Outcome, type Step } from '../machine.ts';
import { keptEffects } from '../onchain-target/effects.ts';
import { fundingEnd, ownCoin, sameCoin } from '../onchain-target/seen.ts';
import { placedOf, type Placed } from '../onchain-target/terms.ts';
import { standing } from './coin.ts';
import type { EvmBitcoinProgress, EvmBitcoinTerms } from './terms.ts';

type P = EvmBitcoinProgress;
type T = EvmBitcoinTerms;
type Stopped = P & { at: 'stopped' };

/** Our funding is signed, and on its way unless it comes too late: it is told of once somebody shows it. */
export function whenSending(t: T, p: P & { at: 'funding' }, event: Event): Outcome<P> {
  if (event.is === 'htlc.seen') return ownCoin(p, event) === null ? 'stay' : shown(t, standing(t, p, event));
  const ended = whenFundingEnds(t, p, event);
  if (ended === null) return whenBacking(t, p, event);
  const { progress } = ended;
  return progress.at === 'stopped'
    ? { ...ended, progress }
    : { ...ended, progress: { at: 'locked', ...depositedOf(progress), ...placedOf(progress) } };
}

/** From here on somebody may have built on it: it is kept on the chain whatever becomes of the lock, and of the time. */
function shown(t: T, step: Step<P>): Step<P> {
  const { progress: p } = step;
  return p.at === 'locked' ? { ...step, interrupts: true, effects: keptEffects(t, p, null) } : step;
}

/** What becomes of the transaction that funds our coin; null for what is not about it. */
export function whenFundingEnds<S extends P & Deposited & Placed>(t: T, p: S, event: Event): Step<S | Stopped> | null {
  const end = fundingEnd(p, event);
  switch (end?.is) {
    case undefined:
      return null;
    case 'buried':
      return { progress: { ...p, buried: true }, effects: [], ledger: end.ledger };
    case 'late':
      return {
        progress: givenBack(p.at === 'funding' ? 'late' : 'wont', end.reason, p),
        effects: [],
        supersedes: true,
      };
    case 'spent':
      // Nothing that spends it can be mined any more, neither a claim nor a refund.
      return {
        progress: givenBack('wont', 'what was to fund our part was spent elsewhere', p),
        effects: [],
        supersedes: true,
        flag: 'A coin that was to fund this swap was spent by a transaction that this node did not make: see whether another program uses its wallet.',
      };
    case 'refused':
      return doubted(t, p, placedOf(p), end.reason);
  }
}

/** It may stand all the same, or come: the client refunds alone in the end, and what shows until then is looked after. */
export function doubted(t: T, p: Deposited, placed: Placed | null, reason: string): Step<Stopped> {
  return {
    progress: { ...givenBack('wont', reason, p), doubt: { deposit: p.deposit, placed } },
    effects: [],
    flag: `Whether our part of this swap is funded is not known, and its client’s refund is not signed: ${reason}. See by a block explorer whether ${t.address} was ever paid. A coin that lies there is found by itself. Where none ever came the client takes its lock back alone, from ${timelockOf(t)} (unix time) on. One that is spent shows the secret, which opens the client's lock until then: claim that by hand.`,
  };
}

/** What was in doubt stands: the swap goes on with it. */
export function whenDoubted(
  t: T,
  { doubt, ...p }: Stopped & { readonly doubt: NonNullable<Stopped['doubt']> },
  event: Event & { is: 'htlc.seen' },
): Outcome<P> {
  const { deposit, placed } = doubt;
  const coin = placed === null ? sameCoin(t, event) : ownCoin(placed, event);
  if (coin === null || (placed === null && coin.height === null)) return 'stay';
  const strays = p.strays.filter(({ key }) => !sameBytes(key, deposit.key));
  const there = placed ?? { output: coin.outpoint, funding: null, buried: true };
  return standing(t, { ...depositedOf({ ...p, deposit, strays }), ...there }, event);
}
