import type { SwapStatus } from '../../engine/domain/status.ts';
import type { Clocks } from '../../engine/domain/time.ts';
import type { Queue } from '../../engine/legs/leg.ts';
import { legOf } from '../../engine/swap/leg-of.ts';
import type { Effect, Event, Machine, SwapStep, Watch } from '../../engine/swap/machine.ts';
import type { Dice } from './dice.ts';

/** Where a status may go (facts/clients.md 28). Going nowhere is always allowed. */
const ways: Partial<Record<SwapStatus, readonly SwapStatus[]>> = {
  pending: [
    'clientfundingseen',
    'clientfunded',
    'expired',
    'clientinvalidfunded',
    'clientfundedtoolate',
    'serverwontfund',
    'clientrefunded',
  ],
  // Its client asked for our signature on its refund.
  clientfundingseen: [
    'pending',
    'clientfunded',
    'clientinvalidfunded',
    'clientfundedtoolate',
    'expired',
    'serverwontfund',
  ],
  clientfunded: [
    'serverfunded',
    'clientinvalidfunded',
    'clientfundedtoolate',
    'serverwontfund',
    'clientrefunded',
    'clientredeemed',
  ],
  serverfunded: ['clientredeeming', 'clientredeemed', 'clientfundedserverrefunded', 'serverwontfund'],
  clientredeeming: ['clientredeemed', 'serverfunded', 'serverwontfund'],
  clientredeemed: ['serverredeemed', 'clientredeemedandclientrefunded'],
  // A claim that waited in a queue took nothing, and our refund came behind it.
  clientredeemedandclientrefunded: ['clientrefundedserverrefunded'],
  // Our claim stood in a block that a reorganisation took, and the client's refund came before it.
  serverredeemed: ['clientredeemedandclientrefunded'],
  expired: ['clientfundedtoolate', 'clientrefunded'],
  // A lock whose block went away for good never was.
  clientinvalidfunded: ['clientrefunded', 'expired'],
  clientfundedtoolate: ['clientrefunded', 'expired'],
  // A payment that was called off settled after all, or a lock that was forgotten stands.
  serverwontfund: ['clientrefunded', 'clientredeemed', 'serverfunded', 'expired'],
  clientfundedserverrefunded: ['clientrefunded', 'clientrefundedserverrefunded'],
};

/**
 * One swap as the runtime carries it: a commit at a time, effects kept until their answer is committed, so that an
 * answer that is lost means the same effect again. Throws where a machine breaks what must hold in every order.
 */
export interface Driver<P> {
  readonly progress: P;
  /** What is owed, oldest first. */
  readonly effects: readonly Effect[];
  readonly watches: readonly Watch[];
  /** The first of a leg, which waits for no other's. */
  next(roll: Dice): Effect | undefined;
  readonly story: readonly string[];
  open(): boolean;
  /** Delivers an event; with `done`, that effect is finished by the same commit, whatever the machine makes of it. */
  deliver(event: Event, now: Clocks, done?: Effect): 'moved' | 'stayed';
  fail(sentence: string): never;
}

export function drive<T, P extends { readonly at: string }>(
  machine: Machine<T, P>,
  terms: T,
  first: P,
  opening: readonly Effect[],
  onStep: (from: P, step: SwapStep<P>) => string | null,
): Driver<P> {
  let progress = first;
  let effects = [...opening];
  let turn = 0;
  const story: string[] = [];

  function fail(sentence: string): never {
    throw new Error(`${sentence}\n${story.join('\n')}`);
  }

  function check(from: P, step: SwapStep<P>): void {
    const [before, after] = [machine.status(from), machine.status(step.progress)];
    if (after === 'clientrefundedserverfunded') fail('the status that must never be was reached');
    if (before !== after && !(ways[before] ?? []).includes(after)) fail(`the status went from ${before} to ${after}`);
    const wrong = onStep(from, step);
    if (wrong !== null) fail(wrong);
    const carried =
      effects.length > 0 ||
      machine.watches(terms, step.progress).length > 0 ||
      machine.deadline(terms, step.progress) !== null;
    if (machine.open(terms, step.progress) && !carried)
      fail(`nothing will ever move the open state ${step.progress.at}`);
  }

  return {
    get progress() {
      return progress;
    },
    get effects() {
      return effects;
    },
    get watches() {
      return machine.watches(terms, progress);
    },
    next(roll) {
      const firsts = new Map<Queue, Effect>();
      for (const effect of effects) if (!firsts.has(legOf(effect))) firsts.set(legOf(effect), effect);
      const heads = [...firsts.values()];
      return heads.length < 2 ? heads[0] : heads[(roll(2) + turn++) % heads.length];
    },
    story,
    open: () => machine.open(terms, progress),
    deliver(event, now, done) {
      if (done !== undefined) effects = effects.filter((effect) => effect !== done);
      const from = progress;
      const step = machine.step(terms, from, event, now);
      story.push(`${from.at}: ${inWords(event)} => ${step === 'stay' ? 'stay' : step.progress.at}`);
      if (step === 'stay') {
        if (
          machine.open(terms, from) &&
          effects.length === 0 &&
          machine.watches(terms, from).length === 0 &&
          machine.deadline(terms, from) === null
        )
          fail(`nothing will ever move the open state ${from.at}`);
        return 'stayed';
      }
      effects = [...leftBy(step, effects), ...step.effects];
      progress = step.progress;
      check(from, step);
      return 'moved';
    },
    fail,
  };
}

/** What is owed still, of the legs whose effects a step does not drop. */
export function leftBy(
  { supersedes = [], interrupts = [] }: Pick<SwapStep<unknown>, 'supersedes' | 'interrupts'>,
  effects: readonly Effect[],
): Effect[] {
  const dropped = new Set([...supersedes, ...interrupts]);
  return effects.filter((effect) => !dropped.has(legOf(effect)));
}

function inWords(event: Event): string {
  if (event.is === 'vhtlc.seen')
    return (
      'vhtlc.seen ' +
      `${event.coins.map(({ amount, spend }) => `${amount} ${typeof spend === 'object' ? (spend?.leaf ?? 'null') : spend}`).join()}`
    );
  if (event.is === 'evm.seen')
    return (
      'evm.seen ' +
      `${event.locks.map(({ confirmations, state }) => `${confirmations} ${state.is}${'confirmations' in state ? ` ${state.confirmations}` : ''}`).join()}`
    );
  if (event.is === 'evm.sent') return `evm.sent ${event.purpose} ${event.state.is}`;
  if ('state' in event) return `${event.is} ${event.state.is}`;
  return `${event.is} ${'purpose' in event ? event.purpose : ''} ${'why' in event ? event.why : ''}`;
}
