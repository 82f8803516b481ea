import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkAll, checkListed, networksQuiet, quiet } from '../crash/support/at-the-end.ts';
import { leapsOf } from '../crash/support/leaps.ts';
import { nonceFaults } from '../crash/support/nonces.ts';
import { builtPrograms, type Built } from '../crash/support/program.ts';
import { openArena, type Arena } from './support/arena.ts';
import { openCreatesPerClient } from './support/flood.ts';
import { withGifts } from './support/gifts.ts';
import { directions, honestClients, longestSwap, type HonestSwap } from './support/honest.ts';
import type { Tally } from './support/kind.ts';
import { kinds } from './support/kinds.ts';
import { memoryOf, type Life } from './support/memory.ts';
import { figuresOf, memoryIn } from './support/figures.ts';
import { postMortem } from './support/post-mortem.ts';

/*
 * The built node, while everybody does their worst to it together, and honest clients swap in every direction. At the
 * end the books of everybody are held against the networks, to the unit.
 */

const minutes = Number(process.env['HOSTILE_MINUTES'] ?? 1);
const seed = Number(process.env['HOSTILE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const only = process.env['HOSTILE_ONLY'];
const chosen = Object.entries(kinds).filter(([name]) => (only ?? name) === name);

/** MB by which the node may grow from its warm-up to its end: what its garbage leaves, and what the system counts. */
const mostGrowth = { heap: 32, resident: 96 };
/** The node dies in this share of the run; then it lives, and its memory is looked at. */
const deadly = 0.4;
/** By then everything was asked for once in its last life. */
const warm = 0.55;
const secondMs = 1_000;
/** Milliseconds between two leaps of the clock, and how far it leaps: a swap of an honest client has time left. */
const leap = { everyMs: 100_000, seconds: 600 };
const hour = 3_600;

let built: Built;

beforeAll(async () => {
  process.env['SLUICE_HTTP__TRUST_LOOPBACK_PROXY'] = 'true';
  process.env['SLUICE_FLOOD__OPEN_CREATES_PER_CLIENT'] = String(openCreatesPerClient);
  process.env['SLUICE_BOLTZ__ENABLED'] = 'true';
  built = await builtPrograms();
}, 300_000);

afterAll(() => built.remove());

const title = `everybody does their worst for ${minutes} minutes: nothing is lost, and honest clients are served`;

test(title, { timeout: minutes * 60_000 + 900_000 }, async () => {
  expect(chosen, 'there is such a kind').not.toEqual([]);
  const begun = performance.now();
  const length = minutes * 60_000;
  const deaths = { until: Infinity };
  const arena = await openArena(built, seed, () => performance.now() < deaths.until);
  const tally: Tally = new Map();
  const swaps: HonestSwap[] = [];
  try {
    if (only !== 'kills') deaths.until = performance.now() + deadly * length;
    const life = await storm(arena, tally, swaps, length).finally(() =>
      console.log(figuresOf({ arena, tally, swaps, seed, minutes })),
    );
    console.log(memoryIn(life));
    const settling = performance.now();
    await atTheEnd(arena);
    const seconds = (since: number) => ((performance.now() - since) / 1_000).toFixed(0);
    console.log(`every timeout, and the books: ${seconds(settling)} s; all of it: ${seconds(begun)} s`);
    expect(tooLong(swaps), `swaps of honest clients that took more than ${longestSwap} s`).toEqual([]);
    expect(unserved(swaps), 'directions in which no honest client got what it wanted').toEqual([]);
    if (life !== null) expect(growthOf(life), 'MB by which the node grew').toEqual([]);
  } catch (cause) {
    throw new Error(`seed ${seed}: ${(cause as Error).message}\n${await postMortem(arena, cause)}`, { cause });
  } finally {
    await arena.stop();
  }
});

/** Everybody at once; the first who finds something wrong ends it for all. */
async function storm(arena: Arena, tally: Tally, swaps: HonestSwap[], length: number): Promise<Life | null> {
  const begun = performance.now();
  const until = begun + length;
  const failures: unknown[] = [];
  const isOver = () => performance.now() > until || failures.length > 0;
  const closing = new AbortController();
  // Whoever is let in meanwhile comes to an end.
  const doors = pause(length, null, { signal: closing.signal }).then(
    () => arena.close(),
    () => arena.close(),
  );
  const life = lastLife(arena, begun + warm * length, isOver);
  life.catch(() => undefined); // told below
  const playing = [
    honestClients(arena, swaps, isOver),
    ...chosen.map(([, kind]) => kind(arena, tally, isOver)),
    timePasses(arena, isOver),
  ];
  const failed = (cause: unknown) => {
    failures.push(cause);
    closing.abort();
  };
  await Promise.all([doors, ...playing.map((one) => one.catch(failed))]);
  if (failures.length > 0) throw failures[0];
  return life;
}

async function timePasses(arena: Arena, isOver: () => boolean): Promise<void> {
  for (let next = performance.now() + leap.everyMs; !isOver(); await pause(secondMs)) {
    if (performance.now() < next) continue;
    await arena.pass(leap.seconds);
    next += leap.everyMs;
  }
}

/** Null where the node may die up to the end. */
async function lastLife({ node, isKilled }: Arena, from: number, isOver: () => boolean): Promise<Life | null> {
  while (!isOver() && performance.now() < from) await pause(secondMs);
  if (isOver() || isKilled()) return null;
  const begun = performance.now();
  const atFirst = await memoryOf(node.dataDir, node.log);
  while (!isOver()) await pause(secondMs);
  const end = await memoryOf(node.dataDir, node.log);
  if (end.pid !== atFirst.pid) throw new Error('the node ended by itself, and somebody started another one');
  return { seconds: (performance.now() - begun) / 1_000, warm: atFirst, end };
}

function growthOf({ warm: before, end }: Life): string[] {
  return (['heap', 'resident'] as const).flatMap((of) => {
    const growth = end[of] - before[of];
    return growth > mostGrowth[of] ? [`${of}: ${growth.toFixed(0)}, at most ${mostGrowth[of]}`] : [];
  });
}

/** Every time passes, the node first of all dead; then the books. */
async function atTheEnd({ stage, oracle, start, node, gifts }: Arena): Promise<void> {
  const { controls } = stage.wallet;
  const clockNow = async () => (await controls.state()).clock;
  for (const time of ['windows', 'service', 'client'] as const) {
    for (const { end, scenarios } of leapsOf(time, stage.scenarios, await clockNow())) {
      await node.kill();
      await controls.advance(Math.max(0, end - (await clockNow())) + hour);
      await node.start();
      await quiet(stage, oracle, time, scenarios);
    }
    if (time === 'service') await checkListed(stage, oracle);
  }
  await networksQuiet(stage, oracle);
  await checkAll(stage, oracle, withGifts(start, gifts));
  const nonces = await oracle.evm.nonces();
  await node.stop();
  expect(nonceFaults(node.dataDir, nonces)).toEqual([]);
}

function tooLong(swaps: readonly HonestSwap[]): string[] {
  return swaps
    .filter(({ seconds, doubted }) => seconds > longestSwap + doubted)
    .map(({ direction, id, seconds }) => `${direction}: ${seconds.toFixed(0)} s, swap ${id}`);
}

function unserved(swaps: readonly HonestSwap[]): string[] {
  return directions.filter((one) => !swaps.some(({ direction, isDone }) => direction === one && isDone));
}
