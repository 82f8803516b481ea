import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routeNames, routes, type RouteName } from '../../engine/contract/routes.ts';
import { bodies } from '../contract/bodies.ts';
import { ownerToken, raw, request, serve, type Serving } from './serve.ts';

// One order of refusals on every route: rate, size, JSON, id, state, shape, content (DECISIONS.md, "Limits count
// cost").

let serving: Serving;
let running: string;
let over: string;
let refundable: string;

beforeAll(async () => {
  serving = await serve({ flood: null });
  const ids: string[] = [];
  for (const seed of [1, 2, 3]) {
    const made = await ask(
      'POST',
      '/swap/lightning/arkade',
      JSON.stringify({ ...bodies.createLightningArkade, hash_lock: `0x${String(seed).repeat(64)}` }),
    );
    ids.push((JSON.parse(made.body) as { id: string }).id);
  }
  [running, over, refundable] = ids as [string, string, string];
  serving.service.move(running, 'clientfunded');
  serving.service.move(over, 'serverredeemed');
  serving.service.move(refundable, 'serverwontfund');
});
afterAll(() => serving.server.stop());

async function ask(
  method: string,
  path: string,
  body: string | null,
  at = serving,
): Promise<{ status: number; body: string }> {
  const headers = {
    host: `127.0.0.1:${at.server.port}`,
    authorization: `Bearer ${ownerToken}`,
    ...(body === null ? {} : { 'content-type': 'application/json' }),
  };
  return raw(at.server.port, request(`${method} ${path}`, headers, body ?? ''));
}

const absent = '00000000-0000-4000-8000-0000000000ff';
const byId = routeNames.filter((name) => routes[name].path.includes('{id}') && name !== 'deleteDeveloperKey');
const withBody = routeNames.filter((name) => routes[name].body !== null && routes[name].access !== 'sandbox');

function pathOf(name: RouteName, id: string): string {
  return routes[name].path.replace('{id}', id).replace('{network}', 'arkade');
}

async function statuses(
  names: readonly RouteName[],
  id: string,
  body: (name: RouteName) => string,
): Promise<Record<string, number>> {
  const answers = await Promise.all(
    names.map(
      async (name) =>
        [
          name,
          (await ask(routes[name].method, pathOf(name, id), routes[name].body === null ? null : body(name))).status,
        ] as const,
    ),
  );
  return Object.fromEntries(answers);
}

function all(names: readonly RouteName[], status: (name: RouteName) => number): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, status(name)]));
}

const misshapen = (): string => '[1]';
const huge = (name: RouteName): string => JSON.stringify({ pad: 'x'.repeat(routes[name].large ? 1_050_000 : 70_000) });

describe('of two faults of one request the earlier one is told', () => {
  it('size before JSON, id, state and shape', async () => {
    expect(await statuses(withBody, absent, (name) => huge(name).slice(1))).toEqual(all(withBody, () => 413));
  });

  it('JSON before id, state and shape', async () => {
    const bodies = await Promise.all(
      withBody.map(async (name) => (await ask(routes[name].method, pathOf(name, absent), '{"half')).body),
    );
    expect(bodies).toEqual(withBody.map(() => '{"error":"The body is not JSON in UTF-8: send a JSON object."}'));
  });

  it.each([absent, 'nonsense'])('the id before the shape, malformed or not: %s', async (id) => {
    expect(await statuses(byId, id, misshapen)).toEqual(
      all(byId, (name) => (routes[name].path.startsWith('/swap') ? 400 : 404)),
    );
    const bodies = await Promise.all(
      byId
        .filter((name) => routes[name].body !== null)
        .map(async (name) => JSON.parse((await ask('POST', pathOf(name, id), misshapen())).body) as { error: string }),
    );
    expect(bodies.filter(({ error }) => error.includes('JSON object'))).toEqual([]);
  });

  it('a refund of a running or ended swap is forbidden before its shape is looked at', async () => {
    const refunds = byId.filter((name) => name.startsWith('collabRefund'));
    expect([
      await statuses(refunds, running, misshapen),
      await statuses(refunds, over, misshapen),
      await statuses(refunds, running, () => '{}'),
    ]).toEqual([all(refunds, () => 403), all(refunds, () => 403), all(refunds, () => 403)]);
  });

  it('and only then the shape', async () => {
    const refunds = ['collabRefund', 'collabRefundArkadeLightning', 'collabRefundDelegate'] as const;
    expect(await statuses(refunds, refundable, misshapen)).toEqual(all(refunds, () => 400));
  });

  it('the rate before everything', async () => {
    const spent = await serve({ flood: { burst: 0.1, perSecond: 0.001 } });
    const answers = await Promise.all([
      ask('GET', '/health', null, spent),
      ...withBody.map((name) => ask(routes[name].method, pathOf(name, absent), huge(name), spent)),
    ]);
    await spent.server.stop();
    // The first one spends what there is.
    expect(answers.filter(({ status }) => status !== 429)).toHaveLength(1);
  });
});

describe('a body', () => {
  it('of a route without required fields is an object or nothing at all', async () => {
    const paths = ['/owner/resume', '/owner/wallets/arkade/address', `/owner/swaps/${running}/retry`];
    const statuses = await Promise.all(
      paths.map((path) =>
        Promise.all(
          [null, '', '{}', 'null', '[]', '"text"', '7', 'true'].map(
            async (body) => (await ask('POST', path, body)).status,
          ),
        ),
      ),
    );
    const refused = [400, 400, 400, 400, 400];
    expect(statuses).toEqual([
      [200, 200, 200, ...refused],
      [200, 200, 200, ...refused],
      [403, 403, 403, ...refused],
    ]);
  });
});
