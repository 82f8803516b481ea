import { ArkAddress } from '@arkade-os/sdk';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkAll, checkListed, networksQuiet, quiet, snapshot, verdictsOf } from './support/at-the-end.ts';
import { bitcoinReady, chainsReady } from './support/chains-ready.ts';
import { chanceFrom, type Chance } from './support/chance.ts';
import { wireDirections, type WireDirection } from './support/directions.ts';
import { countKills, type KillCounts } from './support/kill-counts.ts';
import { leapsOf } from './support/leaps.ts';
import { mortalNode, type MortalNode } from './support/mortal-node.ts';
import { nonceFaults } from './support/nonces.ts';
import { openOracle, type Books, type Oracle } from './support/oracle.ts';
import { builtPrograms, startNetworks, type Built } from './support/program.ts';
import type { Stage, Story } from './support/scenario.ts';
import type { CrashDirection } from './support/verdict.ts';
import { openWallet } from './support/wallet.ts';
import { startMiner, weather } from './support/weather.ts';

/*
 * One node serves clients of many directions at once, so that each of its deaths is one of each direction that has
 * money under way at that moment. It dies until every direction has met so many.
 */

/** Kills of each direction, and the seed of their moments: `npm run test:crash -- 20 --seed 7`. */
const kills = Number(process.env['CRASH_KILLS'] ?? 100);
const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const chosen = process.env['CRASH_DIRECTION'];
const directions = (Object.keys(wireDirections) as CrashDirection[]).filter((one) => (chosen ?? one) === one);
/**
 * A node for each kind. Where a swap waits for blocks, they come a thousand times faster than time passes: a payment
 * that is held against a locktime would end before it.
 */
const nodes = [...Map.groupBy(directions, kindOf)];
/** Of the node. A direction that is seldom met makes the run longer, up to here. */
const mostKills = 3 * kills + 20;
/** Clients of a direction that has its node for itself, and of each where it has not. */
const aloneAtOnce = 6;
const eachAtOnce = 2;
const hour = 3_600;
/** A round: busy clients, then every timeout. Longer runs have more of them. */
const killsARound = 40;

/** The node under its clients, and what is counted of its deaths. */
interface Run {
  readonly directions: readonly CrashDirection[];
  readonly stage: Stage;
  readonly oracle: Oracle;
  readonly counts: KillCounts;
  readonly start: Books;
}

let built: Built;

beforeAll(async () => {
  built = await builtPrograms();
}, 300_000);

afterAll(() => built.remove());

test.concurrent.each(nodes)(
  `%s, a node that is killed ${kills} times in each direction neither loses nor takes a satoshi`,
  { timeout: 600_000 + kills * 24_000 },
  (_, served) => survive(served),
);

async function survive(served: readonly CrashDirection[]): Promise<void> {
  const chance = chanceFrom(seed + nodes.findIndex(([, one]) => one === served));
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-crash-'));
  const { program: networks, endpoints } = await startNetworks(built.sandbox, dataDir);
  const node = mortalNode(built.headless, dataDir, []);
  const counts = countKills(dataDir, served);
  const begun = performance.now();
  let oracle: Oracle | null = null;
  let stopMiner = () => Promise.resolve();
  try {
    await node.start();
    const wallet = await openWallet(endpoints, randomBytes(64));
    const { body } = await node.ask('/owner/wallets/arkade/address', {}, true);
    oracle = openOracle(endpoints, wallet, ArkAddress.decode(String(body['address'])).pkScript);
    const stage: Stage = { node, wallet, endpoints, chance, scenarios: [] };
    await chainsReady(stage, oracle);
    if (isOnBitcoin(served)) {
      await bitcoinReady(stage, oracle);
      stopMiner = startMiner(stage);
    }
    const run = { directions: served, stage, oracle, counts, start: await oracle.balances() };
    await node.stop();
    for (let upTo = Math.min(kills, killsARound); ; upTo = Math.min(kills, upTo + killsARound)) {
      await playRound(run, upTo);
      if (upTo === kills) break;
    }
    await stopMiner();
    report(run, performance.now() - begun);
  } catch (cause) {
    const ofMiner = await stopMiner().then(
      () => '',
      (fault: unknown) => `\nno block came any more: ${String(fault)}`,
    );
    const { message } = cause as Error;
    throw new Error(
      `seed ${seed}, after ${node.kills} kills: ${message}${ofMiner}\n${whatWasSaid(node, cause as Error)}`,
      { cause },
    );
  } finally {
    await stopMiner().catch(() => undefined); // told above
    await oracle?.stop();
    await node.stop();
    await networks.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Of the swap that a failure names, else the last lines. */
function whatWasSaid(node: MortalNode, { message }: Error): string {
  const [swapId] = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/.exec(message) ?? [];
  return swapId === undefined
    ? `log of the node:\n${node.log().slice(-4_000)}`
    : `log of its lives:\n${node.logOf(swapId).slice(-12_000)}`;
}

/** Ends with `upTo` kills of every direction, or more. */
async function playRound(run: Run, upTo: number): Promise<void> {
  const { stage, oracle, start } = run;
  const { node, wallet } = stage;
  await killWhileBusy(run, upTo);
  const late = Math.min(4, Math.ceil(kills / 10));
  // The funding window, the service's locktime, the client's locktime: each passes while the node is down, and it is
  // killed again while it recovers.
  const { controls } = wallet;
  const clockNow = async () => (await controls.state()).clock;
  for (const time of ['windows', 'service', 'client'] as const) {
    for (const { end, scenarios } of leapsOf(time, stage.scenarios, await clockNow())) {
      await die(run);
      await controls.advance(Math.max(0, end - (await clockNow())) + hour);
      const acting = Promise.all(
        scenarios.map(async (scenario) => wireDirections[scenario.direction].atLast?.(stage, scenario, time, oracle)),
      );
      acting.catch(() => undefined); // told below
      for (let i = 0; i < late; i++) await dieOnce(run);
      await node.start();
      await acting;
      await quiet(stage, oracle, time, scenarios);
    }
    if (time === 'service') await checkListed(stage, oracle);
  }
  await networksQuiet(stage, oracle);
  const verdicts = await checkAll(stage, oracle, start);
  const before = await snapshot(stage, oracle, verdicts);
  await node.stop();
  await node.start();
  await pause(2_500);
  expect(await snapshot(stage, oracle, await verdictsOf(stage, oracle)), 'a second recovery changes nothing').toEqual(
    before,
  );
  const nonces = await oracle.evm.nonces();
  await node.stop();
  expect(nonceFaults(node.dataDir, nonces)).toEqual([]);
}

/** Clients come and go while the node dies again and again; at the end it lives, until every client is done. */
async function killWhileBusy(run: Run, upTo: number): Promise<void> {
  const { directions, stage, oracle, counts } = run;
  const { node, chance } = stage;
  const swapsAtOnce = directions.length === 1 ? aloneAtOnce : eachAtOnce;
  let over = false;
  const failures: unknown[] = [];
  const isOver = () => over || failures.length > 0;
  const clients = directions.flatMap((direction) =>
    Array.from({ length: swapsAtOnce }, async () => {
      const own = { ...stage, chance: chanceFrom(Math.floor(chance.next() * 2 ** 31)) };
      // Those that are quick leave room for the others.
      for (; !isOver(); await pause(own.chance.between(0, 2_000)))
        await played(direction, own).catch((cause: unknown) => failures.push(cause));
    }),
  );
  const storms = skies(directions).map((sky) => weather(stage, oracle, sky, isOver));
  await node.start();
  await pause(chance.between(200, 1_500));
  try {
    while (counts.below(upTo).length > 0 && failures.length === 0) {
      await die(run);
      if (chance.next() < 0.3) await dieOnce(run);
      await node.start();
      await pause(lifeOf(chance) * usual(node));
    }
  } finally {
    over = true;
  }
  await Promise.all([...clients, ...storms]);
  if (failures.length > 0) throw failures[0];
}

function kindOf(direction: CrashDirection): string {
  return wireDirections[direction].onBitcoin ? 'over the Bitcoin chain' : 'elsewhere';
}

/** The EVM chains have theirs, and the Bitcoin chain its own: neither is calmer for the other. */
function skies(directions: readonly CrashDirection[]): Pick<WireDirection, 'chains' | 'onBitcoin'>[] {
  const chains = [...new Set(directions.flatMap((direction) => wireDirections[direction].chains))];
  return [
    { chains, onBitcoin: false },
    { chains: [], onBitcoin: isOnBitcoin(directions) },
  ];
}

function isOnBitcoin(directions: readonly CrashDirection[]): boolean {
  return directions.some((direction) => wireDirections[direction].onBitcoin);
}

async function die({ stage: { node }, counts }: Run): Promise<void> {
  await node.kill();
  counted(node, counts);
}

/** Dies at a random moment of its start or shortly after it. */
async function dieOnce({ stage: { node, chance }, counts }: Run): Promise<void> {
  await node.startAndKillAfter(chance.between(0.4, 1.3) * usual(node));
  counted(node, counts);
}

/** Milliseconds from its start to its ready line, by what it took so far. */
function usual({ readyTimes }: MortalNode): number {
  return readyTimes.toSorted((a, b) => a - b)[Math.floor(readyTimes.length / 2)] ?? 1_000;
}

/** In starts: some lives end before much is under way; in others swaps get on, or nothing new would ever be met. */
function lifeOf(chance: Chance): number {
  return chance.next() < 0.5 ? chance.between(0, 1) : chance.between(1, 5);
}

function counted(node: MortalNode, counts: KillCounts): void {
  counts.killed();
  const rare = counts.below(kills).map((direction) => `${direction} (${counts.of(direction)})`);
  if (node.kills >= mostKills && rare.length > 0)
    throw new Error(`${node.kills} kills of the node met too few swaps of ${rare.join(', ')}: ${kills} are wanted`);
}

async function played(direction: CrashDirection, stage: Stage): Promise<void> {
  try {
    await anyStory(direction, stage.chance)(stage);
  } catch (cause) {
    throw new Error(`${direction}: ${(cause as Error).message}`, { cause });
  }
}

/** Four tenths of the clients are honest. */
function anyStory(direction: CrashDirection, chance: Chance): Story {
  const { stories } = wireDirections[direction];
  const { honest } = stories;
  if (honest === undefined) throw new Error('no honest story');
  return chance.next() < 0.4 ? honest : chance.pick(Object.values(stories));
}

function report({ directions, stage: { node, scenarios }, counts }: Run, ms: number): void {
  const sorted = node.readyTimes.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  for (const direction of directions) {
    const own = scenarios.filter((scenario) => scenario.direction === direction);
    const stories = Map.groupBy(own, ({ story }) => story);
    console.log(
      `${direction}: seed ${seed}, ${counts.of(direction)} kills, ${own.length} swaps ` +
        `(${[...stories].map(([story, all]) => `${all.length} ${story}`).join(', ')}), violations 0, ` +
        `recovery p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`,
    );
  }
  console.log(`their node: ${node.kills} kills, ${scenarios.length} swaps, ${Math.round(ms / 1_000)} s`);
}
