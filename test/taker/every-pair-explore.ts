// A client's direction out of any two halves, each with terms of its own, and everything that they tell each other.
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import type { Clocks } from '../../engine/domain/time.ts';
import type { Leg as Network } from '../../engine/legs/leg.ts';
import type { Event, Machine, SwapOutcome, SwapStep } from '../../engine/swap/machine.ts';
import { clientOf } from '../../engine/taker/client/client.ts';
import { isAgreed, type Client, type State } from '../../engine/taker/client/pair.ts';
import type { TakenDirection } from '../../engine/taker/direction.ts';
import type { Deal, Leg, OrderTerms } from '../../engine/taker/terms.ts';
import type { Telling } from '../swap/cases.ts';
import { explore, type Move } from '../swap/explore.ts';
import { withEveryClock } from '../swap/pair-halves.ts';
import { claims, funds, unlocked, type AnyClaim, type AnyFund } from './every-pair-halves.ts';

export const networks: readonly Network[] = ['arkade', 'bitcoin', 'evm', 'lightning'];

export const everyPair = networks.flatMap((fund) =>
  networks.filter((claim) => claim !== fund).map((claim) => [`${fund}-${claim}`, fund, claim] as const),
);

export interface Look {
  readonly from: State;
  readonly event: Event;
  readonly now: Clocks;
  readonly outcome: SwapOutcome<State>;
  /** Of the state before. */
  readonly isOpen: boolean;
}

export interface Explored {
  readonly fund: AnyFund;
  readonly claim: AnyClaim;
  readonly secret: 'ours' | 'payee';
  readonly machine: Machine<OrderTerms, State>;
  readonly direction: TakenDirection;
  readonly terms: OrderTerms;
  readonly states: readonly State[];
  readonly moves: readonly Move<State>[];
  readonly tellings: readonly Telling[];
  /** What was told in which stage. */
  readonly entries: ReadonlySet<string>;
  /** Fields of the terms that both halves read, and that differ. */
  readonly clashes: () => readonly string[];
}

/** A step as a wrong pair would take it. */
export type Mutant = (step: SwapStep<State>, from: State, halves: Pick<Explored, 'fund' | 'claim'>) => SwapStep<State>;

const answering = {
  claim: ['offered', 'claiming', 'told'],
  fund: ['step', 'meanwhile'],
} as const;

/** A claim, with these terms. */
function isOf(arg: unknown, terms: object): arg is object {
  return typeof arg === 'object' && arg !== null && 't' in arg && arg.t === terms;
}

/** What the join makes of an answer depends on this much of it. */
function kindOf(answer: unknown): string {
  if (answer === null || answer === 'stay') return String(answer);
  const { fact, progress } = answer as { fact?: string; progress?: { at?: string } };
  return fact ?? `moves${progress?.at === undefined ? '' : ` to ${progress.at}`}`;
}

/** The pair, or what it would be with a fault. */
export function explorePair(
  fundOn: Network,
  claimOn: Network,
  look: (step: Look) => void,
  mutant: Mutant = (step) => step,
): Explored {
  const { [fundOn]: fundSide } = funds;
  const { [claimOn]: claimSide } = claims;
  const terms = { ...(fundSide.terms as OrderTerms) };
  const deal: Deal = { swapId: 'theirs', source: fundSide.leg, target: claimSide.leg, costs: [] };
  const reads = { claim: new Set<string>(), fund: new Set<string>() };
  let answers: string[] = [];

  function ofItsTerms<H extends object>(side: 'claim' | 'fund', half: H, own: object): H {
    const read = new Proxy(own, {
      get(of, name) {
        reads[side].add(String(name));
        return Reflect.get(of, name) as unknown;
      },
    });
    const listed: readonly string[] = answering[side];
    const wrapped = (of: object): object =>
      Object.fromEntries(
        Object.entries(of).map(([name, part]: [string, unknown]) => {
          if (name === 'view' || name === 'words') return [name, wrapped(part as object)];
          if (typeof part !== 'function') return [name, part];
          const ask = (...args: unknown[]): unknown => {
            const answer: unknown = Reflect.apply(
              part,
              of,
              args.map((arg) => (arg === terms ? read : isOf(arg, terms) ? { ...arg, t: read } : arg)),
            );
            if (listed.includes(name)) answers.push(`${side} ${name}: ${kindOf(answer)}`);
            return answer;
          };
          return [name, ask];
        }),
      );
    return wrapped(half) as H;
  }

  const { half: fund } = fundSide;
  const { half: claim } = claimSide;
  const secret = claim.look === null ? 'payee' : 'ours';
  function none(): never {
    throw new Error('nothing is ordered of a pair that nobody offers');
  }
  const direction = clientOf<OrderTerms, Leg, Leg>({
    direction: 'arkade-evm',
    terms: { version: 1, read: (stored: unknown) => stored as OrderTerms },
    fund: ofItsTerms('fund', fund, fundSide.terms) as never,
    claim: ofItsTerms('claim', claim, claimSide.terms) as never,
    order: none,
    request: none,
    verify: none,
    neverRefunded: null,
    restorable: null as never,
  } satisfies Client<OrderTerms, Leg, Leg>);
  const machine = direction.machine(decodeInvoice) as unknown as Machine<OrderTerms, State>;

  const own = [...fundSide.tellings, ...claimSide.tellings].map((one) => ({
    ...one,
    now: withEveryClock(one.now),
  }));
  const tellings = [
    ...own,
    ...own
      .filter(({ event }) => event.is === claim.look)
      .map(({ label, event, now }) => ({ label: `${label}, ours is back`, event, now: unlocked(fundOn, now) })),
  ];
  const entries = new Set<string>();
  const watched: Machine<OrderTerms, State> = {
    ...machine,
    step(t, from, event, now) {
      answers = [];
      const answer = machine.step(t, from, event, now);
      const outcome = answer === 'stay' ? answer : mutant(answer, from, { fund, claim });
      const isOpen = machine.open(t, from);
      look({ from, event, now, outcome, isOpen });
      // Of a swap that is over nothing is told any more, but what its owner asks for.
      if (!isOpen && event.is !== 'refund.requested') return 'stay';
      for (const one of answers) entries.add(`${from.at} | ${one}`);
      return outcome;
    },
  };
  const first = { ...fund.begin(deal), target: claim.none } as State;
  const { states, moves } = explore({ machine: watched, terms, first, events: tellings, alike });
  const clashes = () => clashesOf(reads, claimSide.terms, fundSide.terms);
  return { fund, claim, secret, machine, direction, terms, states, moves, tellings, entries, clashes };
}

function clashesOf(
  reads: Readonly<Record<'claim' | 'fund', ReadonlySet<string>>>,
  theirs: object,
  ours: object,
): string[] {
  const of = (terms: object, name: string) => textOf(Reflect.get(terms, name));
  return [...reads.claim].filter((name) => reads.fund.has(name) && of(theirs, name) !== of(ours, name)).sort();
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part)) ?? 'none';
}

const isOut: ReadonlySet<unknown> = new Set(['serverwontfund', 'expired']);

/** States that differ by a moment, by words of others, or by which of two coins alone, are one. */
export function alike(p: State): string {
  if (!isAgreed(p)) return p.at;
  const { deal: _, said: word, ...rest } = p;
  const meaning = p.at === 'waiting' ? word : isOut.has(word);
  return JSON.stringify([rest, meaning], (name, part: unknown) => {
    if (name === 'declined' || name === 'unsafe' || name === 'reason' || name === 'proof') return part !== null;
    if (name === 'outpoint') return 'one';
    if (typeof part === 'bigint') return part > 1_000n;
    return typeof part === 'number' ? part > 1 : part;
  });
}
