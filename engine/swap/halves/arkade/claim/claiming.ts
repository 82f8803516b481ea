import { sameOutpoint, type Txid } from '../../../../domain/outpoint.ts';
import type { Clocks } from '../../../../domain/time.ts';
import type { SeenCoin } from '../../../../legs/arkade/events.ts';
import { stands } from '../exit.ts';
import type { Answer, News } from '../../answer.ts';
import type { ClaimEnd } from '../../claim.ts';
import { move, type Effect, type Event, type LedgerLine, type Resumption, type EventOf } from '../../../machine.ts';
import { earned } from '../../../ledger.ts';
import { takingAnew, whenCoinSeen, whileTaking, type Taker } from '../taking.ts';
import { fundedOf, withExtras, type Claiming, type Funded, type ArkadeClaim, type SourceTerms as T } from './terms.ts';

/** The client's coin is ours, or with the client again. */
type End = News<ClaimEnd<ArkadeClaim>>;
type Moved<C> = Answer<C, ClaimEnd<ArkadeClaim>>;

function ours(t: T, p: Funded) {
  return { terms: t.vhtlc, script: t.script, key: { branch: 'swap' as const, index: t.keyIndex }, coin: p.coin };
}

/** Takes the client's coin with the preimage that was learned. */
export function claimEffect(t: T, p: Funded): Effect {
  return { do: 'vhtlc.claim', ...ours(t, p) };
}

function claimOf<C extends Claiming>(t: T): Taker<C, End> {
  return {
    purpose: 'claim',
    ours: (p) => ours(t, p),
    sent: (p) => p.claimTxid,
    withSent: (p, claimTxid) => ({ ...p, claimTxid }),
    taken: (p, txid, costs) => claimed(t, p, txid, costs),
    denied:
      'The operator reports the coin that we must claim as spent by a transaction that fits none of its leaves: ' +
      'use another operator, and bring the coin to the chain if you can: it is still claimed there.',
  };
}

/** What was given for the coin is the client's: nothing but the coin's provable end stops the claim. */
export function whenClaiming<C extends Claiming>(t: T, p: C, event: Event, now: Clocks): Moved<C> | null {
  return event.is === 'vhtlc.seen' ? whenSeen(t, p, event, now) : whileTaking(claimOf<C>(t), p, event);
}

export function resumeClaim<C extends Claiming>(t: T, p: C): Resumption<C> {
  return { progress: p, effects: takingAnew(claimOf<C>(t), p) };
}

function claimed(t: T, p: Claiming, claimTxid: Txid, costs: readonly LedgerLine[] = []): End {
  return {
    fact: 'claimed',
    claimed: { claimTxid, ...fundedOf(p) },
    along: {
      ...(p.exit === true ? { supersedes: true } : {}),
      ledger: [...earned('arkade', t, p.surplus), ...costs],
    },
  };
}

function whenSeen<C extends Claiming>(t: T, p: C, event: EventOf<'vhtlc.seen'>, now: Clocks): Moved<C> {
  const coin = event.coins.find((seen) => sameOutpoint(seen.outpoint, p.coin));
  const next = withExtras(p, event);
  const step = coin === undefined ? null : whenCoinSeen(claimOf<C>(t), next, coin, now);
  if (step !== null) return step;
  if (coin?.spent === true && coin.spend !== null) {
    if (coin.spend === 'unknown' || coin.spend === 'hidden') return 'stay'; // our own way through a batch finds out whom that one paid
    if (coin.spend.leaf === 'claim') return claimTaken(t, p, coin, now);
    return stands(coin, now) ? { fact: 'lost', lost: fundedOf(p) } : 'stay';
  }
  return next === p ? 'stay' : move<C>(next);
}

/**
 * Spent by the claim leaf: only the receiver, us, can sign that. Accepted is not final: our own finalize goes on, and
 * what went out from memory is asked for once more, which finishes it (facts/faults.md 197).
 */
function claimTaken(t: T, p: Claiming, coin: SeenCoin, now: Clocks): 'stay' | End {
  if (p.claimTxid !== null && (p.exit === true || coin.spentIn === p.claimTxid)) return 'stay';
  const isAsked = p.claimTxid === null && p.exit !== true && p.halted !== true;
  if (isAsked && coin.settledBy === null && coin.onChain === undefined) return 'stay';
  const txid = coin.settledBy ?? coin.spentIn;
  return txid === null || !stands(coin, now) ? 'stay' : claimed(t, p, txid);
}
