import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TakerSwaps } from '../../engine/contract/taker-swap.ts';
import type { TakerSwapsQuery } from '../../engine/contract/taker.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import { seconds, after } from '../../engine/domain/time.ts';
import { openDatabase } from '../../engine/store/open.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { createStore } from '../../engine/store/store.ts';
import type { SwapRow } from '../../engine/store/swaps.ts';
import { machines, startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';
import { coin, start } from '../swap/cases.ts';
import { fundDeal, takeArkadeCase, takeArkadeTerms } from './cases.ts';
import { everything } from './pair.ts';

/** Fifty thousand cost a page no more, and filling them in much. */
const total = 5_000;
const machine = 'take-arkade-lightning';
const shape = machines.find(({ name }) => name === machine)?.shape;

function hex(number: number, digit: string): string {
  return digit + number.toString(16).padStart(63, '0');
}

function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

const waiting = { ...takeArkadeCase.first, deal: fundDeal };

type End = 'finished' | 'returned' | 'unpaid';

/** Of ten two came back and one was never paid; three begin in the same second. The higher the number, the newer. */
function endOf(number: number): End {
  const rest = number % 10;
  return rest === 3 || rest === 7 ? 'returned' : rest === 5 ? 'unpaid' : 'finished';
}

function rowOf(number: number): SwapRow {
  const end = endOf(number);
  const created = after(start, seconds(Math.floor(number / 3)));
  const { source, target } = fundDeal;
  const dealt = {
    deal: {
      ...fundDeal,
      swapId: `theirs-${number}`,
      source: { ...source, amount: sats(1_000_000 + number), address: `tark1q${hex(number, 'a')}` },
      target: { ...target, bolt11: `lnbcrt1p${hex(number, 'b')}` },
    },
    said: 'pending',
    coins:
      end === 'unpaid'
        ? []
        : [{ outpoint: { txid: hex(number, 'c'), vout: 0 }, amount: sats(1_000_000 + number), spent: true }],
    expiresAt: null,
    proof: end === 'finished' ? { claimTxid: hex(number, 'd') } : null,
    target: {},
  };
  return {
    id: idOf(number),
    machine,
    createdAt: created,
    updatedAt: created,
    version: 0,
    status: 'pending',
    open: false,
    flag: null,
    userId: null,
    valueSats: 1_000_000n,
    terms: takeArkadeTerms,
    progress:
      end === 'unpaid'
        ? { at: 'lapsed', ...dealt }
        : ({
            at: 'done',
            refundTxid: end === 'returned' ? hex(number, 'e') : null,
            over: true,
            ...dealt,
          } as SwapRow['progress']),
    termsVersion: shape?.terms.version ?? 0,
    progressVersion: shape?.progress.version ?? 0,
  };
}

/** A database as a former build left it: swaps, and nothing that lists them. */
function fill(folder: string, count: number): void {
  mkdirSync(join(folder, 'life-1'), { recursive: true });
  const db = openDatabase(join(folder, 'life-1'));
  const store = createStore(db, createSealer(new Uint8Array(32)));
  store.atomically(() => {
    for (let number = 0; number < count; number++) {
      const row = rowOf(number);
      store.swaps.insert(row);
      for (const [from, to] of [
        ['', 'creating'],
        ['creating', 'waiting'],
        ['waiting', row.progress.at],
      ] as const)
        store.journal.write(row.id, { time: row.createdAt, event: 'event', from, to, effects: [] });
    }
  });
  db.close();
}

describe('thousands of swaps of a former build', () => {
  let world: World;
  let node: TestNode;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-list-'));
    fill(folder, total);
    world = startWorld();
    node = await startNodeOn(world, folder, { seed: 2, without: ['lightning'], coins: { count: 0, sats: 0n } });
  }, 240_000);

  afterAll(async () => {
    await node.stop();
    world.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function page(query: Partial<TakerSwapsQuery>): Promise<TakerSwaps> {
    const listed = await node.taker.swaps({ ...everything, limit: 50, ...query });
    if (isRefusal(listed)) throw new Error(listed.sentence);
    return listed;
  }

  /** The numbers of the swaps on a page, newest first. */
  async function numbers(query: Partial<TakerSwapsQuery>): Promise<number[]> {
    return (await page(query)).swaps.map(({ id }) => Number(id.slice(-12)));
  }

  /** The middle of five, in milliseconds. */
  async function timed(query: Partial<TakerSwapsQuery>): Promise<number> {
    const each: number[] = [];
    for (let i = 0; i < 5; i++) {
      const begun = performance.now();
      await page(query);
      each.push(performance.now() - begun);
    }
    return each.sort((a, b) => a - b)[2] ?? Infinity;
  }

  test('are all counted, each as it ended', async () => {
    expect((await page({})).counts).toEqual({
      all: total,
      open: 0,
      needs_you: 0,
      finished: total * 0.7,
      returned: total * 0.2,
    });
  });

  test('are gone through page by page, newest first, none twice and none left out', async () => {
    const met: number[] = [];
    for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
      const { swaps, next_cursor } = await page({ show: 'returned', cursor, limit: 200 });
      met.push(...swaps.map(({ id }) => Number(id.slice(-12))));
      cursor = next_cursor;
    }
    expect(met.every((number) => endOf(number) === 'returned')).toBe(true);
    expect(met).toEqual(
      Array.from({ length: total }, (_, i) => total - 1 - i).filter((number) => endOf(number) === 'returned'),
    );
  }, 120_000);

  test.each([
    ['the address that was paid', `tark1q${hex(777, 'a')}`],
    ['the invoice, as a wallet copies it', `LIGHTNING:LNBCRT1P${hex(777, 'b').toUpperCase()}`],
    ['the transaction that paid it', hex(777, 'c')],
    ['the transaction that brought it back', `0x${hex(777, 'e')}`],
    ['the amount', '1000777'],
    ['the amount, as it is shown', '1,000,777'],
    ['the amount in bitcoin', '0.01000777'],
    ['its id', idOf(777)],
    ['how its address begins', `tark1q${hex(777, 'a')}`.slice(0, -1)],
    ["the provider's id", 'theirs-777'],
  ])('one is found by %s', async (_, text) => {
    const hits = await numbers({ text });
    expect(hits).toContain(777);
    expect(hits.length).toBeLessThan(20);
  });

  test('an amount is found as a whole, and what is nowhere not at all', async () => {
    expect([await numbers({ text: '1000' }), await numbers({ text: '%' }), await numbers({ text: 'nothing' })]).toEqual(
      [[], [], []],
    );
  });

  test('a search is narrowed and gone through like the list, however common its text', async () => {
    const all = Array.from({ length: 400 }, (_, i) => total - 1 - i).filter((number) => endOf(number) === 'returned');
    const first = await page({ text: 'tark1q', show: 'returned', limit: 30 });
    const second = await numbers({ text: 'tark1q', show: 'returned', limit: 30, cursor: first.next_cursor });
    expect([...first.swaps.map(({ id }) => Number(id.slice(-12))), ...second]).toEqual(all.slice(0, 60));
    expect(await numbers({ text: 'theirs-777', show: 'finished', network: 'arkade' })).not.toContain(777);
    expect(await numbers({ text: 'theirs-777', network: 'bitcoin' })).toEqual([]);
  });

  test('a new one comes above a page that was read, and moves nothing below it', async () => {
    const first = await page({ limit: 5 });
    const next = await numbers({ limit: 5, cursor: first.next_cursor });
    const row = { ...rowOf(total), open: true, progress: waiting };
    node.runtime.commits.open(row.id, () => ({ row, effects: [] }));
    expect(await numbers({ limit: 5, cursor: first.next_cursor })).toEqual(next);
    expect((await numbers({ limit: 1 }))[0]).toBe(total);
  });

  test('one that goes on is counted and found as it is saved, and again as it moves', async () => {
    const states: unknown[] = [];
    async function look(): Promise<void> {
      const { all, open, needs_you } = (await page({})).counts;
      const paid = await numbers({ text: hex(total, 'c') });
      states.push({ all, open, needs_you, shown: await numbers({ show: 'needs-you' }), paid });
    }
    await look();
    const point = { txid: hex(total, 'c'), vout: 0 };
    const { amount, script } = waiting.deal.source;
    node.runtime.commits.deliver(idOf(total), { is: 'vhtlc.seen', coins: [coin({ outpoint: point, amount, script })] });
    await look();
    expect([states, node.store.takerSwaps.staleAfter('', 1)]).toEqual([
      [
        { all: total + 1, open: 1, needs_you: 1, shown: [total], paid: [] },
        { all: total + 1, open: 1, needs_you: 0, shown: [], paid: [total] },
      ],
      [],
    ]);
  });

  test('a cursor that this node never gave is refused', async () => {
    expect(await node.taker.swaps({ ...everything, cursor: 'nothing' })).toMatchObject({
      sentence: 'cursor is not valid: leave it out to start at the first page.',
    });
  });

  test('a page costs as much at the end as at the beginning, and a search no more', async () => {
    const deep = `${start + 300}.${idOf(0)}`;
    const each = [
      await timed({}),
      await timed({ cursor: deep }),
      await timed({ text: 'theirs-777' }),
      await timed({ text: 'tark1q' }),
      await timed({ network: 'lightning', show: 'returned' }),
      await timed({ network: 'evm:137' }),
    ];
    expect(Math.max(...each)).toBeLessThan(1_000);
  });
});
