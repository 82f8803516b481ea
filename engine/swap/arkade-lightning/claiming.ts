import { noSats } from '../../domain/money.ts';
import { sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import { move, type Effect, type Event, type Outcome, type SeenCoin, type Step } from '../machine.ts';
import { fundedOf, withStrays, type ArkadeLightningProgress, type ArkadeLightningTerms, type Funded } from './terms.ts';

type P = ArkadeLightningProgress;
type T = ArkadeLightningTerms;

/** Takes the client's coin with the preimage that the payment revealed. */
export function claimEffect(t: T, p: Funded): Effect {
  return { do: 'vhtlc.claim', terms: t.vhtlc, script: t.script, key: { branch: 'swap', index: t.keyIndex }, coin: p.coin };
}

/** The payment settled: nothing but the coin's provable end stops the claim. */
export function whenClaiming(t: T, p: P & { at: 'claiming' }, event: Event): Outcome<P> {
  switch (event.is) {
    case 'vhtlc.prepared':
      return event.purpose === 'claim'
        ? move<P>({ ...p, claimTxid: event.txid }, { do: 'vhtlc.submit', purpose: 'claim', txid: event.txid })
        : 'stay';
    case 'vhtlc.accepted':
      return event.purpose === 'claim' ? move<P>(p, { do: 'vhtlc.finalize', purpose: 'claim', txid: event.txid }) : 'stay';
    case 'vhtlc.final':
      return event.purpose === 'claim' ? claimed(t, p, event.txid) : 'stay';
    case 'vhtlc.refused':
      return event.purpose === 'claim' ? claimRefused(t, p, event.why, event.reason) : 'stay';
    case 'vhtlc.seen':
      return whenCoinSeen(t, p, event);
    default:
      return 'stay';
  }
}

function claimed(t: T, p: Funded, claimTxid: Txid): Step<P> {
  return {
    progress: { at: 'claimed', claimTxid, ...fundedOf(p) },
    effects: [],
    ledger: [
      { kind: 'protocol-fee', amountMsat: t.feeSats * 1_000n },
      { kind: 'network-fee-charged', amountMsat: t.networkFeeSats * 1_000n },
      ...(p.surplus > noSats ? [{ kind: 'surplus' as const, amountMsat: p.surplus * 1_000n }] : []),
    ],
  };
}

function claimRefused(t: T, p: P & { at: 'claiming' }, why: 'spent' | 'recoverable' | 'late' | 'refused', reason: string): Outcome<P> {
  if (why === 'spent') return 'stay'; // the watch tells by whom
  if (why === 'recoverable') {
    return move<P>(p, { do: 'vhtlc.settle', purpose: 'claim', terms: t.vhtlc, script: t.script, key: { branch: 'swap', index: t.keyIndex }, coin: p.coin });
  }
  return { progress: { ...p, claimTxid: null }, effects: [claimEffect(t, p)], flag: `The operator refused our claim: ${reason}.` };
}

function whenCoinSeen(t: T, p: P & { at: 'claiming' }, event: Event & { is: 'vhtlc.seen' }): Outcome<P> {
  const coin = event.coins.find((seen) => sameOutpoint(seen.outpoint, p.coin));
  if (coin?.spent === true && coin.spend !== null) {
    if (coin.spend === 'unknown') return { progress: p, effects: [], flag: 'The operator reports the coin that we must claim as spent by a transaction that fits none of its leaves.' };
    if (coin.spend.leaf === 'claim') return claimTaken(t, p, coin);
    return {
      progress: { at: 'lost', ...fundedOf(p) },
      effects: [],
      flag: 'The client took the VHTLC back although the payment had settled.',
    };
  }
  const next = withStrays(p, event);
  return next === p ? 'stay' : move<P>(next);
}

/** Spent by the claim leaf: only the receiver, us, can sign that. Accepted is not final: our own finalize goes on. */
function claimTaken(t: T, p: P & { at: 'claiming' }, coin: SeenCoin): Outcome<P> {
  if (p.claimTxid !== null && coin.spentIn === p.claimTxid) return 'stay';
  const txid = coin.settledBy ?? coin.spentIn;
  return txid === null ? 'stay' : claimed(t, p, txid);
}
