import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, describe, expect, test } from 'vitest';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { takerMachine, type TakerDirection } from '../../../engine/domain/chain.ts';
import type { Clocks } from '../../../engine/domain/time.ts';
import type { Entry } from '../../../engine/runtime/working-set.ts';
import { takerSwapOf, type OwnWallet } from '../../../engine/service/taker/view.ts';
import type { TakerProgress } from '../../../engine/taker/terms.ts';
import { InFlight } from '../../../renderer/app/rail.tsx';
import { columns as activityColumns } from '../../../renderer/pages/activity/columns.tsx';
import { refundGroups } from '../../../renderer/pages/refunds/groups.ts';
import { RefundTables } from '../../../renderer/pages/refunds/refunds-page.tsx';
import { Screen } from '../../../renderer/pages/swaps/one-swap-page.tsx';
import { FoldTable } from '../../../renderer/parts/fold-table.tsx';
import { flightOf } from '../../../renderer/records/flight.ts';
import { useRecords } from '../../../renderer/stores/records.ts';
import { start } from '../../swap/cases.ts';
import { evmClocksAt } from '../../swap/evm-lightning-cases.ts';
import { explore } from '../../swap/explore.ts';
import { everyCase, type AnyCase } from '../../taker/every-case.ts';
import { listed, never, otherClock, paidOf, promises, standsOf, type Raw } from './promises.ts';

/*
 * Every state that a machine can be in is drawn as its owner sees it, and every sentence is held against what that
 * state has seen.
 */

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
  return { ...swap, label: null, note: null };
}

/** The same swap, given up before it was paid. */
function cancelledOf({ machine, terms, first }: AnyCase): readonly TakerProgress[] {
  const step = machine.step(terms, first, { is: 'cancel.requested' }, evmClocksAt(start + 60));
  return step === 'stay' ? [] : [step.progress];
}

/** What the page of a swap says, drawn once. */
function pageOf(swap: TakerSwap): string {
  const text = pages.get(swap) ?? textOf(<Screen swap={swap} />);
  pages.set(swap, text);
  return text;
}

const pages = new WeakMap<TakerSwap, string>();

/** What the lists of swaps say of it, and the foot of every page. */
function listsOf(swap: TakerSwap): string {
  const keyOf = ({ id: key }: TakerSwap) => key;
  return textOf(
    <>
      <FoldTable caption="Activity" columns={activityColumns} rows={[swap]} keyOf={keyOf} />
      <RefundTables groups={refundGroups(swap.open ? [swap] : [])} />
      <InFlight flight={flightOf([swap])} reached />
    </>,
  );
}

/** What people read: without pictures, ids and addresses. */
function textOf(page: ReactNode): string {
  return textIn(renderToStaticMarkup(page));
}

function textIn(html: string): string {
  return html
    .replaceAll(/<svg.*?<\/svg>/gs, ' ')
    .replaceAll(/<dl class="facts proof">.*?<\/dl>/gs, ' ')
    .replaceAll(/<[a-z]+ [^>]*data-testid="pay-text".*?<\/(div|p)>/gs, ' ')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&#x27;/g, "'")
    .replaceAll(/\s+/g, ' ')
    .trim();
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
      const text = pageOf(swap);
      for (const { says, needs } of promises)
        if (says.test(text) && !needs(name, progress, own))
          wrong.add(`${label(progress, swap)}: ${says.exec(text)?.[0]}`);
    }
    expect([...wrong]).toEqual([]);
  });

  test('the lists and the foot of every page say no more of it', () => {
    const wrong = new Set<string>();
    for (const { progress, own, swap } of drawn) {
      const text = listsOf(swap);
      for (const { says, needs } of [...listed, { says: never, needs: () => false }])
        if (says.test(text) && !needs(name, progress, own))
          wrong.add(`${label(progress, swap)}: ${says.exec(text)?.[0]}`);
      if (swap.open && /You can close/.test(text)) wrong.add(`${label(progress, swap)}: You can close`);
    }
    expect([...wrong]).toEqual([]);
  });

  test('no sentence counts seconds, names a field, repeats an error, or has a time in its own form', () => {
    const wrong = new Set<string>();
    for (const { progress, swap } of drawn) {
      const text = pageOf(swap);
      const bad = (never.exec(text) ?? otherClock.exec(text))?.[0];
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

  test('the time to pay ends at one moment, wherever it stands', () => {
    const two = drawn.filter(
      ({ swap: { phase, pay, turn } }) => phase === 'pay' && pay !== null && turn.until !== pay.until,
    );
    expect(two.map(({ progress, swap }) => label(progress, swap))).toEqual([]);
  });

  test('a claim that is late is danger, and no page calls it safe', () => {
    const late = drawn.filter(({ swap: { phase, times } }) => {
      const { now, normal_until } = times;
      return phase === 'claim' && now !== null && normal_until !== null && now >= normal_until;
    });
    const calm = late.filter(({ swap }) => swap.attention !== 'danger' || /is safe/.test(pageOf(swap)));
    expect(calm.map(({ progress, swap }) => label(progress, swap))).toEqual([]);
    expect(late.length > 0).toBe(drawn.some(({ swap }) => swap.phase === 'claim'));
  });

  test('of a node that does not answer, no page says that it does something, and nothing can be pressed', () => {
    become({ trouble: 'The node does not answer.', readAt: start });
    const wrong = new Set<string>();
    for (const { progress, swap } of drawn) {
      if (!swap.open) continue;
      const html = renderToStaticMarkup(<Screen swap={swap} />);
      const text = textIn(html);
      const bad =
        /Nothing to do for you|Sluice is claiming|Sluice keeps working|Watching for|is locking it|Scan it/.exec(
          text,
        )?.[0];
      if (bad !== undefined) wrong.add(`${label(progress, swap)}: ${bad}`);
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
      expect([html.includes('pay-text'), never.exec(textIn(html))?.[0]]).toEqual([false, undefined]);
    }
  });
});
