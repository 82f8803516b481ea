import type { SwapStatus } from '../../domain/status.ts';
import type { Locktime } from '../../domain/time.ts';
import type { DecodeInvoice } from '../../legs/lightning/invoice.ts';
import type { RescueSwap } from '../../legs/rescue.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { shapeOf } from '../../legs/shape.ts';
import type { Machine, Watch } from '../../swap/machine.ts';
import { turnText } from '../facts.ts';
import type { OrderTerms } from '../terms.ts';
import { windowOf } from '../window.ts';
import { repeated } from '../words.ts';
import { isAgreed, secretOf, type Pair, type State } from './pair.ts';
import { lookFirst } from './restored.ts';
import { resumed } from './resume.ts';
import { schemaOf } from './schema.ts';
import { step } from './step.ts';
import { stepsOf } from './steps.ts';

/*
 * The client's state machine of every direction: we fund, the provider locks, and from the moment at which its lock is
 * safe to reveal our secret for nothing of ours is taken back before that claim has ended. The particulars of a network
 * are in its half.
 *
 * Loses money when wrong: the secret given away for a lock that is not sure; a claim given up once it is out; something
 * of ours that nobody takes back.
 */

/** Nothing is promised to anybody by it, and nobody is told of it but its owner. */
export function machineOf(pair: Pair, decode: DecodeInvoice): Machine<OrderTerms, State> {
  return {
    name: `take-${pair.direction}`,
    shape: { terms: pair.terms, progress: shapeOf(schemaOf(pair)) },
    step: (t, p, event, now) => step(pair, t, p, event, now, decode),
    watches: (t, p) => watches(pair, t, p),
    deadline: (t, p) => deadline(pair, t, p),
    status: (p) => status(pair, p),
    open: (_, p) => isOpen(pair, p),
    reserves: () => false,
    untold: () => false,
    hash160: (t) => hash160OfSha256(t.hash),
    rescue: (t, p) => rescue(pair, t, p),
    resume: (t, p, now, isShown) => resumed(pair, t, p, now, isShown),
    nextAction: (t, p) => turnText(stepsOf(pair, p, t).turn),
  };
}

function watches(pair: Pair, t: OrderTerms, p: State): Watch[] {
  if (!isAgreed(p)) return [];
  const { claim, fund } = pair;
  const isLooked =
    p.at === 'claiming' || (fund.awaits(p) && claim.look !== null && claim.fate(p.target, false) === null);
  return [...fund.watches(t, p), ...(isLooked ? claim.watches(t, p.deal, p.target) : [])];
}

function deadline(pair: Pair, t: OrderTerms, p: State): Locktime | null {
  if (p.at === 'creating') return t.createBefore;
  if (!isAgreed(p)) return null;
  if (p.at === 'claiming') return pair.claim.deadline?.(p.target) ?? null;
  const at = pair.fund.deadline(p, windowOf(t, p.deal));
  return p.at === 'waiting' && at !== null ? lookFirst(t, at) : at;
}

function isOpen({ fund }: Pair, p: State): boolean {
  if (p.at === 'refused') return false;
  return p.at === 'creating' || p.at === 'claiming' || fund.open(p);
}

/** Shown to people as they know it from the other side; our own eyes come before the provider's word. */
function status(pair: Pair, p: State): SwapStatus {
  const { claim, fund } = pair;
  if (!isAgreed(p)) return p.at === 'creating' ? 'pending' : 'expired';
  if (p.at === 'claiming') return claim.isSeen?.(p.target) === true ? 'clientredeemed' : 'clientredeeming';
  if (p.at === 'lapsed') return repeated(p.said, fund.words.lapsed, 'expired');
  const isTaken = fund.isTaken(p);
  const fate = claim.fate(p.target, isTaken);
  if (fate === 'ours') return isTaken ? 'serverredeemed' : 'clientredeemed';
  switch (p.at) {
    case 'waiting':
      return repeated(p.said, fund.words.waiting, 'pending');
    case 'funding':
      return 'clientfundingseen';
    case 'lost':
      return 'clientfundedserverrefunded';
    case 'done':
      if (fate === null) return 'clientrefunded';
      return isTaken ? 'clientfundedserverrefunded' : 'clientrefundedserverrefunded';
    default:
      return fate === 'lost'
        ? 'clientfundedserverrefunded'
        : repeated(p.said, fund.words.funded(secretOf(pair) === 'payee'), fund.seenAs(p));
  }
}

/**
 * The legs, as whoever needs them who has lost the node: the provider's lock is claimed once the secret may have left
 * us, and not before; until then ours comes back from its timelock on.
 */
function rescue(pair: Pair, t: OrderTerms, p: State): RescueSwap | null {
  const { claim, fund } = pair;
  if (!isAgreed(p)) return null;
  if (p.at === 'claiming') {
    const shown = claim.isShown(p.target) || fund.isTaken(p);
    const out = legs(claim.rescue(t, p.deal, p.target), fund.rescue(t, p, null), shown);
    return claim.isByNote(p.target) && !fund.isTaken(p) ? { ...out, byNote: true } : out;
  }
  const isTaken = fund.isTaken(p);
  const fate = claim.fate(p.target, isTaken);
  const refund = fund.rescue(t, p, fate);
  if (refund === null) return null;
  return fate === null && fund.isGivenUp?.(p) !== true
    ? legs(claim.rescue(t, p.deal, p.target), refund, isTaken)
    : legs(null, refund, false);
}

function legs(claim: RescueSwap['claim'], refund: RescueSwap['refund'], shown: boolean): RescueSwap {
  return { claim, refund, shown };
}
