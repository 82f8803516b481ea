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

/** Of a client that may have one place: whether it has none left after each of these states of its swap. */
function isFullAfter(states: readonly { status: string; open?: boolean; at?: string }[]): boolean[] {
  let commit: (swap: { readonly entry: { readonly row: object } }) => void = () => undefined;
  const places = createOpenCreates({
    most: () => 1,
    commits: { onCommit: (listener: unknown) => void (commit = listener as typeof commit) } as never,
    unfunded: () => true,
  });
  const first = places.take('client');
  if (!isRefusal(first)) first.is('one');
  return states.map(({ status, open = true, at = 'any' }) => {
    commit({ entry: { row: { id: 'one', status, open, progress: { at } } } });
    const place = places.take('client');
    if (!isRefusal(place)) place.giveBack();
    return isRefusal(place);
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
