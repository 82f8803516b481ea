import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { booksApart } from '../../stories/client/books.ts';
import { bitcoinQuiet } from './bitcoin-quiet.ts';
import { wireDirections, type Time } from './directions.ts';
import type { Books, Oracle } from './oracle.ts';
import { historyOf, look, nameOf, type Scenario, type Stage } from './scenario.ts';
import { faultsOf, unorderly, type Verdict } from './verdict.ts';
import { hasVhtlc, type ClaimableRecord } from './wallet.ts';

const quietMs = 60_000;

/** Waits until each of the swaps is where this passage of time must bring it; at last the clients help themselves. */
export async function quiet(
  stage: Stage,
  oracle: Oracle,
  time: Time,
  scenarios: readonly Scenario[] = stage.scenarios,
): Promise<void> {
  if (time === 'client') for (const scenario of scenarios) await helped(stage, scenario, oracle);
  const deadline = Date.now() + quietMs;
  for (const scenario of scenarios) {
    while (!(await isWhereItMustBe(stage, scenario, oracle, time))) {
      if (Date.now() > deadline)
        throw new Error(
          `${nameOf(scenario)}: still ${scenario.seen.at(-1)} (seen ${scenario.seen.join(' > ')}) ` +
            `${quietMs / 1_000} s after its ${time} time\n${await historyOf(stage, scenario)}`,
        );
      await pause(100);
    }
  }
}

/** Once every swap is where it must be at last: until nothing of the node's waits on any chain. */
export async function networksQuiet(stage: Stage, oracle: Oracle): Promise<void> {
  const deadline = Date.now() + quietMs;
  await accountQuiet(oracle, deadline);
  if (stage.scenarios.some(({ direction }) => wireDirections[direction].onBitcoin))
    await bitcoinQuiet(stage, oracle, deadline);
}

/**
 * A payment that is not the agreed one, and that a reorganisation took for good, is waited for: it may come again, and
 * nothing of its client's is there.
 */
async function isWhereItMustBe(stage: Stage, scenario: Scenario, oracle: Oracle, time: Time): Promise<boolean> {
  const status = await look(stage, scenario);
  if (wireDirections[scenario.direction].final[time].has(status)) return true;
  return (
    time === 'client' && status === 'clientinvalidfunded' && (await oracle.bitcoin.legOf(scenario.record))?.length === 0
  );
}

/** What its client does for itself, once it can. */
async function helped(stage: Stage, scenario: Scenario, oracle: Oracle): Promise<void> {
  const ended = new AbortController();
  await Promise.race([
    helpItself(stage, scenario, oracle),
    pause(quietMs, null, { signal: ended.signal }).then(() =>
      Promise.reject(new Error(`${nameOf(scenario)}: its client cannot help itself`)),
    ),
  ]).finally(() => ended.abort());
}

async function helpItself(stage: Stage, scenario: Scenario, oracle: Oracle): Promise<void> {
  const { direction, record } = scenario;
  await wireDirections[direction].helpItself?.(stage, scenario, oracle);
  if (!direction.endsWith('-arkade') || !hasVhtlc(record)) return;
  for (let isFinished = false; !isFinished;)
    isFinished = await stage.wallet.finishClaim(record as ClaimableRecord).then(
      () => true,
      () => pause(200, false),
    );
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

export function verdictsOf({ scenarios }: Stage, oracle: Oracle): Promise<Verdict[]> {
  return Promise.all(scenarios.map((scenario) => oracle.judge(scenario)));
}

/** Every swap by itself, the books of all of them, and those that the node keeps. */
export async function checkAll(stage: Stage, oracle: Oracle, start: Books): Promise<Verdict[]> {
  const verdicts = await verdictsOf(stage, oracle);
  const faults: string[] = [];
  for (const scenario of stage.scenarios) {
    const own = verdicts.filter((verdict) => verdict.scenario === scenario).flatMap(faultsOf);
    const disorder = unorderly(scenario.seen);
    if (disorder !== null) own.push(disorder);
    if (own.length > 0)
      faults.push(
        `${nameOf(scenario)} (${scenario.seen.join(' > ')}): ${own.join('; ')}\n${await historyOf(stage, scenario)}`,
      );
  }
  const unexplained = await oracle.unexplained(start, verdicts);
  if (unexplained.length > 0) {
    faults.push(...unexplained);
    for (const scenario of stage.scenarios) faults.push(`  ${nameOf(scenario)}:`, await historyOf(stage, scenario));
  }
  const apart = await booksApart(async () => (await stage.node.ask('/owner/accounts', undefined, true)).body);
  faults.push(...apart.map((one) => `the books of the node do not agree: ${one}`));
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return verdicts;
}

/** A coin at one of our scripts that nobody took yet is on the owner's list. */
export async function checkListed(stage: Stage, oracle: Oracle): Promise<void> {
  for (const scenario of stage.scenarios) {
    const { direction, record } = scenario;
    const coins = direction.startsWith('bitcoin-')
      ? await oracle.bitcoin.legOf(record)
      : direction.startsWith('arkade-') && hasVhtlc(record)
        ? await stage.wallet.fates(record)
        : [];
    const left = (coins ?? []).filter((coin) => coin.spent === 'unspent').map((coin) => coin.outpoint);
    if (left.length === 0) continue;
    const { body } = await stage.node.ask(`/owner/swaps/${record.id}`, undefined, true);
    const listed = (body['strays'] as { coin: string }[]).map(({ coin }) => coin);
    expect(
      left.filter((coin) => !listed.includes(coin)),
      `coins of ${nameOf(scenario)} that nobody lists`,
    ).toEqual([]);
  }
}

/** Everything that a recovery must leave as it is. */
export async function snapshot(stage: Stage, oracle: Oracle, verdicts: readonly Verdict[]) {
  const records = await Promise.all(
    stage.scenarios.map(async ({ record }) => (await stage.node.ask(`/swap/${record.id}`)).body),
  );
  return {
    records,
    balances: await oracle.balances(),
    networks: verdicts.map(({ coins, hold, payment, evm, bitcoin }) => ({ coins, hold, payment, evm, bitcoin })),
  };
}
