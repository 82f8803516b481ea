import { execFile, spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shown } from '../../main/demo/amount.ts';
import { stops } from '../../main/demo/directions.ts';
import type { Stop } from '../../main/demo/tour.ts';
import { visit, type Visit } from '../../main/demo/visit.ts';

const entry = join(import.meta.dirname, '..', '..', 'main', 'cli', 'demo.ts');

function run(): Promise<{ code: number; out: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [entry], (error, out, failures) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), out: `${out}${failures}` }),
    );
  });
}

test('the tour shows every stop, every end, and what went in and came out', async () => {
  const { code, out } = await run();
  expect(code, out).toBe(0);
  const parts = out.split('\n\n');
  for (const { name } of stops) {
    const [lines = ''] = parts.filter((part) => part.startsWith(`${name}\n`));
    const end = /never claimed: (both|refunded)/.test(name)
      ? /clientfundedserverrefunded [^]*clientrefundedserverrefunded /
      : /refunded by/.test(name)
        ? /clientrefunded /
        : // A held payment goes back in the moment in which our lock is seen to be.
          /never claimed/.test(name)
          ? /clientrefundedserverrefunded /
          : / refused$/.test(name)
            ? /400: .*The native coin cannot be the source/
            : /serverredeemed /;
    expect(lines).toMatch(end);
    expect(out.split('\n').filter((line) => line.startsWith(`${name}  `))).toHaveLength(1);
  }
  expect(parts.at(-1)).toContain(`All ${stops.length} ended as they should`);
  expect(parts.at(-1)).toContain('The books of the node say what its networks say.');
  // Of either half the client makes its own, and the node sends what a client without gas signs.
  const ways = (by: string, act: string) => stops.filter(({ name }) => name.endsWith(`${act} by the ${by}`)).length;
  expect([
    ways('node', 'claimed'),
    ways('client', 'claimed'),
    ways('node', 'funded'),
    ways('client', 'funded'),
  ]).toEqual([9, 9, 5, 5]);
  // Both keys sign a claim, a refund of tokens, of a VHTLC and of a coin on the Bitcoin chain.
  const together = (act: string) => stops.filter(({ name }) => name.endsWith(`${act} by both`)).length;
  expect([together('claimed'), together('refunded')]).toEqual([2, 3]);
  expect(out).toMatch(/^ {2}the service joins the batch [0-9a-f]{64}$/m);
  // Every amount is in whole tokens, as its balance is.
  expect(out).not.toContain('units of');
  expect([...out.matchAll(/^ {2}sends (\S+) USDC for/gm)].map(([, price]) => Number(price) < 1_000)).toEqual(
    Array(5).fill(true),
  );
  expect(out).toMatch(/^ {2}sends \d+ sats on Arkade for [\d.]+ USDC$/m);
  expect(['P2WSH', 'P2TR'].map((form) => out.includes(`the HTLC is written as ${form}`))).toEqual([true, true]);
}, 240_000);

test('a flag that there is not is told in a sentence', () => {
  const { status, stderr } = spawnSync(process.execPath, [entry, '--data', 'x'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, "Unknown option '--data'. Usage: npm run demo -- [--data-dir DIR]\n"]);
});

const nothing = { went: { units: 1n, decimals: 0, symbol: 'sats' }, came: { units: 1n, decimals: 0, symbol: 'sats' } };
const stop = (name: string, act: Stop['run']): Stop => ({ name, run: act });

async function visited(some: readonly Stop[], moveTo: Visit['moveTo'] = async () => undefined) {
  const lines: string[] = [];
  const good = await visit(some, {
    node: { url: '', token: '', own: false, stop: async () => undefined },
    newClient: async () => ({}) as never,
    moveTo,
    print: (line) => lines.push(...line.split('\n')),
  });
  return { good, lines: lines.map((line) => line.replace(/in \d.*/, 'in')) };
}

test('one that does not end as it should fails the tour, and the others go on', async () => {
  const { good, lines } = await visited([
    stop('first', async () => Promise.reject(new Error('The swap ended in expired, not in serverredeemed.'))),
    stop('second', async () => nothing),
  ]);
  expect(good).toBe(false);
  expect(lines).toContain('  failed: The swap ended in expired, not in serverredeemed.');
  expect(lines.filter((line) => line.startsWith('second  '))).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith('first  '))).toEqual([]);
  expect(lines.at(-1)).toBe('1 of 2 did not end as they should.');
});

test('what happens at once is told one after the other', async () => {
  const { good, lines } = await visited([
    stop('slow', async ({ say }) => {
      say('  a');
      await pause(30);
      say('  b');
      return nothing;
    }),
    stop('quick', async ({ say }) => {
      say('  c');
      return null;
    }),
  ]);
  expect([good, lines.filter((line) => line !== '').slice(0, 7)]).toEqual([
    true,
    ['slow', '  a', '  b', '  done in', 'quick', '  c', '  done in'],
  ]);
});

test('the clock is moved past moments that are close, all at once, when nothing else goes on', async () => {
  const events: string[] = [];
  const waits = (time: number) => stop(`${time}`, async ({ past }) => past(time).then(() => nothing));
  const { good } = await visited(
    [
      waits(300),
      stop('works', async () => {
        await pause(30);
        events.push('worked');
        return nothing;
      }),
      stop('fails', async () => Promise.reject(new Error('no'))),
      waits(200),
    ],
    async (time) => void events.push(`moved to ${time}`),
  );
  expect([good, events]).toEqual([false, ['worked', 'moved to 300']]);
});

test('a moment far behind another waits until whoever that one was for is over', async () => {
  const events: string[] = [];
  const waits = (time: number) =>
    stop(`${time}`, async ({ past }) => {
      await past(time);
      events.push(`did ${time}`);
      return nothing;
    });
  const day = 86_400;
  const { good } = await visited(
    [waits(2 * day), waits(100), waits(day)],
    async (time) => void events.push(`moved to ${time}`),
  );
  expect([good, events]).toEqual([
    true,
    ['moved to 100', 'did 100', `moved to ${day}`, `did ${day}`, `moved to ${2 * day}`, `did ${2 * day}`],
  ]);
});

test('amounts are read as wallets show them', () => {
  const of = (units: bigint, decimals: number, symbol: string) => shown({ units, decimals, symbol });
  expect([
    of(25_000n, 0, 'sats'),
    of(49_828n, 8, 'WBTC'),
    of(30_129_060n, 6, 'USDC'),
    of(2n * 10n ** 18n, 18, 'RBTC'),
  ]).toEqual(['25000 sats', '0.00049828 WBTC', '30.12906 USDC', '2 RBTC']);
});
