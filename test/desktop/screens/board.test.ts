import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WalletAccount } from '../../../engine/contract/owner/accounts.ts';
import type { Earnings } from '../../../engine/contract/owner/earnings.ts';
import type { LedgerRow } from '../../../engine/contract/owner/ledger.ts';
import type { Liquidity } from '../../../engine/contract/owner/liquidity.ts';
import type { OwnerSwap, OwnerSwaps } from '../../../engine/contract/owner/swaps.ts';
import { program } from '../browser.ts';
import { openFixturePage, Refused, type FixturePage } from './fixture-page.ts';
import { now, shellFixtures, status, walletFixtures } from './fixtures.ts';

const line = (over: Partial<OwnerSwaps['swaps'][number]>): OwnerSwaps['swaps'][number] => ({
  id: 'e41b07d9-08c2-4f6e-b1a7-6d93f0527ea4',
  label: null,
  direction: 'lightning_to_arkade',
  status: 'clientredeemed',
  at: 'claimed',
  value_sats: 2_400_000,
  next_action: 'we settle the held payment',
  deadline: now + 6_720,
  slack_seconds: 6_720,
  flagged: false,
  ...over,
});
const hot = line({ flagged: true });
const calm = line({
  id: '7f3a91c4-08c2-4f6e-b1a7-6d93f0527ea4',
  direction: 'arkade_to_evm',
  status: 'serverfunded',
  value_sats: 1_246_415,
  next_action: 'the client claims the tokens',
  deadline: now + 39_540,
  slack_seconds: 39_540,
});
const over = line({
  id: '90c2fa18-08c2-4f6e-b1a7-6d93f0527ea4',
  direction: 'withdraw_bitcoin',
  status: 'serverredeemed',
  at: 'done',
  deadline: null,
  slack_seconds: null,
});

const today = Math.floor(Date.now() / 1_000) - 60;
const row = (over: Partial<LedgerRow>): LedgerRow => ({
  time: today,
  swap_id: calm.id,
  pair: 'arkade_to_evm',
  kind: 'protocol-fee',
  network: 'arkade',
  asset: 'btc',
  amount: '3116',
  ...over,
});
const rows = [
  row({}),
  row({ kind: 'network-fee-paid', network: 'evm:137', asset: `0x${'0'.repeat(40)}`, amount: '-31000000000000000' }),
  row({ pair: 'lightning_to_arkade', swap_id: hot.id, amount: '8400' }),
  row({ pair: 'lightning_to_arkade', swap_id: hot.id, kind: 'lightning-fee-paid', amount: '-212.5' }),
  row({ pair: null, swap_id: over.id, kind: 'network-fee-paid', network: 'bitcoin', amount: '-1900' }),
];

const midnight = Math.floor(today / 86_400) * 86_400;
const dayOf = (over: Partial<Earnings['days'][number]>): Earnings['days'][number] => ({
  day: midnight,
  pair: null,
  swaps: 0,
  volume_sats: 0,
  earned: '0',
  paid: '0',
  gas: [],
  ...over,
});
const earnings = (query: URLSearchParams): Earnings => ({
  from: Number(query.get('from')),
  to: Number(query.get('to')) + 1,
  days: [
    dayOf({
      pair: 'arkade_to_evm',
      swaps: 1,
      volume_sats: 1_246_415,
      earned: '3116',
      gas: [{ network: 'evm:137', amount: '31000000000000000' }],
    }),
    dayOf({ pair: 'lightning_to_arkade', swaps: 1, volume_sats: 2_400_000, earned: '8400', paid: '212.5' }),
    dayOf({ paid: '1900' }),
  ],
});
const calmPool = { available: 4_000_000, came: '10', left: '0', dry_at: null, move: null };
const outlook: Liquidity = {
  from: now - 86_400,
  to: now,
  networks: [
    { ...calmPool, network: 'arkade' },
    {
      ...calmPool,
      network: 'lightning',
      left: '90000.5',
      dry_at: now + 18_000,
      move: { from: 'arkade', amount: 1_200_000 },
    },
    { ...calmPool, network: 'bitcoin', dry_at: now + 86_400 * 9 },
  ],
};
const apart: WalletAccount = {
  network: 'lightning',
  asset: 'btc',
  account: 'chain-wallet',
  unknown: null,
  books: '1000001',
  seen: '1000000',
  on_its_way: '0',
  difference: '-1',
  alarm: true,
};

const one: OwnerSwap = {
  record: null,
  direction: 'lightning_to_arkade',
  label: null,
  note: null,
  at: 'claimed',
  terms: {},
  progress: { flag: 'The payment cannot be settled: the Lightning node does not answer.' },
  journal: [
    { time: now - 24_000, from: '', to: 'pending', event: 'created', effects: [] },
    { time: now - 480, from: 'serverfunded', to: 'clientredeemed', event: 'vhtlc.seen', effects: ['settle'] },
  ],
  transactions: [
    {
      txid: 'ab'.repeat(32),
      network: 'arkade',
      purpose: 'lock',
      state: 'final',
      created: now - 23_000,
      replaces: null,
    },
  ],
  ledger: rows.filter(({ swap_id }) => swap_id === hot.id),
  strays: [],
  other_locks: 0,
};

const isoDay = (time: number): string => new Date(time * 1_000).toISOString().slice(0, 10);

describe.skipIf(program === undefined)('the board', () => {
  let fixture: FixturePage;
  const shell = shellFixtures([], false);
  const fixtures = {
    ...shell,
    ...walletFixtures,
    'GET /owner/status': { ...status, open_swaps: 2, at_risk_sats: 3_646_415 },
    'GET /owner/swaps': (_: unknown, query: URLSearchParams) => ({
      swaps: query.get('open') === 'true' ? [hot, calm] : [hot, calm, over],
      next_cursor: null,
    }),
    'GET /owner/ledger': { rows, next_cursor: null },
    'GET /owner/earnings': (_: unknown, query: URLSearchParams) => earnings(query),
    'GET /owner/liquidity': outlook,
    'GET /owner/accounts': { accounts: [], wallets: [{ ...apart, difference: '0', alarm: false }] },
    'GET /owner/doctor': {
      rows: [
        { network: 'evm:137', check: 'agreement', result: 'warn', sentence: 'Two endpoints disagree about block 79.' },
        { network: 'arkade', check: 'latency', result: 'pass', sentence: 'Answers in 4 ms.' },
      ],
    },
    [`GET /owner/swaps/${hot.id}`]: one,
    [`POST /owner/swaps/${hot.id}/retry`]: { at: 'claimed' },
    [`POST /owner/swaps/${hot.id}/refund`]: new Refused(403, 'There is nothing that could be taken back.'),
    'POST /owner/pause': status,
    'POST /owner/resume': status,
  };

  beforeAll(async () => {
    fixture = await openFixturePage();
  }, 120_000);
  afterAll(() => fixture.close());

  const says = (text: string | RegExp) => fixture.page.getByText(text).first().waitFor();
  const press = (name: string | RegExp) => fixture.page.getByRole('button', { name }).click();
  const textsOf = async (selector: string) =>
    (await fixture.page.locator(selector).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());

  test('says what is at risk until when, what is wrong, and what is open, the most urgent first', async () => {
    await fixture.open('board', fixtures);
    await says('Two endpoints disagree');
    expect(await textsOf('.figs > div')).toEqual([
      'At risk 3,646,415 sats until Mon 23 Nov, 07:40',
      expect.stringMatching(/^Least time to spare 1 h 5[12] min 1 needs your action$/),
      'Open swaps 2',
    ]);
    expect(await textsOf('.alert')).toEqual([
      'Lightning to Arkade: a swap needs your action We settle the held payment Open the swap',
      'Polygon Two endpoints disagree about block 79. Open settings',
    ]);
    expect(await textsOf('table.fold tbody tr')).toEqual([
      expect.stringMatching(/^1 h 5\d min .* Needs your action Lightning to Arkade e41b07d9 2,400,000 we settle/),
      expect.stringMatching(/^10 h 5\d min .* In time Arkade to EVM 7f3a91c4 1,246,415 the client claims/),
    ]);
  });

  test('shows what each network holds, and what was earned after costs, by pair and in each unit', async () => {
    await fixture.open('board', fixtures);
    await says('sats after costs');
    expect((await textsOf('.pool'))[0]).toBe(
      'Arkade 4,732,117 sats 3,482,117 free 0 reserved 1,250,000 locked 0 pending',
    );
    expect(await textsOf('table.tight tr')).toEqual([
      'Pair Swaps Volume Fees earned Costs Net',
      'Lightning to Arkade 1 2,400,000 8,400 213 8,187',
      'Arkade to EVM 1 1,246,415 3,116 0 3,116 −0.031 POL',
      'Own wallets 0 0 0 1,900 −1,900',
      'All 2 3,646,415 11,516 2,113 9,403 −0.031 POL',
    ]);
    expect(await fixture.page.locator('.chart .volume').count()).toBe(7);
  });

  test('shows what was earned and swapped in the owner’s currency, too', async () => {
    await fixture.open('board', {
      ...fixtures,
      'GET /owner/display': {
        fiat: { currency: 'USD', price: 100_000, age_seconds: 20 },
        trouble: null,
        explorers: {},
      },
    });
    await says('≈ 9.40 USD');
    await says('≈ 3,646.42 USD');
  });

  test('shows any days that are chosen, and saves them and their ledger', async () => {
    const queries: string[] = [];
    await fixture.open('board', {
      ...fixtures,
      'GET /owner/earnings': (_: unknown, query: URLSearchParams) => {
        queries.push([query.get('from'), query.get('to')].map((time) => isoDay(Number(time))).join());
        return earnings(query);
      },
    });
    await says('sats after costs');
    await fixture.page.getByRole('combobox', { name: /^Period/ }).click();
    await fixture.page.getByRole('option', { name: 'Other days' }).click();
    await fixture.page.getByLabel('First day').fill('2026-01-05');
    await fixture.page.getByLabel('Last day').fill('2026-03-31');
    await expect.poll(() => queries.at(-1)).toBe('2026-01-05,2026-03-31');
    await expect.poll(() => fixture.page.locator('.chart .volume').count()).toBe(29);
    await press('Save as CSV');
    await says('3 rows saved.');
    await press('Save the ledger as CSV');
    await says('5 rows saved.');
    await fixture.page.getByLabel('First day').fill('2026-04-01');
    await says('Choose two days, the first of them not after the last.');
    // The node answers 400 days at once: more are not asked for.
    const count = queries.length;
    await fixture.page.getByLabel('First day').fill('2025-02-24');
    await says('At most 400 days are shown at once: choose days that are closer together.');
    expect(queries.length).toBe(count);
    await fixture.page.getByLabel('First day').fill('2025-02-25');
    await expect.poll(() => queries.at(-1)).toBe('2025-02-25,2026-03-31');
  });

  test('tells of a difference of the books, and writes it off with a reason', async () => {
    await fixture.open('board', {
      ...fixtures,
      'GET /owner/accounts': { accounts: [], wallets: [apart] },
      'POST /owner/accounts/write-off': { wallet: { ...apart, difference: '0', alarm: false } },
    });
    await says('Lightning (on the chain) and the books differ');
    await says('The books have 1,000,001 sats, the network 1,000,000 sats. The network has 1 sat less.');
    await press('Write it off…');
    await says('Write off 1 sat on Lightning (on the chain)');
    await fixture.page.getByLabel('Reason, for the books').fill('a test payment of mine');
    await fixture.page.getByRole('button', { name: 'Write it off', exact: true }).click();
    await expect
      .poll(() => fixture.sent)
      .toEqual([
        {
          route: 'POST /owner/accounts/write-off',
          body: { network: 'lightning', asset: 'btc', account: 'chain-wallet', reason: 'a test payment of mine' },
        },
      ]);
  });

  test('says which network runs dry when, and the swap that would help, the first of them first', async () => {
    await fixture.open('board', fixtures);
    await says('Lightning runs dry in 5 h');
    expect(await textsOf('[aria-labelledby=board-liquidity] .note')).toEqual([
      'Lightning runs dry in 5 h If swaps go on as in the last day. A swap of 1,200,000 sats from Arkade to Lightning ' +
        'would help. Make a swap',
      'Bitcoin runs dry in 9 d If swaps go on as in the last day.',
    ]);
    expect(await fixture.page.getByRole('link', { name: 'Make a swap' }).getAttribute('href')).toBe(
      '#/swap/arkade/lightning/1200000',
    );
  });

  test('stops new swaps and lets them in again, and says why the guard stopped them', async () => {
    await fixture.open('board', fixtures);
    await press('Pause new swaps');
    await expect
      .poll(() => fixture.sent)
      .toEqual([{ route: 'POST /owner/pause', body: { reason: 'paused on the board' } }]);
    const paused = { by: 'guard', reason: 'The books differ from Lightning by 1 sat.', since: now - 120 };
    await fixture.open('board', { ...fixtures, 'GET /owner/status': { ...status, paused } });
    await says('The books differ from Lightning by 1 sat.');
    await says(/No new swaps since .* Claims and refunds go on\./);
    await press('Resume');
    await expect.poll(() => fixture.sent).toEqual([{ route: 'POST /owner/resume', body: {} }]);
  });

  test('shows one swap whole: what can be done, what it cost, every step', async () => {
    await fixture.open(`board/${hot.id}`, fixtures);
    await says('The payment cannot be settled');
    expect(await textsOf('.facts.ruled > div')).toEqual([
      'Fee of the swap, Arkade 8,400 sats',
      'Lightning routing, Arkade −213 sats',
      'Result 8,187 sats',
    ]);
    await press('Retry now');
    await press('Refund our lock');
    await says('There is nothing that could be taken back.');
    expect(fixture.sent.map(({ route }) => route)).toEqual([
      `POST /owner/swaps/${hot.id}/retry`,
      `POST /owner/swaps/${hot.id}/refund`,
    ]);
    const steps = await textsOf('[aria-labelledby=swap-journal] tbody tr');
    expect(steps.map((step) => step.replace(/^.*?\d\d:\d\d /, ''))).toEqual([
      'serverfunded → clientredeemed vhtlc.seen settle',
      'pending created',
    ]);
    await fixture.open('board/00000000-0000-4000-8000-000000000009', fixtures);
    await says('There is no such swap');
  });

  test('lists everything the node did, and finds one by a part of its id', async () => {
    const queries: (string | null)[] = [];
    await fixture.open('board/all', {
      ...fixtures,
      'GET /owner/swaps': (_: unknown, query: URLSearchParams) => {
        queries.push(query.get('q'));
        const all = [{ ...hot, boltz_id: 'AbCdEf123456' }, calm, over].filter(({ id }) =>
          id.includes(query.get('q') ?? ''),
        );
        return query.get('cursor') === null
          ? { swaps: all.slice(0, 2), next_cursor: all.length > 2 ? 'next' : null }
          : { swaps: all.slice(2), next_cursor: null };
      },
    });
    await says('Arkade to EVM');
    await says('boltz:AbCdEf123456');
    await press('Show more');
    await says('Sending on Bitcoin');
    await fixture.page.getByRole('searchbox', { name: 'Find a swap' }).fill('90c2');
    await expect.poll(() => textsOf('tbody tr th')).toEqual(['Sending on Bitcoin 90c2fa18']);
    expect(queries).toContain('90c2');
  });

  test('break no rule in either theme and on a narrow window', async () => {
    for (const [route, waits] of [
      ['board', 'sats after costs'],
      [`board/${hot.id}`, 'Costs and result'],
      ['board/all', 'Sending on Bitcoin'],
    ] as const)
      for (const width of [1_280, 360]) {
        await fixture.open(route, fixtures, { width });
        await says(waits);
        expect(await fixture.violations()).toEqual([]);
        expect(await fixture.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
  }, 180_000);

  test('says that strangers are offered nothing while the node is not live', async () => {
    await fixture.open('board', { ...fixtures, 'GET /owner/status': { ...status, live: false } });
    await says('Not live: strangers are offered nothing');
  });

  test('is always there, beside the page on which swaps are provided to others', async () => {
    const terms = { feeBps: 25, minSats: 1_000, maxSats: 10_000, directions: { 'arkade-evm': { feeBps: 60 } } };
    await fixture.open('provide', { ...fixtures, 'GET /owner/settings': { settings: { terms } } });
    await fixture.page.getByRole('heading', { level: 1, name: 'Provide swaps to others' }).waitFor();
    await says('Other terms for');
    await says('Arkade to EVM');
    const links = fixture.page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    expect(await links.allInnerTexts()).toEqual(expect.arrayContaining(['Board', 'Provide swaps']));
    await fixture.page.getByRole('switch', { name: 'Take new swaps' }).click();
    await expect
      .poll(() => fixture.sent)
      .toEqual([{ route: 'POST /owner/pause', body: { reason: 'Paused by the owner' } }]);
    expect(await fixture.violations()).toEqual([]);
    await fixture.page.getByRole('link', { name: 'To the board' }).click();
    await fixture.page.getByRole('heading', { level: 1, name: 'Board' }).waitFor();
  });
});
