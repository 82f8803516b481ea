// What holds in every pair of halves, in every state and at every step.
import { isDeepStrictEqual } from 'node:util';
import type { Leg, Queue } from '../../engine/legs/leg.ts';
import { legOf } from '../../engine/swap/leg-of.ts';
import type { Effect, SwapStep } from '../../engine/swap/machine.ts';
import { encode } from '../../engine/store/codec.ts';
import type { State } from '../../engine/swap/provider/direction.ts';
import type { Move } from './explore.ts';
import { alike, explorePair, onlyIf, type Explored, type Look, type Mutant } from './pair-explore.ts';
import { claims, funds } from './pair-halves.ts';

type Halves = Pick<Explored, 'claim' | 'fund'>;

/** A pair as it was explored: `counts` are its states, its steps, and the answers of its halves. */
export interface Findings {
  readonly pair: Pick<Explored, 'entries' | 'clashes'> & { readonly counts: string };
  readonly wrong: readonly string[];
}

const revealedStages = ['claiming', 'claimed', 'lost'];

function isStanding({ fund }: Halves, { at }: State): boolean {
  return Object.hasOwn(fund.fields.standing, at);
}

function isWaiting({ claim }: Halves, { at }: State): boolean {
  return Object.hasOwn(claim.fields.waiting, at);
}

function isRevealed({ at }: State): boolean {
  return revealedStages.includes(at);
}

function isFenced(p: State): boolean {
  return 'fenced' in p && p.fenced === true;
}

/** Our part may be with the client, or come to it. */
function isOut(halves: Halves, p: State): boolean {
  if (isStanding(halves, p) || p.at === 'claiming' || p.at === 'claimed') return true;
  return p.doubt !== undefined && halves.fund.forbidsRefund(p.doubt);
}

/** Takes what the client gave, by its secret. */
function takesTheirs(effect: Effect, halves: Halves): boolean {
  if (legOf(effect) !== halves.claim.leg) return false;
  if (effect.do === 'evm.send') return effect.act.is === 'claim';
  return (
    effect.do === 'hold.settle' ||
    effect.do === 'vhtlc.claim' ||
    effect.do === 'vhtlc.exit' ||
    effect.do === 'vhtlc.settle' ||
    (effect.do === 'htlc.spend' && effect.purpose === 'claim')
  );
}

/** Takes back what we gave. */
function takesOurs(effect: Effect, halves: Halves): boolean {
  if (legOf(effect) !== halves.fund.leg) return false;
  if (effect.do === 'evm.send') return effect.act.is === 'refund';
  return effect.do === 'vhtlc.refund' || (effect.do === 'htlc.spend' && effect.purpose === 'refund');
}

/** The first word of our part. */
function begins(effect: Effect, halves: Halves): boolean {
  if (legOf(effect) !== halves.fund.leg) return false;
  if (effect.do === 'evm.send') return effect.act.is === 'lock';
  return effect.do === 'pay' || effect.do === 'vhtlc.lock' || effect.do === 'htlc.fund';
}

/** Sends our part, or lets it be sent. */
function sends(effect: Effect, halves: Halves, step: SwapStep<State>): boolean {
  if (effect.do === 'pay' || (effect.do === 'evm.send' && effect.act.is === 'lock')) return true;
  if (effect.do === 'vhtlc.submit' || effect.do === 'vhtlc.finalize')
    return halves.fund.leg === 'arkade' && effect.purpose === 'lock';
  return effect.do === 'onchain.broadcast' && halves.fund.leg === 'bitcoin' && step.progress.at === 'funding';
}

/** Our consent that the client takes back what it gave for this swap. */
function givesBack(effect: Effect, from: State): boolean {
  if (effect.do === 'hold.cancel') return true;
  if (effect.do !== 'evm.send' || effect.act.is !== 'relay-refund') return false;
  const own = from as { readonly counted?: { readonly lock: object }; readonly deposit?: { readonly lock: object } };
  const lock = own.counted?.lock ?? own.deposit?.lock;
  return lock !== undefined && encode(lock) === encode(effect.act.lock);
}

/** The stages in which nothing that was asked for on either leg is wanted any more. */
function endsBoth(from: State, to: State): boolean {
  return to.at === 'lost' || to.at === 'refunded' || (from.at === 'funded' && to.at === 'stopped');
}

/** What a step does that no step may do. */
function wrongOf(halves: Halves, { from, outcome, answers, verdict }: Look): string[] {
  if (outcome === 'stay') return [];
  const { progress: to, effects, supersedes = [], interrupts = [] } = outcome;
  const legs: readonly Queue[] = [halves.claim.leg, halves.fund.leg];
  const wrong: string[] = [];
  const never = (isSo: boolean, what: string): void => {
    if (isSo) wrong.push(`${from.at} to ${to.at}: ${what}`);
  };

  // Nothing is given before the client's lock is sure.
  const orders = effects.filter((effect) => begins(effect, halves));
  const isSure = answers.some(({ by, answer }) => by === 'waiting' && answer.startsWith('sure')) && verdict === null;
  const isAgain = answers.some(({ side, answer }) => side === 'fund' && answer === 'again');
  never(
    orders.length > 0 && !(isWaiting(halves, from) ? isSure : isAgain),
    'our part is asked for, and nothing is sure',
  );
  never(orders.length > 0 && to.at !== 'funded', 'our part is asked for in another stage');
  never(isStanding(halves, to) && isWaiting(halves, from) && !isSure, 'our part stands for what is not sure');
  never(
    effects.some((effect) => sends(effect, halves, outcome) && (!('onlyIf' in effect) || effect.onlyIf !== onlyIf)),
    'our part is sent whatever became of the conditions',
  );

  // The client's lock is claimed by its secret alone.
  never(effects.some((effect) => takesTheirs(effect, halves)) && to.at !== 'claiming', 'the client’s lock is claimed');
  never(isRevealed(from) && !isRevealed(to) && to.at !== 'refunded', 'a swap whose secret is out is forgotten');
  never(isRevealed(from) && to.at === 'refunded' && to.returned === undefined, 'the client has both');

  // Revealed, our part is the client's, unless that has its own again or the operator has our refund already.
  const isRaced = 'finishing' in to && to.finishing === true;
  never(
    effects.some((effect) => takesOurs(effect, halves)) && !isStanding(halves, to) && to.at !== 'lost' && !isRaced,
    'a refund of ours is asked for',
  );

  // While ours may be with the client nothing is given back to it, and what is given back is never claimed.
  const isGiven = !isFenced(from) && effects.some((effect) => givesBack(effect, from));
  never(isOut(halves, to) && isGiven, 'what the client gave is given back');
  never(isOut(halves, to) && isFenced(to) && !isFenced(from), 'the refund of the client’s is signed');
  never(isFenced(from) && (isStanding(halves, to) || isRevealed(to)), 'what is signed away is given something for');
  const isOver = isOut(halves, from) && !isOut(halves, to) && (to.at === 'returned' || to.at === 'stopped');
  const isHeld = halves.claim.leg === 'lightning' && !('cancelled' in to);
  const isLetGo = effects.some((effect) => effect.do === 'hold.cancel');
  never(isOver && isHeld && !isLetGo, 'a held payment that nothing is given for is kept');
  never(effects.some((effect) => effect.do === 'hold.settle') && givenBackAt(from), 'a cancelled payment is settled');

  // What may have been given is looked for until a look decides, whatever the client has again.
  const isDecided = answers.some(({ by, answer }) => by === 'doubted' && answer !== 'null' && answer !== 'stay');
  never(halves.fund.outlasts && from.doubt !== undefined && to.doubt === undefined && !isDecided, 'a doubt is dropped');

  // A half touches its own leg.
  const isBegun = to.at === 'claiming' && from.at !== 'claiming';
  const dropped = new Set([...supersedes, ...interrupts.filter((leg) => !isBegun || leg !== halves.claim.leg)]);
  never(
    [...effects.map(legOf), ...supersedes, ...interrupts].some((leg) => !legs.includes(leg)),
    'a leg that is none of the pair’s',
  );
  never(dropped.size > 1 && !endsBoth(from, to), 'the effects of both legs are dropped');
  never(isBegun && !interrupts.includes(halves.claim.leg), 'our claim waits for what was asked for before');
  return wrong;
}

/** A payment that is held still is kept for a lock that a copy of the database forgot. */
function givenBackAt(from: State): boolean {
  if (from.at === 'stopped') return from.doubt === undefined && ('cancelled' in from || !('expiryHeight' in from));
  return from.at === 'returned' || from.at === 'lapsed';
}

/** No way leads to a claim of the client's lock but by its secret. */
function claimedWithout(halves: Halves, first: State, moves: readonly Move<State>[]): string[] {
  const from = new Map<string, Move<State>[]>();
  for (const move of moves) {
    if (move.step.learned !== undefined) continue;
    const key = alike(move.from);
    const out = from.get(key);
    if (out === undefined) from.set(key, [move]);
    else out.push(move);
  }
  const unaware = new Set([alike(first)]);
  const wrong: string[] = [];
  for (const key of unaware)
    for (const { label, step } of from.get(key) ?? []) {
      if (isRevealed(step.progress) || step.effects.some((effect) => takesTheirs(effect, halves)))
        wrong.push(`without the secret: ${label}`);
      else unaware.add(alike(step.progress));
    }
  return [...new Set(wrong)];
}

/** What is wrong with a state itself. */
function wrongState({ machine, terms, fund }: Pick<Explored, 'machine' | 'terms' | 'fund'>, p: State): string[] {
  const wrong: string[] = [];
  if (!isKept(machine, p)) wrong.push(`${p.at}: it is kept as something else`);
  const isSeen = machine.watches(terms, p).length > 0 || machine.deadline(terms, p) !== null;
  // What funds our coin is broadcast until it is buried.
  const isSent = 'funding' in p && p.funding !== null && 'buried' in p && p.buried === false;
  if (machine.open(terms, p) && !isSeen && !isSent) wrong.push(`${p.at}: nothing will ever move it`);
  // Whoever has its own again keeps nobody from looking for what was given for it.
  const isLookedFor = p.doubt !== undefined && (fund.outlasts || 'cancelled' in p);
  if (!machine.open(terms, p) && isLookedFor) wrong.push(`${p.at}: over, and in doubt`);
  machine.status(p);
  machine.nextAction(terms, p);
  machine.rescue?.(terms, p);
  machine.reserves(p);
  return wrong;
}

function isKept({ shape }: Explored['machine'], p: State): boolean {
  try {
    return isDeepStrictEqual(shape.progress.read(p, shape.progress.version), p);
  } catch {
    return false;
  }
}

/** What is wrong with a pair, in all that can come to it. */
export function faultsOf(claim: Leg, fund: Leg, mutant?: Mutant): Findings {
  const halves = { claim: claims[claim].half, fund: funds[fund].half };
  const wrong = new Set<string>();
  const pair = explorePair(
    claim,
    fund,
    (look) => {
      for (const fault of wrongOf(halves, look)) wrong.add(fault);
    },
    mutant,
  );
  for (const fault of claimedWithout(halves, claims[claim].first, pair.moves)) wrong.add(fault);
  for (const p of pair.states) for (const fault of wrongState(pair, p)) wrong.add(fault);
  const { entries, clashes, states, moves } = pair;
  return { pair: { entries, clashes, counts: `${states.length} ${moves.length} ${entries.size}` }, wrong: [...wrong] };
}
