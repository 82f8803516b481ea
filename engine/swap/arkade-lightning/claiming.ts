import { btc, noSats } from '../../domain/money.ts';
import { sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import type { Clocks } from '../../domain/time.ts';
import { broadcastEffect, exitEffect, operatorFee, stands, stillOurs, type Exiting } from '../exit.ts';
import type { SeenCoin } from '../../legs/arkade/events.ts';
import { move, type Effect, type Event, type LedgerLine, type Outcome, type Step } from '../machine.ts';
import { fundedOf, withStrays, type ArkadeLightningProgress, type ArkadeLightningTerms, type Funded } from './terms.ts';

type P = ArkadeLightningProgress;
type T = ArkadeLightningTerms;
type Claiming = P & { at: 'claiming' };

function ours(t: T, p: Funded): Omit<Exiting, 'purpose'> {
  return { terms: t.vhtlc, script: t.script, key: { branch: 'swap', index: t.keyIndex }, coin: p.coin };
}

/** Takes the client's coin with the preimage that the payment revealed. */
export function claimEffect(t: T, p: Funded): Effect {
  return { do: 'vhtlc.claim', ...ours(t, p) };
}

/** The coin lies on the chain: there the claim leaf that needs no operator takes it. */
function exit(t: T, p: Claiming, leastRate = 0): Step<P> {
  return move<P>({ ...p, exit: true }, exitEffect({ purpose: 'claim', ...ours(t, p) }, leastRate));
}

/** The payment settled: nothing but the coin's provable end stops the claim. */
export function whenClaiming(t: T, p: Claiming, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'vhtlc.prepared':
      return event.purpose === 'claim'
        ? move<P>({ ...p, claimTxid: event.txid }, { do: 'vhtlc.submit', purpose: 'claim', txid: event.txid })
        : 'stay';
    case 'vhtlc.accepted':
      return event.purpose === 'claim'
        ? move<P>(p, { do: 'vhtlc.finalize', purpose: 'claim', txid: event.txid })
        : 'stay';
    case 'vhtlc.final':
      return event.purpose === 'claim' ? claimed(t, p, event.txid, operatorFee(event.fee)) : 'stay';
    case 'vhtlc.refused':
      return event.purpose === 'claim' ? claimRefused(t, p, event) : 'stay';
    case 'vhtlc.seen':
      return whenCoinSeen(t, p, event, now);
    case 'onchain.prepared':
      return p.exit === true && event.purpose === 'claim'
        ? move<P>({ ...p, claimTxid: event.txid }, broadcastEffect(p.coin, event))
        : 'stay';
    case 'onchain.stuck':
      return p.exit === true ? exit(t, p, event.leastRate) : 'stay';
    case 'onchain.final':
      return p.exit === true
        ? claimed(t, p, event.txid, [{ kind: 'network-fee-paid', ...btc('bitcoin', -event.fee) }])
        : 'stay';
    case 'onchain.refused':
      return p.exit === true ? exitRefused(t, p, event) : 'stay';
    default:
      return 'stay';
  }
}

function claimed(t: T, p: Claiming, claimTxid: Txid, costs: readonly LedgerLine[] = []): Step<P> {
  return {
    progress: { at: 'claimed', claimTxid, ...fundedOf(p) },
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

function claimRefused(t: T, p: Claiming, { why, reason }: Event & { is: 'vhtlc.refused' }): Outcome<P> {
  switch (why) {
    case 'spent':
      return move<P>({ ...p, halted: true }); // the watch tells by whom, or that it was not
    case 'recoverable':
      return move<P>(p, { do: 'vhtlc.settle', purpose: 'claim', ...ours(t, p) });
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

function exitRefused(t: T, p: Claiming, event: Event & { is: 'onchain.refused' }): Outcome<P> {
  // Buried and not by a transaction that we know: the watch reads whose it is.
  if (event.why === 'spent') return move<P>({ ...p, claimTxid: null });
  return { ...exit(t, { ...p, claimTxid: null }), flag: `The Bitcoin node refused our claim: ${event.reason}.` };
}

function again(t: T, { halted: _, ...p }: Claiming): Step<P> {
  return move<P>(p, claimEffect(t, p));
}

const noLeaf =
  'The operator reports the coin that we must claim as spent by a transaction that fits none of its leaves: use another operator, and find whoever can bring the coin to the chain, where it is still claimed.';

function whenCoinSeen(t: T, p: Claiming, event: Event & { is: 'vhtlc.seen' }, now: Clocks): Outcome<P> {
  const coin = event.coins.find((seen) => sameOutpoint(seen.outpoint, p.coin));
  if (coin !== undefined && p.halted === true && stillOurs(coin, p.claimTxid)) return again(t, p);
  if (coin?.spent === true && coin.spend !== null) {
    if (coin.spend === 'unknown') return untrusted(t, p, coin);
    if (coin.spend === 'hidden') return 'stay'; // our own way through a batch finds out whom that one paid
    if (coin.spend.leaf === 'claim')
      return coin.spend.unsigned === true && coin.spentIn !== p.claimTxid
        ? untrusted(t, p, coin)
        : claimTaken(t, p, coin, now);
    return stands(coin, now) ? lost(t, p) : 'stay';
  }
  const next = withStrays(p, event);
  return next === p ? 'stay' : move<P>(next);
}

/** What the operator holds for spent is still ours on the chain, should the coin ever lie there (facts/arkade.md 32). */
function untrusted(t: T, p: Claiming, coin: SeenCoin): Outcome<P> {
  const alarm = { flag: noLeaf, distrust: true } as const;
  return coin.unrolled && p.exit !== true
    ? { ...exit(t, { ...p, claimTxid: null }), ...alarm }
    : { progress: p, effects: [], ...alarm };
}

/** Spent by the claim leaf: only the receiver, us, can sign that. Accepted is not final: our own finalize goes on. */
function claimTaken(t: T, p: Claiming, coin: SeenCoin, now: Clocks): Outcome<P> {
  if (p.claimTxid !== null && (p.exit === true || coin.spentIn === p.claimTxid)) return 'stay';
  const txid = coin.settledBy ?? coin.spentIn;
  return txid === null || !stands(coin, now) ? 'stay' : claimed(t, p, txid);
}

function lost(t: T, p: Claiming): Step<P> {
  return {
    progress: { at: 'lost', ...fundedOf(p) },
    effects: [],
    supersedes: true,
    ledger: [{ kind: 'loss', ...btc('arkade', -t.targetAmount) }],
    flag: 'The client took the VHTLC back although the payment had settled.',
  };
}
