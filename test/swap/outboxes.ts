// What the outbox of a swap may hold in each of its states, in words, as its steps asked for it.
import type { Leg } from '../../engine/legs/leg.ts';
import { encode } from '../../engine/store/codec.ts';
import { legOf } from '../../engine/swap/leg-of.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { clocksAt, start, type Case } from './cases.ts';
import { explore } from './explore.ts';
import { nameOf } from './table.ts';

interface State {
  readonly at: string;
}

/** The networks of a swap: the leg that we claim, and the leg that we fund. */
export interface Sides {
  readonly claim: Leg;
  readonly fund: Leg;
}

/** On which leg which of the two transactions of ours is: no network is on both sides of a swap. */
function taking(leg: string, { claim }: Sides): string {
  return `${leg === claim ? 'claim' : 'refund'} on ${leg}`;
}

/** The txid of our funding on the Bitcoin chain, which is no refund of it. */
function fundingOf(p: object): string | null {
  const { funding } = p as { readonly funding?: { readonly payment: { readonly txid: string } } | null };
  return funding?.payment.txid ?? null;
}

/** What an effect is for, in whichever of its steps: prepared, sent, made final. */
export function purposeOf(effect: Effect, progress: object, sides: Sides): string {
  switch (effect.do) {
    case 'vhtlc.lock':
    case 'htlc.fund':
    case 'pay':
      return `give on ${legOf(effect)}`;
    case 'vhtlc.submit':
    case 'vhtlc.finalize':
      return effect.purpose === 'lock' ? 'give on arkade' : taking('arkade', sides);
    case 'vhtlc.settle':
      return effect.taken === true ? 'whose batch' : taking('arkade', sides);
    case 'vhtlc.claim':
    case 'vhtlc.refund':
    case 'vhtlc.exit':
    case 'htlc.spend':
      return taking(legOf(effect), sides);
    case 'onchain.broadcast':
      if (effect.leg === 'bitcoin' && effect.txid === fundingOf(progress)) return 'keep our funding';
      return effect.rate === 0 ? 'tell its cost' : taking(effect.leg, sides);
    case 'evm.send':
      return ofAccount(effect.act.is);
    default:
      return effect.do;
  }
}

function ofAccount(purpose: string): string {
  switch (purpose) {
    case 'lock':
      return 'give on evm';
    case 'claim':
    case 'taker-claim':
      return 'claim on evm';
    case 'refund':
    case 'taker-refund':
      return 'refund on evm';
    case 'taker-fund':
    case 'relay-fund':
      return 'fund on evm';
    default:
      return purpose;
  }
}

/** The account's queue has it once it is signed, and may be lost with the outbox: it is owed until it is buried. */
function isTaking(purpose: string): boolean {
  return /^(claim|refund) on/.test(ofAccount(purpose));
}

/** What an event is the end of. What goes on is asked for by the same step. */
function endedBy(event: Event, from: object, sides: Sides): readonly string[] {
  switch (event.is) {
    case 'hold.created':
    case 'hold.refused':
      return ['hold.create'];
    case 'hold.settled':
      return ['hold.settle'];
    case 'hold.cancelled':
      return ['hold.cancel'];
    case 'hold.seen':
      return [`hold.${event.state.is === 'settled' ? 'settle' : event.state.is === 'cancelled' ? 'cancel' : ''}`];
    case 'payment.started':
    case 'payment.refused':
      return ['give on lightning'];
    case 'payment.seen':
      return event.state.is === 'absent' ? [] : ['give on lightning'];
    case 'vhtlc.prepared':
    case 'vhtlc.accepted':
    case 'vhtlc.final':
    case 'vhtlc.refused':
      if (event.purpose === 'lock') return ['give on arkade'];
      return [
        taking('arkade', sides),
        'provider.cosign',
        ...(event.is === 'vhtlc.final' || event.is === 'vhtlc.refused' ? ['whose batch'] : []),
      ];
    case 'onchain.final':
    case 'onchain.refused':
      if (event.leg === 'bitcoin' && event.txid === fundingOf(from)) return ['keep our funding'];
      return [taking(event.leg, sides), 'provider.cosign-htlc'];
    case 'onchain.stuck':
    case 'onchain.prepared':
      return [taking(event.leg, sides), 'provider.cosign-htlc'];
    case 'htlc.prepared':
    case 'htlc.refused':
      return ['give on bitcoin'];
    case 'evm.already-done':
    case 'evm.refused':
      return [ofAccount(event.purpose)];
    case 'evm.prepared':
      return isTaking(event.purpose) ? [] : [ofAccount(event.purpose)];
    case 'evm.sent': {
      const isOver = event.state.is === 'gone' || (event.state.is === 'mined' && !event.state.ok);
      return isOver || !isTaking(event.purpose) ? [ofAccount(event.purpose)] : [];
    }
    case 'evm.arrived':
      return ['evm.read-arrival'];
    case 'provider.claim-unsigned':
    case 'cosign.given':
      return ['provider.sign-claim'];
    case 'provider.declined':
    case 'provider.relayed':
    case 'provider.claim-withheld':
      return [
        'provider.cosign',
        'provider.cosign-htlc',
        'provider.claim-evm',
        'provider.fund-evm',
        'provider.refund-evm',
      ];
    default:
      return [];
  }
}

/** Of every state that is reached, all that may wait in its outbox, whichever way led there. */
function outboxes<T, P extends State>(
  of: Case<T, P>,
  sides: Sides,
): readonly { readonly progress: P; readonly outbox: ReadonlySet<string> }[] {
  const { states, moves } = explore(of);
  const { alike = encode } = of;
  const events = new Map(of.events.map(({ label, event }) => [label, event]));
  const boxes = new Map<string, Set<string>>(states.map((state) => [alike(state), new Set()]));
  const first = boxes.get(alike(of.first));
  for (const effect of of.machine.resume?.(of.terms, of.first, of.events[0]!.now).effects ?? [])
    first?.add(purposeOf(effect, of.first, sides));
  for (let changed = true; changed;) {
    changed = false;
    for (const { from, label, step } of moves) {
      const event = events.get(label);
      const into = boxes.get(alike(step.progress));
      if (event === undefined || into === undefined) throw new Error(`nobody knows ${label}`);
      const before = into.size;
      const dropped = new Set<string>([...(step.supersedes ?? []), ...(step.interrupts ?? [])]);
      const ended = endedBy(event, from, sides);
      for (const one of boxes.get(alike(from)) ?? [])
        if (!ended.includes(one) && !dropped.has(legNamed(one))) into.add(one);
      for (const effect of step.effects) into.add(purposeOf(effect, step.progress, sides));
      changed ||= into.size > before;
    }
  }
  return states.map((progress) => ({ progress, outbox: boxes.get(alike(progress)) ?? new Set() }));
}

/** Whose queue a purpose waits in. */
function legNamed(purpose: string): string {
  if (purpose === 'pay' || purpose.startsWith('hold.')) return 'lightning';
  if (purpose === 'whose batch' || purpose === 'provider.cosign') return 'arkade';
  if (['keep our funding', 'tell its cost', 'htlc.resend'].includes(purpose)) return 'bitcoin';
  if (purpose === 'provider.cosign-htlc' || purpose === 'provider.sign-claim') return 'bitcoin';
  if (purpose === 'provider.create') return 'order';
  return purpose.split(' on ')[1] ?? 'evm';
}

/** A state whose outbox is gone. */
export interface Lost {
  readonly name: string;
  readonly progress: { readonly at: string };
  /** What may have waited. */
  readonly outbox: ReadonlySet<string>;
  /** What is asked for again. */
  readonly orders: ReadonlySet<string>;
  /** What anybody sees of it. */
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
}

export function afterLoss<T, P extends State>(of: Case<T, P>, sides: Sides): readonly Lost[] {
  const { machine, terms } = of;
  // Nothing is noted of what only a note shows.
  const held = (p: P) => {
    const rescue = machine.rescue?.(terms, p) ?? null;
    return rescue?.byNote === true ? { ...rescue, shown: false } : rescue;
  };
  const view = (p: P) => [p.at, machine.status(p), machine.open(terms, p), held(p)];
  return outboxes(of, sides).map(({ progress, outbox }) => {
    const resumed = machine.resume?.(terms, progress, clocksAt(start)) ?? { progress, effects: [] };
    return {
      name: nameOf(progress),
      progress,
      outbox,
      orders: new Set(resumed.effects.map((effect) => purposeOf(effect, progress, sides))),
      before: view(progress),
      after: view(machine.shape.progress.read(resumed.progress, machine.shape.progress.version)),
    };
  });
}
