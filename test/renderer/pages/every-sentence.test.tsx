import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, describe, expect, test } from 'vitest';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { takerMachine, type TakerDirection } from '../../../engine/domain/chain.ts';
import type { Clocks } from '../../../engine/domain/time.ts';
import type { Entry } from '../../../engine/runtime/working-set.ts';
import { takerSwapOf, type OwnWallet } from '../../../engine/service/taker/view.ts';
import type { TakerProgress } from '../../../engine/taker/terms.ts';
import { Screen } from '../../../renderer/pages/swaps/one-swap-page.tsx';
import { flightOf } from '../../../renderer/records/flight.ts';
import { useRecords } from '../../../renderer/stores/records.ts';
import { start } from '../../swap/cases.ts';
import { evmClocksAt } from '../../swap/evm-cases.ts';
import { explore } from '../../swap/explore.ts';
import { everyCase, type AnyCase } from '../../taker/every-case.ts';

/* Every state that a machine can be in is drawn as its owner sees it, and every sentence is held against what that state has seen. */

const id = '7f3a91c4-0000-4000-8000-000000000001';
const clocks = [evmClocksAt(start + 60), evmClocksAt(start + 13 * 3_600), evmClocksAt(start + 60 * 3_600)];

function swapOf(
  name: TakerDirection,
  { terms, machine }: AnyCase,
  progress: TakerProgress,
  now: Clocks,
  own: OwnWallet,
) {
  const row = {
    id,
    machine: takerMachine(name),
    createdAt: start,
    updatedAt: start + 30,
    version: 1,
    status: machine.status(progress),
    open: true,
    flag: null,
    userId: null,
    valueSats: 100_000n,
    terms,
    progress,
  };
  const swap = takerSwapOf({ row, machine } as unknown as Entry, {
    now,
    journal: [],
    ownWallet: own,
    isTaken: () => true,
  });
  if (swap === null) throw new Error(`${name} is no swap of the owner's own`);
  return swap;
}

/** The same swap, given up before it was paid. */
function cancelledOf({ machine, terms, first }: AnyCase): readonly TakerProgress[] {
  const step = machine.step(terms, first, { is: 'cancel.requested' }, evmClocksAt(start + 60));
  return step === 'stay' ? [] : [step.progress];
}

/** What people read: without pictures, ids and addresses. */
function textOf(swap: TakerSwap): string {
  return renderToStaticMarkup(<Screen swap={swap} />)
    .replaceAll(/<svg.*?<\/svg>/gs, ' ')
    .replaceAll(/<dl class="facts proof">.*?<\/dl>/gs, ' ')
    .replaceAll(/<[a-z]+ [^>]*data-testid="pay-text".*?<\/(div|p)>/gs, ' ')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&#x27;/g, "'")
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** What the state itself has seen of a payment, read from it by hand and not by what the page is told. */
interface Raw {
  readonly at: string;
  readonly said?: string;
  readonly why?: string | null;
  readonly detail?: string | null;
  readonly coins?: readonly {
    readonly spent?: boolean;
    readonly spend?: { readonly by: string; readonly mined: boolean } | null;
  }[];
  readonly made?: object | null;
  readonly signedUntil?: number | null;
  readonly takenBy?: string | null;
  readonly claimTxid?: string | null;
}

function standsOf(name: TakerDirection, p: Raw): boolean {
  if (name.startsWith('arkade-')) return (p.coins ?? []).some(({ spent }) => spent !== true);
  if (name.startsWith('evm-')) return (p.made ?? null) !== null && p.at !== 'refunded' && (p.takenBy ?? null) === null;
  if (name === 'bitcoin-arkade')
    return (p.coins ?? []).some(({ spend }) => spend === null || (spend?.by === 'refund' && !spend.mined));
  return false;
}

const unpaidWords = new Set(['pending', 'expired']);

function paidOf(name: TakerDirection, p: Raw, own: OwnWallet): boolean {
  if (own === 'pays') return true;
  if (name === 'lightning-arkade')
    return (
      p.at !== 'creating' &&
      p.at !== 'refused' &&
      (!unpaidWords.has(p.said ?? 'pending') ||
        (p.why ?? p.detail ?? null) !== null ||
        ['claiming', 'claimed', 'lost'].includes(p.at))
    );
  if (name === 'bitcoin-arkade' && ['funded', 'claimed', 'refunding', 'done', 'lost'].includes(p.at)) return true;
  return (
    (p.coins ?? []).length > 0 ||
    (p.made ?? null) !== null ||
    (p.signedUntil ?? null) !== null ||
    (p.takenBy ?? null) !== null
  );
}

/** All that a page is drawn by, and all that it is held against: what is alike in both is drawn once. */
function looksOf(name: TakerDirection, progress: Raw, own: OwnWallet, swap: TakerSwap): string {
  const { at, phase, outcome, attention, turn, paid, refund, reason, pay, times } = swap;
  const open = times.now !== null && times.refund_alone_from !== null && times.refund_alone_from <= times.now;
  const raw = [standsOf(name, progress), paidOf(name, progress, own)];
  const shown = [phase, outcome, attention, turn.who, turn.step, paid.state, refund.state, refund.why, reason];
  return JSON.stringify([at, own, raw, shown, pay !== null, open]);
}

function differing<T>(all: readonly T[], looks: (one: T) => string): readonly T[] {
  return [...new Map(all.map((one) => [looks(one), one])).values()];
}

/** Sentences, and what has to be so wherever one of them stands. */
const promises: readonly {
  readonly says: RegExp;
  readonly needs: (name: TakerDirection, p: Raw, own: OwnWallet) => boolean;
}[] = [
  { says: /Your money is safe|can be taken back now/, needs: standsOf },
  { says: /pay(ing)? (it )?again|In flight/i, needs: paidOf },
  { says: /You paid /, needs: paidOf },
  { says: /are coming back|Refundable from/, needs: standsOf },
  { says: /goes back to the wallet that paid|is going back/, needs: paidOf },
  { says: /the provider says/, needs: (name, p, own) => name === 'lightning-arkade' && paidOf(name, p, own) },
  {
    says: /is claiming|is locked for you|Sluice claimed/,
    needs: (_, p) => ['claiming', 'claimed', 'done'].includes(p.at) || (p.takenBy ?? null) !== null,
  },
  { says: /Arrived, final/, needs: (_, p) => ['claimed', 'paid', 'done'].includes(p.at) },
  { says: /(is|are) back\b|All of it is back/, needs: (_, p) => ['done', 'refunded'].includes(p.at) },
];

/** What no page says: times as machines count them, names of fields, errors of sockets, values that are none. */
const never =
  /\b1[6-9]\d{8}\b|\b[a-z]+_[a-z_]+\b|socket|ECONN|fetch failed|undefined|null|NaN|\[object|in its own words/i;

function become(over: Partial<ReturnType<typeof useRecords.getState>>): void {
  Object.assign(useRecords.getInitialState(), over);
}

afterEach(() => become({ trouble: null, readAt: null, status: null }));

describe.each(Object.entries(everyCase) as [TakerDirection, AnyCase][])('%s', (name, one) => {
  const states: readonly TakerProgress[] = [
    { at: 'creating' },
    { at: 'refused', reason: 'provider-silent', detail: null } as TakerProgress,
    ...explore(one).states,
    ...cancelledOf(one),
  ];
  const restored = { ...one, terms: { ...one.terms, restored: start } } as AnyCase;
  const drawn = clocks.flatMap((now) =>
    (['cannot', 'can', 'pays'] as const).flatMap((own) =>
      [one, restored].flatMap((of) =>
        differing(
          states.map((progress) => ({ progress: progress as Raw, own, swap: swapOf(name, of, progress, now, own) })),
          ({ progress, swap }) => looksOf(name, progress, own, swap),
        ),
      ),
    ),
  );
  const label = (progress: Raw, swap: TakerSwap) =>
    `${progress.at} ${progress.said ?? ''} ${swap.phase} ${swap.paid.state}`;

  test('every sentence of every state is one that the state has seen', () => {
    const wrong = new Set<string>();
    for (const { progress, own, swap } of drawn) {
      const text = textOf(swap);
      for (const { says, needs } of promises)
        if (says.test(text) && !needs(name, progress, own))
          wrong.add(`${label(progress, swap)}: ${says.exec(text)?.[0]}`);
    }
    expect([...wrong]).toEqual([]);
  });

  test('no sentence counts seconds, names a field, or repeats an error of a socket', () => {
    const wrong = new Set<string>();
    for (const { progress, swap } of drawn) {
      const bad = never.exec(textOf(swap))?.[0];
      if (bad !== undefined) wrong.add(`${label(progress, swap)}: ${bad}`);
    }
    expect([...wrong]).toEqual([]);
  });

  test('what was never seen to be paid is not in flight', () => {
    const wrong = drawn.filter(
      ({ progress, own, swap }) => flightOf([swap]).amounts.length > 0 && !paidOf(name, progress, own),
    );
    expect(wrong.map(({ progress, swap }) => label(progress, swap))).toEqual([]);
  });

  test('of a node that does not answer, no page says that it does something, and nothing can be pressed', () => {
    become({ trouble: 'The node does not answer.', readAt: start });
    const wrong = new Set<string>();
    for (const { progress, swap } of drawn) {
      if (!swap.open) continue;
      const text = textOf(swap);
      const bad =
        /Nothing to do for you|Sluice is claiming|Sluice keeps working|Watching for|is locking it|Scan it/.exec(
          text,
        )?.[0];
      if (bad !== undefined) wrong.add(`${label(progress, swap)}: ${bad}`);
      const html = renderToStaticMarkup(<Screen swap={swap} />);
      for (const [press, inside = ''] of html.matchAll(/<button(?![^>]*aria-disabled)[^>]*>(.*?)<\/button>/gs))
        if (!/copy/i.test(press)) wrong.add(`${label(progress, swap)}: ${inside.replaceAll(/<[^>]+>/g, '')}`);
    }
    expect([...wrong]).toEqual([]);
  });

  test('while a network of it is away, nobody is asked to pay what nobody would see', () => {
    const pays = drawn.filter(({ swap }) => swap.phase === 'pay' && swap.pay !== null);
    const networks = [...new Set(pays.flatMap(({ swap: { give, get } }) => [give.network, get.network]))];
    become({
      status: {
        networks: networks
          .filter((network) => network !== 'lightning')
          .map((network) => ({ name: network, state: 'away' as const, detail: 'socket hang up' })),
      } as never,
    });
    expect(pays.length).toBeGreaterThan(0);
    for (const { swap } of pays) {
      const html = renderToStaticMarkup(<Screen swap={swap} />);
      expect([html.includes('pay-text'), never.exec(textOf(swap))?.[0]]).toEqual([false, undefined]);
    }
  });
});
