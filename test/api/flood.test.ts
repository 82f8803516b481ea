import { describe, expect, it } from 'vitest';
import { createFlood } from '../../engine/api/flood.ts';
import { ownerToken, raw, request, serve } from './serve.ts';

describe('the flood gate', () => {
  it('lets a burst pass, then so many a second, each client on its own', () => {
    let now = 0;
    const admit = createFlood({ burst: 3, perSecond: 2 }, () => now);
    const count = (client: string, tries: number) =>
      Array.from({ length: tries }, () => admit(client, 1)).filter((wait) => wait === 0).length;
    expect([count('a', 5), count('b', 5)]).toEqual([3, 3]);
    now = 1_000;
    expect(count('a', 5)).toBe(2);
    now = 60_000;
    expect(count('a', 5)).toBe(3);
    expect(admit('a', 1)).toBe(1);
  });

  it('fault 51: takes what a request costs, and tells how long until that is there again', () => {
    let now = 0;
    const admit = createFlood({ burst: 100, perSecond: 10 }, () => now);
    const dear = Array.from({ length: 6 }, () => admit('a', 20));
    const cheap = Array.from({ length: 3 }, () => admit('a', 0.2));
    now = 1_000;
    expect({ dear, cheap, later: [admit('a', 20), admit('a', 0.2)] }).toEqual({
      dear: [0, 0, 0, 0, 0, 2],
      cheap: [1, 1, 1],
      later: [1, 0],
    });
  });

  it('lets what costs more than a whole allowance pass once it is full, and waits for the debt', () => {
    let now = 0;
    const admit = createFlood({ burst: 5, perSecond: 5 }, () => now);
    const first = [admit('a', 20), admit('a', 0.2)];
    now = 3_000;
    const inDebt = admit('a', 0.2);
    now = 3_100;
    expect({ first, inDebt, after: admit('a', 0.2) }).toEqual({ first: [0, 4], inDebt: 1, after: 0 });
  });

  it('fault 332, api: the networks of one IPv6 site have four allowances together', () => {
    let now = 0;
    const admit = createFlood({ burst: 3, perSecond: 2 }, () => now);
    const passed = (site: string) =>
      Array.from({ length: 300 }, (_, n) => admit(`${site}:${n}::/64`, 1)).filter((wait) => wait === 0).length;
    const first = [passed('2001:db8:1'), passed('2001:db8:2')];
    now = 1_000;
    expect([...first, passed('2001:db8:1')]).toEqual([12, 12, 8]);
  });

  it('answers 429 with Retry-After, counts the owner apart, and recovers', async () => {
    const { server } = await serve({ flood: { burst: 1, perSecond: 1 } });
    const host = { host: `127.0.0.1:${server.port}` };
    const replies = await Promise.all(Array.from({ length: 40 }, () => raw(server.port, request('GET /health', host))));
    const turnedAway = replies.filter(({ status }) => status === 429);
    expect(turnedAway.length).toBeGreaterThanOrEqual(5);
    expect([turnedAway[0]?.headers['retry-after'], turnedAway[0]?.body]).toEqual([
      '1',
      '{"error":"Too many requests: wait 1 second."}',
    ]);
    expect(
      (await raw(server.port, request('GET /owner/status', { ...host, authorization: `Bearer ${ownerToken}` }))).status,
    ).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 450));
    expect((await raw(server.port, request('GET /health', host))).status).toBe(200);
    await server.stop();
  });

  it('believes a proxy about its clients only when told to', async () => {
    const statuses = async (trustLoopbackProxy: boolean): Promise<number[]> => {
      const { server } = await serve({ flood: { burst: 0.2, perSecond: 0.001 }, trustLoopbackProxy });
      const from = (address: string) =>
        raw(server.port, request('GET /health', { host: `127.0.0.1:${server.port}`, 'x-forwarded-for': address }));
      const statuses = [
        (await from('10.0.0.1')).status,
        (await from('10.0.0.2')).status,
        (await from('1.1.1.1, 10.0.0.2')).status,
      ];
      await server.stop();
      return statuses;
    };
    expect([await statuses(true), await statuses(false)]).toEqual([
      [200, 200, 429],
      [200, 429, 429],
    ]);
  });
});
