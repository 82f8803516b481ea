// A direction out of any two halves, each with terms of its own, and everything that they tell each other.
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { Leg } from '../../engine/legs/leg.ts';
import type { OnlyIf } from '../../engine/legs/only-if.ts';
import { never, wait, type Safety } from '../../engine/legs/safety/verdict.ts';
import type { Event, Machine, SwapOutcome, SwapStep } from '../../engine/swap/machine.ts';
import type { State } from '../../engine/swap/provider/direction.ts';
import { providerOf } from '../../engine/swap/provider/machine.ts';
import { start, type Telling } from './cases.ts';
import { explore, type Move } from './explore.ts';
import { claims, funds, withEveryClock, type AnyClaim, type AnyFund } from './pair-halves.ts';
import { nameOf } from './table.ts';

export const networks: readonly Leg[] = ['arkade', 'bitcoin', 'evm', 'lightning'];

export const everyPair = networks.flatMap((claim) =>
  networks.filter((fund) => fund !== claim).map((fund) => [`${claim}-${fund}`, claim, fund] as const),
);

/** What a half answered, and in which state of the swap. */
export interface HalfAnswer {
  readonly side: 'claim' | 'fund';
  readonly by: string;
  readonly answer: string;
}

export interface Look {
  readonly from: State;
  readonly event: Event;
  readonly outcome: SwapOutcome<State>;
  readonly answers: readonly HalfAnswer[];
  readonly verdict: Safety;
}

export interface Explored {
  readonly claim: AnyClaim;
  readonly fund: AnyFund;
  readonly machine: Machine<object, State>;
  readonly terms: object;
  readonly states: readonly State[];
  readonly moves: readonly Move<State>[];
  /** What was told of in which stage. */
  readonly entries: ReadonlySet<string>;
  /** Fields of the terms that both halves read, and that differ. */
  readonly clashes: () => readonly string[];
}

/** The conditions of the pair, by which whatever is given for the first time is known. */
export const onlyIf: OnlyIf = { notAfter: unix(start + 3_600) };

const answering = {
  claim: ['waiting', 'backing', 'claiming', 'over', 'stopped', 'lapsed', 'refunded'],
  fund: ['standing', 'revealed', 'lost', 'doubted', 'afterReturn'],
} as const;

/** What the join makes of an answer depends on this much of it. */
function kindOf(answer: unknown): string {
  if (answer === null || answer === 'stay') return String(answer);
  const { fact, doubt, next, progress } = answer as {
    fact?: string;
    doubt?: object | null;
    next?: State;
    progress?: { at?: string };
  };
  if (fact === undefined) return `moves${progress?.at === undefined ? '' : ` to ${progress.at}`}`;
  return `${fact}${next === undefined ? '' : ` ${next.at}`}${fact === 'declined' && doubt !== null ? ' in doubt' : ''}`;
}

export type Halves = Readonly<{ claim: AnyClaim; fund: AnyFund }>;

/** A step as a wrong pair would take it. */
export type Mutant = (step: SwapStep<State>, from: State, halves: Halves) => SwapStep<State>;

/** The pair, or what it would be with a fault. */
export function explorePair(
  claimOn: Leg,
  fundOn: Leg,
  look: (step: Look) => void,
  mutant: Mutant = (step) => step,
): Explored {
  const { [claimOn]: claimSide } = claims;
  const { [fundOn]: fundSide } = funds;
  const both = {};
  const verdicts = new WeakMap<Clocks, Safety>();
  let answers: HalfAnswer[] = [];
  let verdict: Safety = null;
  const reads = { claim: new Set<string>(), fund: new Set<string>() };

  function ofItsTerms<H extends AnyClaim | AnyFund>(side: 'claim' | 'fund', half: H, terms: object): H {
    const read = new Proxy(terms, {
      get(of, name) {
        reads[side].add(String(name));
        return Reflect.get(of, name) as unknown;
      },
    });
    const listed: readonly string[] = answering[side];
    return Object.fromEntries(
      Object.entries(half).map(([name, part]: [string, unknown]) => {
        if (typeof part !== 'function') return [name, part];
        const ask = (...args: unknown[]): unknown => {
          const answer: unknown = Reflect.apply(
            part,
            half,
            args.map((arg) => (arg === both ? read : arg)),
          );
          if (listed.includes(name)) answers.push({ side, by: name, answer: kindOf(answer) });
          return answer;
        };
        return [name, ask];
      }),
    ) as unknown as H;
  }

  const { half: claim } = claimSide;
  const { half: fund } = fundSide;
  const machine = providerOf<object, never, never>({
    name: `${claimOn}-${fundOn}`,
    terms: { version: 1, read: (stored: unknown) => stored as object },
    claim: ofItsTerms('claim', claim, claimSide.terms) as never,
    fund: ofItsTerms('fund', fund, fundSide.terms) as never,
    judge: (_, __, now) => (verdict = verdicts.get(now) ?? null),
    onlyIf: () => onlyIf,
    notes: [],
    unfunded: { locktime: () => start, script: () => null },
  }) as unknown as Machine<object, State>;

  const judgedAs = ({ label, event, now }: Telling, as: string, safety: Safety): Telling => {
    const at = { ...now };
    verdicts.set(at, safety);
    return { label: `${label}, ${as}`, event, now: at };
  };
  const tellings = [...claimSide.tellings, ...fundSide.tellings].map((one) => ({
    ...one,
    now: withEveryClock(one.now),
  }));
  const events = [
    ...tellings,
    ...fundSide.tellings.map((one) => ({ ...one, label: `${one.label}, at the line`, now: claimSide.line })),
    ...tellings
      .filter(({ event }) => claim.isLook(event) || event.is.endsWith('.prepared'))
      .flatMap((one) => [judgedAs(one, 'not yet', wait('not yet')), judgedAs(one, 'never', never('never'))]),
  ];

  const entries = new Set<string>();
  const watched: Machine<object, State> = {
    ...machine,
    step(terms, from, event, now) {
      [answers, verdict] = [[], null];
      const answer = machine.step(terms, from, event, now);
      const outcome = answer === 'stay' ? answer : mutant(answer, from, { claim, fund });
      for (const { side, by, answer: as } of answers) entries.add(`${stageOf(from)} | ${side} ${by}: ${as}`);
      look({ from, event, outcome, answers, verdict });
      return outcome;
    },
  };
  const { states, moves } = explore({ machine: watched, terms: both, first: claimSide.first, events, alike });
  const clashes = () => clashesOf(reads, claimSide, fundSide);
  return { claim, fund, machine, terms: both, states, moves, entries, clashes };
}

function stageOf({ at, doubt, returned }: State): string {
  const isBack = at === 'refunded' && returned !== undefined;
  return `${at}${doubt === undefined ? '' : ' in doubt'}${isBack ? ', ours back' : ''}`;
}

function clashesOf(
  reads: Readonly<Record<'claim' | 'fund', ReadonlySet<string>>>,
  { terms: theirs }: { readonly terms: object },
  { terms: ours }: { readonly terms: object },
): string[] {
  const of = (terms: object, name: string) => textOf(Reflect.get(terms, name));
  return [...reads.claim].filter((name) => reads.fund.has(name) && of(theirs, name) !== of(ours, name)).sort();
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part)) ?? 'none';
}

const marks = [
  'told',
  'racing',
  'bothLegs',
  'finishing',
  'asked',
  'unwatched',
  'returned',
  'cancelled',
  'buried',
  'fenced',
  'claimTxid',
  'redeemTxid',
  'refundTxid',
] as const;
/** Of a claim that is over, where they decide nothing any more. */
const underWay = ['mined', 'halted'] as const;

/** States that the join cannot tell apart are one. */
export function alike(p: State): string {
  const wide = p as State & {
    readonly extras?: readonly object[];
    readonly spends?: readonly string[];
    readonly shallow?: object;
    readonly funding?: object | null;
  };
  const { at, extras = [], spends = [], shallow, doubt } = wide;
  const isOver = at === 'claimed' || at === 'lost';
  return [
    nameOf(p as Parameters<typeof nameOf>[0]),
    extras.length > 0,
    spends.length > 0,
    shallow === undefined ? 'deep' : Object.keys(shallow).join(),
    wide.funding === null,
    doubt === undefined ? 'sure' : 'placed' in doubt && doubt.placed === null,
    ...[...marks, ...(isOver ? [] : underWay)].filter((mark) => Boolean(Reflect.get(p, mark))),
  ].join();
}
