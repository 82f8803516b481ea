import { btc, noSats } from '../../domain/money.ts';
import { sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import type { Clocks } from '../../domain/time.ts';
import { broadcastEffect, exitEffect, operatorFee, stands, stillOurs, type Exiting } from '../exit.ts';
import type { SeenCoin } from '../../legs/arkade/events.ts';
import { move, type Effect, type Event, type LedgerLine, type Outcome, type Step } from '../machine.ts';
import { withStrays, type Claiming, type Funded, type SourceTerms } from './terms.ts';

/** What a direction makes of the end of its claim. */
export interface Ends<C extends Claiming, P> {
  claimed(p: C, claimTxid: Txid): P;
  /** The client left with the coin after it had what the swap gives for it. */
  lost(p: C): Step<P>;
}

function ours(t: SourceTerms, p: Funded): Omit<Exiting, 'purpose'> {
  return { terms: t.vhtlc, script: t.script, key: { branch: 'swap', index: t.keyIndex }, coin: p.coin };
}

/** Takes the client's coin with the preimage that was learned. */
export function claimEffect(t: SourceTerms, p: Funded): Effect {
  return { do: 'vhtlc.claim', ...ours(t, p) };
}

/** What was given for the coin is the client's: nothing but the coin's provable end stops the claim. */
export function whenClaiming<C extends Claiming, P>(
  t: SourceTerms,
  p: C,
  event: Event,
  now: Clocks,
  ends: Ends<C, P>,
): Outcome<C | P> {
  switch (event.is) {
    case 'vhtlc.prepared':
      return event.purpose === 'claim'
        ? move<C>({ ...p, claimTxid: event.txid }, { do: 'vhtlc.submit', purpose: 'claim', txid: event.txid })
        : 'stay';
    case 'vhtlc.accepted':
      return event.purpose === 'claim'
        ? move<C>(p, { do: 'vhtlc.finalize', purpose: 'claim', txid: event.txid })
        : 'stay';
    case 'vhtlc.final':
      return event.purpose === 'claim' ? claimed(t, p, event.txid, ends, operatorFee(event.fee)) : 'stay';
    case 'vhtlc.refused':
      return event.purpose === 'claim' ? claimRefused(t, p, event) : 'stay';
    case 'vhtlc.seen':
      return whenCoinSeen(t, p, event, now, ends);
    case 'onchain.prepared':
      return p.exit === true && event.purpose === 'claim'
        ? move<C>({ ...p, claimTxid: event.txid }, broadcastEffect(p.coin, event))
        : 'stay';
    case 'onchain.stuck':
      return p.exit === true ? exit(t, p, event.leastRate) : 'stay';
    case 'onchain.final':
      return p.exit === true
        ? claimed(t, p, event.txid, ends, [{ kind: 'network-fee-paid', ...btc('bitcoin', -event.fee) }])
        : 'stay';
    case 'onchain.refused':
      return p.exit === true ? exitRefused(t, p, event) : 'stay';
    default:
      return 'stay';
  }
}

/** The coin lies on the chain: there the claim leaf that needs no operator takes it. */
function exit<C extends Claiming>(t: SourceTerms, p: C, leastRate = 0): Step<C> {
  return move<C>({ ...p, exit: true }, exitEffect({ purpose: 'claim', ...ours(t, p) }, leastRate));
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

function claimRefused<C extends Claiming>(
  t: SourceTerms,
  p: C,
  { why, reason }: Event & { is: 'vhtlc.refused' },
): Outcome<C> {
  switch (why) {
    case 'spent':
      return move<C>({ ...p, halted: true }); // the watch tells by whom, or that it was not
    case 'recoverable':
      return move<C>(p, { do: 'vhtlc.settle', purpose: 'claim', ...ours(t, p) });
    case 'unrolled':
      return exit(t, { ...p, claimTxid: null });
    default:
      return {
        progress: { ...p, claimTxid: null },
        effects: [claimEffect(t, p)],
        flag: `The operator refused our claim: ${reason}.`,
      };
  }
}

function exitRefused<C extends Claiming>(t: SourceTerms, p: C, event: Event & { is: 'onchain.refused' }): Outcome<C> {
  // Buried and not by a transaction that we know: the watch reads whose it is.
  if (event.why === 'spent') return move<C>({ ...p, claimTxid: null });
  return { ...exit(t, { ...p, claimTxid: null }), flag: `The Bitcoin node refused our claim: ${event.reason}.` };
}

function again<C extends Claiming>(t: SourceTerms, { halted: _, ...p }: C): Step<C> {
  return move<C>(p as unknown as C, claimEffect(t, p));
}

const noLeaf =
  'The operator reports the coin that we must claim as spent by a transaction that fits none of its leaves: use another operator, and find whoever can bring the coin to the chain, where it is still claimed.';

function whenCoinSeen<C extends Claiming, P>(
  t: SourceTerms,
  p: C,
  event: Event & { is: 'vhtlc.seen' },
  now: Clocks,
  ends: Ends<C, P>,
): Outcome<C | P> {
  const coin = event.coins.find((seen) => sameOutpoint(seen.outpoint, p.coin));
  if (coin !== undefined && p.halted === true && stillOurs(coin, p.claimTxid)) return again(t, p);
  if (coin?.spent === true && coin.spend !== null) {
    if (coin.spend === 'unknown') return untrusted(t, p, coin);
    if (coin.spend === 'hidden') return 'stay'; // our own way through a batch finds out whom that one paid
    if (coin.spend.leaf === 'claim')
      return coin.spend.unsigned === true && coin.spentIn !== p.claimTxid
        ? untrusted(t, p, coin)
        : claimTaken(t, p, coin, now, ends);
    return stands(coin, now) ? ends.lost(p) : 'stay';
  }
  const next = withStrays(p, event);
  return next === p ? 'stay' : move<C>(next);
}

/** What the operator holds for spent is still ours on the chain, should the coin ever lie there (facts/arkade.md 32). */
function untrusted<C extends Claiming>(t: SourceTerms, p: C, coin: SeenCoin): Outcome<C> {
  const alarm = { flag: noLeaf, distrust: true } as const;
  return coin.unrolled && p.exit !== true
    ? { ...exit(t, { ...p, claimTxid: null }), ...alarm }
    : { progress: p, effects: [], ...alarm };
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
