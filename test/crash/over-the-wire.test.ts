import { ArkAddress } from '@arkade-os/sdk';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bitcoinReady, chainsReady } from './support/chains-ready.ts';
import { chanceFrom, type Chance } from './support/chance.ts';
import { mortalNode, type MortalNode } from './support/mortal-node.ts';
import { wireDirections, type Time } from './support/directions.ts';
import { nonceFaults } from './support/nonces.ts';
import { openOracle, type Books, type Oracle } from './support/oracle.ts';
import { builtPrograms, startNetworks, type Built } from './support/program.ts';
import { bitcoinQuiet } from './support/bitcoin-quiet.ts';
import { look, type Stage, type Story, type Scenario } from './support/scenario.ts';
import { faultsOf, unorderly, type CrashDirection, type Verdict } from './support/verdict.ts';
import { hasVhtlc, openWallet } from './support/wallet.ts';
import { startMiner, weather } from './support/weather.ts';

/** Kills of each direction, and the seed of their moments: `npm run test:crash -- 20 --seed 7`. */
const kills = Number(process.env['CRASH_KILLS'] ?? 100);
const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const swapsAtOnce = 6;
const hour = 3_600;
/** A round: busy clients, then every timeout. Longer runs have more of them. */
const killsARound = 40;
const quietMs = 60_000;

let built: Built;

beforeAll(async () => {
  built = await builtPrograms();
}, 300_000);

afterAll(() => built.remove());

const directions = Object.keys(wireDirections) as CrashDirection[];
const chosen = process.env['CRASH_DIRECTION'];

test.concurrent.each(directions.filter((direction) => (chosen ?? direction) === direction))(
  `a node that is killed ${kills} times with swaps of %s in flight neither loses nor takes a satoshi`,
  { timeout: 300_000 + kills * 24_000 },
  (direction) => survive(direction),
);

async function survive(direction: CrashDirection): Promise<void> {
  const chance = chanceFrom(seed + directions.indexOf(direction));
  const dataDir = mkdtempSync(join(tmpdir(), `sluice-crash-${direction}-`));
  const { program: networks, endpoints } = await startNetworks(built.sandbox, dataDir);
  const node = mortalNode(built.headless, dataDir, []);
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
    if (wireDirections[direction].onBitcoin) {
      await bitcoinReady(stage, oracle);
      stopMiner = startMiner(stage);
    }
    const start = await oracle.balances();
    await node.stop();
    for (let round = 0; node.kills < kills; round++)
      await playRound(stage, oracle, start, direction, Math.min(kills, (round + 1) * killsARound));
    await stopMiner();
    report(direction, stage, performance.now() - begun);
  } catch (cause) {
    throw new Error(
      `seed ${seed}, direction ${direction}, after ${node.kills} kills: ${(cause as Error).message}\nlog of the ` +
        `node:\n${node.log().slice(-4_000)}`,
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

async function playRound(
  stage: Stage,
  oracle: Oracle,
  start: Books,
  direction: CrashDirection,
  upTo: number,
): Promise<void> {
  const { node, wallet } = stage;
  const ofRound = upTo - node.kills;
  const late = Math.min(4, Math.floor(ofRound / 4));
  await killWhileBusy(stage, oracle, direction, upTo - 3 * late);
  // The funding window, the service's locktime, the client's locktime: each passes while the node is down, and it is
  // killed again while it recovers.
  for (const [part, time] of [
    [2, 'windows'],
    [1, 'service'],
    [0, 'client'],
  ] as const) {
    const { clock } = await wallet.controls.state();
    const endOf = time === 'windows' ? () => clock : wireDirections[direction].ends[time];
    await wallet.controls.advance(
      Math.max(0, ...stage.scenarios.map((scenario) => endOf(scenario, clock) - clock)) + hour,
    );
    const acting = Promise.all(
      stage.scenarios.map(async (scenario) => wireDirections[direction].atLast?.(stage, scenario, time, oracle)),
    );
    acting.catch(() => undefined); // told below
    while (node.kills < upTo - part * late) await dieOnce(node, stage.chance);
    await node.start();
    await acting;
    await quiet(stage, oracle, direction, time);
    if (part === 0) break;
    if (part === 1) await checkListed(stage, oracle, direction);
    await node.kill();
  }
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

/** Clients come and go while the node dies again and again; at the end it lives until every client is done. */
async function killWhileBusy(stage: Stage, oracle: Oracle, direction: CrashDirection, upTo: number): Promise<void> {
  const { node, chance } = stage;
  let over = false;
  const failures: unknown[] = [];
  const clients = Array.from({ length: swapsAtOnce }, async () => {
    while (!over && failures.length === 0)
      await anyStory(direction, chance)(stage).catch((cause: unknown) => failures.push(cause));
  });
  const storm = weather(stage, oracle, wireDirections[direction], () => over || failures.length > 0);
  await node.start();
  await pause(chance.between(200, 1_500));
  while (node.kills < upTo && failures.length === 0) {
    await node.kill();
    if (node.kills < upTo && chance.next() < 0.3) await dieOnce(node, chance);
    await node.start();
    if (node.kills < upTo) await pause(chance.between(0, 1_200));
  }
  over = true;
  await Promise.all([...clients, storm]);
  if (failures.length > 0) throw failures[0];
  await node.kill();
}

/** Dies at a random moment of its start or shortly after it. */
async function dieOnce(node: MortalNode, chance: Chance): Promise<void> {
  const usual = node.readyTimes.toSorted((a, b) => a - b)[Math.floor(node.readyTimes.length / 2)] ?? 1_000;
  await node.startAndKillAfter(chance.between(usual * 0.4, usual * 1.3));
}

/** Four tenths of the clients are honest. */
function anyStory(direction: CrashDirection, chance: Chance): Story {
  const { stories } = wireDirections[direction];
  const { honest } = stories;
  if (honest === undefined) throw new Error('no honest story');
  return chance.next() < 0.4 ? honest : chance.pick(Object.values(stories));
}

/** Waits until every swap is where this passage of time must bring it; at last the clients help themselves. */
async function quiet(stage: Stage, oracle: Oracle, direction: CrashDirection, time: Time): Promise<void> {
  const { final, helpItself } = wireDirections[direction];
  if (time === 'client' && helpItself !== undefined)
    for (const scenario of stage.scenarios)
      await Promise.race([
        helpItself(stage, scenario, oracle),
        pause(quietMs).then(() =>
          Promise.reject(new Error(`${scenario.story}, swap ${scenario.record.id}: its client cannot help itself`)),
        ),
      ]);
  const deadline = Date.now() + quietMs;
  for (const scenario of stage.scenarios) {
    while (!final[time].has(await look(stage, scenario))) {
      if (Date.now() > deadline)
        throw new Error(
          `${scenario.story}, swap ${scenario.record.id}: still ${scenario.seen.at(-1)} (seen ${scenario.seen.join(' > ')}) ` +
            `${quietMs / 1_000} s after its ${time} time\n${await historyOf(stage, scenario)}`,
        );
      await pause(100);
    }
  }
  if (time !== 'client') return;
  await accountQuiet(oracle, deadline);
  if (wireDirections[direction].onBitcoin) await bitcoinQuiet(stage, oracle, deadline);
}

/** Until nothing of the node's waits on any chain any more. */
async function accountQuiet({ evm }: Oracle, deadline: number): Promise<void> {
  for (;;) {
    const waiting = (await evm.nonces()).filter(({ mined, pending }) => mined !== pending);
    if (waiting.length === 0) return;
    if (Date.now() > deadline) throw new Error(`transactions of the node wait for ever: ${JSON.stringify(waiting)}`);
    await pause(200);
  }
}

function verdictsOf({ scenarios }: Stage, oracle: Oracle): Promise<Verdict[]> {
  return Promise.all(scenarios.map((scenario) => oracle.judge(scenario)));
}

async function checkAll(stage: Stage, oracle: Oracle, start: Books): Promise<Verdict[]> {
  const verdicts = await verdictsOf(stage, oracle);
  const faults: string[] = [];
  for (const scenario of stage.scenarios) {
    const own = verdicts.filter((verdict) => verdict.scenario === scenario).flatMap(faultsOf);
    const disorder = unorderly(scenario.seen);
    if (disorder !== null) own.push(disorder);
    if (own.length > 0)
      faults.push(
        `${scenario.story}, swap ${scenario.record.id} (${scenario.seen.join(' > ')}): ` +
          `${own.join('; ')}\n${await historyOf(stage, scenario)}`,
      );
  }
  const unexplained = await oracle.unexplained(start, verdicts);
  if (unexplained.length > 0) {
    faults.push(...unexplained);
    for (const scenario of stage.scenarios)
      faults.push(`  ${scenario.record.id}, ${scenario.story}:`, await historyOf(stage, scenario));
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return verdicts;
}

/** A coin at one of our scripts that nobody took yet is on the owner's list. */
async function checkListed(stage: Stage, oracle: Oracle, direction: CrashDirection): Promise<void> {
  if (!direction.startsWith('arkade-') && !direction.startsWith('bitcoin-')) return;
  for (const scenario of stage.scenarios) {
    const coins = direction.startsWith('bitcoin-')
      ? await oracle.bitcoin.legOf(scenario.record)
      : hasVhtlc(scenario.record)
        ? await stage.wallet.fates(scenario.record)
        : [];
    const left = (coins ?? []).filter((coin) => coin.spent === 'unspent').map((coin) => coin.outpoint);
    if (left.length === 0) continue;
    const { body } = await stage.node.ask(`/owner/swaps/${scenario.record.id}`, undefined, true);
    const listed = (body['strays'] as { coin: string }[]).map(({ coin }) => coin);
    expect(
      left.filter((coin) => !listed.includes(coin)),
      `coins of ${scenario.record.id} (${scenario.story}) that nobody lists`,
    ).toEqual([]);
  }
}

async function snapshot(stage: Stage, oracle: Oracle, verdicts: readonly Verdict[]) {
  const records = await Promise.all(
    stage.scenarios.map(async ({ record }) => (await stage.node.ask(`/swap/${record.id}`)).body),
  );
  return {
    records,
    balances: await oracle.balances(),
    networks: verdicts.map(({ coins, hold, payment, evm, bitcoin }) => ({ coins, hold, payment, evm, bitcoin })),
  };
}

async function historyOf(stage: Stage, scenario: Scenario): Promise<string> {
  const answer = await stage.node.askOnce(`/owner/swaps/${scenario.record.id}`, undefined, true);
  const journal = (answer?.body['journal'] ?? []) as { from: string; to: string; event: string; effects: string[] }[];
  return journal.map((line) => `    ${line.from} -${line.event}-> ${line.to} [${line.effects.join(' ')}]`).join('\n');
}

function report(direction: CrashDirection, { node, scenarios }: Stage, ms: number): void {
  const sorted = node.readyTimes.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  const counts = new Map<string, number>();
  for (const { story } of scenarios) counts.set(story, (counts.get(story) ?? 0) + 1);
  const stories = [...counts].map(([story, count]) => `${count} ${story}`);
  console.log(
    `${direction}: seed ${seed}, ${node.kills} kills, ${scenarios.length} swaps (${stories.join(', ')}), violations ` +
      `0, recovery p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, ${Math.round(ms / 1_000)} s`,
  );
}
