import { btc, noSats } from '../../domain/money.ts';
import { sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import type { Clocks } from '../../domain/time.ts';
import type { SeenCoin } from '../../legs/arkade/events.ts';
import { stands } from '../exit.ts';
import { move, type Effect, type Event, type LedgerLine, type Outcome, type Step } from '../machine.ts';
import { whenCoinSeen, whileTaking, type Taker } from '../vhtlc-taking.ts';
import { withStrays, type Claiming, type Funded, type SourceTerms } from './terms.ts';

/** What a direction makes of the end of its claim. */
export interface Ends<C extends Claiming, P> {
  claimed(p: C, claimTxid: Txid): P;
  /** The client left with the coin after it had what the swap gives for it. */
  lost(p: C): Step<P>;
}

function ours(t: SourceTerms, p: Funded) {
  return { terms: t.vhtlc, script: t.script, key: { branch: 'swap' as const, index: t.keyIndex }, coin: p.coin };
}

/** Takes the client's coin with the preimage that was learned. */
export function claimEffect(t: SourceTerms, p: Funded): Effect {
  return { do: 'vhtlc.claim', ...ours(t, p) };
}

function claimOf<C extends Claiming, P>(t: SourceTerms, ends: Ends<C, P>): Taker<C, P> {
  return {
    purpose: 'claim',
    ours: (p) => ours(t, p),
    sent: (p) => p.claimTxid,
    withSent: (p, claimTxid) => ({ ...p, claimTxid }),
    taken: (p, txid, costs) => claimed(t, p, txid, ends, costs),
    denied:
      'The operator reports the coin that we must claim as spent by a transaction that fits none of its leaves: use another operator, and find whoever can bring the coin to the chain, where it is still claimed.',
  };
}

/** What was given for the coin is the client's: nothing but the coin's provable end stops the claim. */
export function whenClaiming<C extends Claiming, P>(
  t: SourceTerms,
  p: C,
  event: Event,
  now: Clocks,
  ends: Ends<C, P>,
): Outcome<C | P> {
  return event.is === 'vhtlc.seen'
    ? whenSeen(t, p, event, now, ends)
    : (whileTaking(claimOf(t, ends), p, event) ?? 'stay');
}

function claimed<C extends Claiming, P>(
  t: SourceTerms,
  p: C,
  claimTxid: Txid,
  ends: Ends<C, P>,
  costs: readonly LedgerLine[] = [],
): Step<P> {
  return {
    progress: ends.claimed(p, claimTxid),
    effects: [],
    ...(p.exit === true ? { supersedes: true } : {}),
    ledger: [
      { kind: 'protocol-fee', ...btc('arkade', t.feeSats) },
      { kind: 'network-fee-charged', ...btc('arkade', t.networkFeeSats) },
      ...(p.surplus > noSats ? [{ kind: 'surplus' as const, ...btc('arkade', p.surplus) }] : []),
      ...costs,
    ],
  };
}

function whenSeen<C extends Claiming, P>(
  t: SourceTerms,
  p: C,
  event: Event & { is: 'vhtlc.seen' },
  now: Clocks,
  ends: Ends<C, P>,
): Outcome<C | P> {
  const coin = event.coins.find((seen) => sameOutpoint(seen.outpoint, p.coin));
  const next = withStrays(p, event);
  const step = coin === undefined ? null : whenCoinSeen(claimOf(t, ends), next, coin, now);
  if (step !== null) return step;
  if (coin?.spent === true && coin.spend !== null) {
    if (coin.spend === 'unknown' || coin.spend === 'hidden') return 'stay'; // our own way through a batch finds out whom that one paid
    if (coin.spend.leaf === 'claim') return claimTaken(t, p, coin, now, ends);
    return stands(coin, now) ? ends.lost(p) : 'stay';
  }
  return next === p ? 'stay' : move<C>(next);
}

/** Spent by the claim leaf: only the receiver, us, can sign that. Accepted is not final: our own finalize goes on. */
function claimTaken<C extends Claiming, P>(
  t: SourceTerms,
  p: C,
  coin: SeenCoin,
  now: Clocks,
  ends: Ends<C, P>,
): Outcome<C | P> {
  if (p.claimTxid !== null && (p.exit === true || coin.spentIn === p.claimTxid)) return 'stay';
  const txid = coin.settledBy ?? coin.spentIn;
  return txid === null || !stands(coin, now) ? 'stay' : claimed(t, p, txid, ends);
}
