import { afterAll, beforeAll, expect, test } from 'vitest';
import { isRefusal, type Refusal } from '../../../engine/domain/errors.ts';
import { sats } from '../../../engine/domain/money.ts';
import { createOpenCreates } from '../../../engine/service/create/open-creates.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene({ config: { flood: { openCreatesPerClient: 3 } } });
});

afterAll(() => scene.end());

type Created = { readonly id: string; readonly arkade_vhtlc_address: string; readonly source_amount: string };

async function create(from: string | null, amount = 20_000n): Promise<Created | Refusal> {
  const refundKey = { key: scene.node.ports.arkade!.delegateKey(), text: scene.client.publicKey };
  return scene.node.service.create(
    'arkade-lightning',
    {
      userId: 'x',
      extraFeesBps: 0,
      referralCode: null,
      refundKey,
      payee: { is: 'invoice', bolt11: scene.world.invoice(amount).bolt11, amount: sats(amount) },
    },
    null,
    from,
  );
}

const full: Refusal = {
  refusal: 'flood',
  sentence: '3 swaps of yours wait for their funding, which is the most: fund some of them, or wait until they expire.',
  retryAfter: 60,
};

test('fault 53: a client has so many unfunded swaps, and what it funds or lets expire is free again', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => create('203.0.113.1')));
  const opened = made.filter((one): one is Created => !isRefusal(one));
  expect([opened.length, made.filter(isRefusal)]).toEqual([3, [full, full, full, full, full]]);
  expect([isRefusal(await create('203.0.113.2')), isRefusal(await create(null))]).toEqual([false, false]);

  const [first] = opened as [Created];
  scene.world.faucet(first.arkade_vhtlc_address, BigInt(first.source_amount));
  await scene.node.until(first.id, 'claimed');
  expect([isRefusal(await create('203.0.113.1')), await create('203.0.113.1')]).toEqual([false, full]);

  await scene.world.advance(1_900);
  await expect
    .poll(() => opened.slice(1).map(({ id }) => scene.node.status(id)), { timeout: 60_000 })
    .toEqual(['expired', 'expired']);
  expect(isRefusal(await create('203.0.113.1'))).toBe(false);
});

test('creates that were refused count for nothing', async () => {
  const refused = await Promise.all(Array.from({ length: 10 }, () => create('203.0.113.3', 5n)));
  expect(refused.map((one) => isRefusal(one) && one.refusal)).toEqual(
    Array.from({ length: 10 }, () => 'invalid').map((text, n) =>
      n < 3 ? text : expect.stringMatching(/invalid|flood/),
    ),
  );
  expect(isRefusal(await create('203.0.113.3'))).toBe(false);
});

interface State {
  readonly status: string;
  readonly open?: boolean;
  readonly at?: string;
}

/** The places of clients that may have so many, and what becomes of their swaps. */
function placesOf(most: number, before: readonly { swap: string; client: string | null; is: State }[] = []) {
  let commit: (swap: { readonly entry: { readonly row: object } }) => void = () => undefined;
  const rows = new Map(before.map(({ swap, is }) => [swap, rowOf(swap, is)]));
  const places = createOpenCreates({
    most: () => most,
    commits: { onCommit: (listener: unknown) => void (commit = listener as typeof commit) } as never,
    row: (id) => (rows.get(id) ?? null) as never,
    before: () => before,
  });
  return {
    becomes(id: string, state: State): void {
      rows.set(id, rowOf(id, state));
      commit({ entry: { row: rowOf(id, state) } });
    },
    /** The swap's id, or null where there is no place for it. */
    open(client: string): string | null {
      const place = places.take(client);
      if (isRefusal(place)) return null;
      const id = String(rows.size);
      rows.set(id, rowOf(id, { status: 'pending' }));
      place.is(id);
      return id;
    },
    isFull(client: string): boolean {
      const place = places.take(client);
      if (!isRefusal(place)) place.giveBack();
      return isRefusal(place);
    },
  };
}

function rowOf(id: string, { status, open = true, at = 'any' }: State) {
  return { id, status, open, progress: { at } };
}

/** Of a client that may have one place: whether it has none left after each of these states of its swap. */
function isFullAfter(states: readonly State[]): boolean[] {
  const { open, becomes, isFull } = placesOf(1);
  const id = open('client') ?? '';
  return states.map((state) => {
    becomes(id, state);
    return isFull('client');
  });
}

test('fault 53: a swap that waits again, because its funding was replaced, has its place again', () => {
  const [waits, sight, over] = [
    { status: 'pending' },
    { status: 'clientfundingseen' },
    { status: 'expired', open: false },
  ];
  const states = [waits, sight, waits, sight, sight, { status: 'clientfunded' }, waits, over, waits];
  expect(isFullAfter(states)).toEqual([true, false, true, false, false, false, true, false, false]);
});

test('fault 53: dust that is seen where a swap has no amount yet frees no place', () => {
  const unnamed = { status: 'pending', at: 'unnamed' };
  const states = [unnamed, { ...unnamed, status: 'clientfundingseen' }, { status: 'clientfunded', at: 'funded' }];
  expect(isFullAfter(states)).toEqual([true, true, false]);
});

test('fault 53: swaps of before a restart have their places, but for those that were paid for', () => {
  const { open } = placesOf(2, [
    { swap: 'paid', client: 'client', is: { status: 'clientfunded' } },
    { swap: 'one', client: 'client', is: { status: 'pending' } },
  ]);
  expect([open('client'), open('client')]).toEqual(['2', null]);
});

const expired = { status: 'expired' };

/** As many as it gets, whose funding windows all pass. */
function expire({ open, becomes }: ReturnType<typeof placesOf>, client: string, most = 1_000): string[] {
  const ids: string[] = [];
  for (let id = open(client); id !== null; id = ids.length < most ? open(client) : null) {
    becomes(id, expired);
    ids.push(id);
  }
  return ids;
}

test('fault 267: what nobody paid for counts until it is over, five times as much as what waits for it', () => {
  const places = placesOf(20);
  const ids = expire(places, '203.0.113.1');
  expect([ids.length, places.isFull('203.0.113.2')]).toEqual([100, false]);
  const [one = '', other = ''] = ids;
  places.becomes(one, { status: 'expired', open: false });
  expect([places.open('203.0.113.1') !== null, places.isFull('203.0.113.1')]).toEqual([true, true]);
  // A coin that came late was paid.
  places.becomes(other, { status: 'clientfundedtoolate' });
  expect(places.isFull('203.0.113.1')).toBe(false);
});

test('fault 267: with too much of it of all clients each may still have a few', () => {
  const places = placesOf(40);
  const crowd = Array.from({ length: 10 }, (_, at) => expire(places, `203.0.113.${at}`).length);
  expect(crowd).toEqual(Array(10).fill(200));
  expect([places.isFull('203.0.113.1'), expire(places, '198.51.100.1').length]).toEqual([true, 2]);
  expect([places.isFull('198.51.100.1'), places.isFull('198.51.100.2')]).toEqual([true, false]);
});

test('fault 267: after a restart what nobody paid for counts for all clients', () => {
  const before = Array.from({ length: 1_000 }, (_, at) => ({ swap: `before ${at}`, client: null, is: expired }));
  expect(expire(placesOf(20, before), '203.0.113.1')).toHaveLength(1);
  expect(expire(placesOf(20, before.slice(1)), '203.0.113.1', 3)).toHaveLength(1);
  expect(expire(placesOf(20, before.slice(3)), '203.0.113.1', 3)).toHaveLength(3);
});

test('fault 267: the networks of one site have as much as four clients', () => {
  const places = placesOf(2);
  const network = (at: number) => `2001:db8:1:${at}::/64`;
  expect([0, 1, 2, 3, 4].map((at) => expire(places, network(at)).length)).toEqual([10, 10, 10, 10, 0]);
  expect([places.isFull('2001:db8:2:0::/64'), places.isFull('203.0.113.1')]).toEqual([false, false]);
  const waiting = placesOf(1);
  expect([0, 1, 2, 3, 4].map((at) => waiting.open(network(at)) === null)).toEqual([false, false, false, false, true]);
});

test('fault 267: free creates without end are refused, also once their funding windows are over', async () => {
  const opened: string[] = [];
  for (let round = 0; round < 5; round++) {
    const made = await Promise.all([1, 2, 3].map(() => create('203.0.113.9')));
    opened.push(...made.flatMap((one) => (isRefusal(one) ? [] : [one.id])));
    await scene.world.advance(1_900);
    await expect
      .poll(() => opened.map((id) => scene.node.status(id)), { timeout: 60_000 })
      .toEqual(opened.map(() => 'expired'));
  }
  expect([opened.length, await create('203.0.113.9')]).toEqual([
    15,
    expect.objectContaining({ refusal: 'flood', retryAfter: 3_600 }),
  ]);
  expect(isRefusal(await create('203.0.113.10'))).toBe(false);
});
