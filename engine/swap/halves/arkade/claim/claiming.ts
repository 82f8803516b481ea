import { btc, noSats } from '../../../../domain/money.ts';
import { sameOutpoint, type Txid } from '../../../../domain/outpoint.ts';
import type { Clocks } from '../../../../domain/time.ts';
import type { SeenCoin } from '../../../../legs/arkade/events.ts';
import { stands } from '../exit.ts';
import type { Along, Answer } from '../../answer.ts';
import { move, type Effect, type Event, type LedgerLine, type Resumption } from '../../../machine.ts';
import { takingAnew, whenCoinSeen, whileTaking, type Taker } from '../taking.ts';
import { fundedOf, withExtras, type Claiming, type Funded, type SourceTerms } from './terms.ts';

/** The client's coin is ours, or with the client again. */
type ClaimEnd =
  | { readonly fact: 'claimed'; readonly claimed: Funded & { readonly claimTxid: Txid }; readonly along?: Along }
  | { readonly fact: 'lost'; readonly lost: Funded };

function ours(t: SourceTerms, p: Funded) {
  return { terms: t.vhtlc, script: t.script, key: { branch: 'swap' as const, index: t.keyIndex }, coin: p.coin };
}

/** Takes the client's coin with the preimage that was learned. */
export function claimEffect(t: SourceTerms, p: Funded): Effect {
  return { do: 'vhtlc.claim', ...ours(t, p) };
}

function claimOf<C extends Claiming>(t: SourceTerms): Taker<C, ClaimEnd> {
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
export function whenClaiming<C extends Claiming>(
  t: SourceTerms,
  p: C,
  event: Event,
  now: Clocks,
): Answer<C, ClaimEnd> | null {
  return event.is === 'vhtlc.seen' ? whenSeen(t, p, event, now) : whileTaking(claimOf<C>(t), p, event);
}

export function resumeClaim<C extends Claiming>(t: SourceTerms, p: C): Resumption<C> {
  return { progress: p, effects: takingAnew(claimOf<C>(t), p) };
}

function claimed(t: SourceTerms, p: Claiming, claimTxid: Txid, costs: readonly LedgerLine[] = []): ClaimEnd {
  return {
    fact: 'claimed',
    claimed: { claimTxid, ...fundedOf(p) },
    along: {
      ...(p.exit === true ? { supersedes: true } : {}),
      ledger: [
        { kind: 'protocol-fee', ...btc('arkade', t.feeSats) },
        { kind: 'network-fee-charged', ...btc('arkade', t.networkFeeSats) },
        ...(p.surplus > noSats ? [{ kind: 'surplus' as const, ...btc('arkade', p.surplus) }] : []),
        ...costs,
      ],
    },
  };
}

function whenSeen<C extends Claiming>(
  t: SourceTerms,
  p: C,
  event: Event & { is: 'vhtlc.seen' },
  now: Clocks,
): Answer<C, ClaimEnd> {
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
function claimTaken(t: SourceTerms, p: Claiming, coin: SeenCoin, now: Clocks): 'stay' | ClaimEnd {
  if (p.claimTxid !== null && (p.exit === true || coin.spentIn === p.claimTxid)) return 'stay';
  const isAsked = p.claimTxid === null && p.exit !== true && p.halted !== true;
  if (isAsked && coin.settledBy === null && coin.onChain === undefined) return 'stay';
  const txid = coin.settledBy ?? coin.spentIn;
  return txid === null || !stands(coin, now) ? 'stay' : claimed(t, p, txid);
}
