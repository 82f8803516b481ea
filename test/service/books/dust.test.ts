import { expect, test } from 'vitest';
import { createBooks } from '../../../engine/service/books/books.ts';
import { evmBook } from '../../../engine/service/books/evm.ts';
import { bitcoinBook } from '../../../engine/service/books/bitcoin.ts';
import type { Networks } from '../../../engine/service/networks/networks.ts';
import type { Runtime } from '../../../engine/runtime/runtime.ts';

/* What strangers send keeps the books from no verdict. */

const network = 'evm:137';
const account = new Uint8Array(20);

/** An account whose books say 1,000, and what its readings say one after the other. */
function accountOf() {
  let reading: object = { state: 'absent' };
  const booked = { balance: 1_000n, base: 1_000n };
  const alerts: string[] = [];
  const closed: (string | null)[] = [];
  const runtime = {
    store: {
      nonces: { open: () => [], last: () => 0 },
      ledger: {
        balance: () => booked.balance,
        balances: () => [],
        linesAfter: () => [],
        write: (...[, , , { amount }]: [0, 0, 0, { amount: bigint }]) => (booked.balance += amount),
      },
      bookCoins: {
        all: () => new Map([['account', booked.base]]),
        put: (...[, , keep]: [0, 0, bigint]) => (booked.base = keep),
      },
      settings: { get: () => null },
      atomically: (work: () => void) => work(),
    },
    clock: { now: () => ({ wall: 1 }) },
    guard: {
      close: (_: string, sentence: string | null) => closed.push(sentence),
      closed: () => closed.at(-1) ?? null,
    },
    alert: (_: null, sentence: string) => alerts.push(sentence),
    ports: { arkade: null, [network]: { account: () => account } },
    log: { warn: () => undefined },
  } as unknown as Runtime;
  const networks = {
    chains: new Map([[network, { last: () => reading }]]),
    lightning: () => ({ state: 'off' }),
  } as unknown as Networks;
  const read = (units: bigint): void => {
    reading = { state: 'connected', facts: { coin: { token: account, units }, pegged: null } };
  };
  return { runtime, networks: () => networks, read, booked, alerts, closed };
}

test('a shortfall of an EVM account stands, and is told of once, whatever dust comes in at each reading', async () => {
  const { runtime, networks, read, alerts, closed } = accountOf();
  const books = createBooks({ runtime, networks, everyMs: 60_000 });
  for (let i = 0n; i < 8n; i++) {
    read(500n + i);
    await books.check();
  }
  expect([alerts.length, closed.at(-1) ?? null]).toEqual([1, expect.stringContaining('less')]);
  // More that goes is news.
  read(400n);
  await books.check();
  expect(alerts).toHaveLength(2);
});

test('what came in at every reading is booked as far as three of them had it', async () => {
  const { runtime, networks, read } = accountOf();
  const book = evmBook(runtime, networks, network, 'coin');
  const lines: unknown[] = [];
  for (const units of [1_010n, 1_010n, 1_011n, 1_012n]) {
    read(units);
    const look = await book.look();
    lines.push('unknown' in look ? null : look.verdict.lines.map(({ kind, amount, keep }) => [kind, amount, keep]));
  }
  expect(lines).toEqual([null, [], [], [['deposit', 10n, 1_010n]]]);
});

/** A Bitcoin wallet of so many coins. */
function walletOf(coins: number, booked: readonly string[]) {
  const txid = (i: number) => i.toString(16).padStart(64, '0');
  const questions: string[] = [];
  const runtime = {
    store: {
      chainCoins: {
        all: () => Array.from({ length: coins }, (_, i) => ({ outpoint: { txid: txid(i), vout: 0 }, amount: 330n })),
      },
      bookCoins: { all: () => new Map(booked.map((place) => [place, 330_000n])) },
      ledger: { balance: () => BigInt(booked.length) * 330_000n },
      transactions: { byId: () => null },
    },
    clock: { now: () => ({ bitcoin: {} }) },
    ports: {
      bitcoin: {
        spend: async ({ txid: of }: { txid: string }) => {
          questions.push(of);
          return null;
        },
      },
    },
  } as unknown as Runtime;
  const networks = { bitcoinWallet: () => ({ state: 'connected' }) } as unknown as Networks;
  return { book: bitcoinBook(runtime, () => networks), questions };
}

test('a Bitcoin wallet of thousands of coins is compared', async () => {
  const look = await walletOf(3_000, []).book.look();
  expect('unknown' in look ? look : look.verdict.lines.length).toBe(3_000);
});

test('a coin whose block was taken back is on its way, and the others are compared', async () => {
  const { book } = walletOf(2, [`${'f'.repeat(64)}:0`]);
  const look = await book.look();
  expect('unknown' in look ? look : [look.verdict.difference, look.verdict.lines.length]).toEqual([0n, 2]);
});
