import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { wireDirections } from '../crash/support/directions.ts';
import { aims } from './aims.ts';
import type { Setting } from './setting.ts';

type Part = Pick<Setting, 'size' | 'print'>;

/** What the crash test says of a direction in which nothing was lost and nothing was done twice. */
const verdict =
  /(?<direction>[a-z]+-[a-z]+): seed (?<seed>\d+), (?<kills>\d+) kills, (?<swaps>\d+) swaps .*violations (?<violations>\d+), recovery p50 (?<p50>\d+) ms, p95 (?<p95>\d+) ms/;
/** The same of a story that was played again and again, with a death at one boundary after the other. */
const played = /(?<direction>[a-z]+-[a-z]+), (?<story>.+): (?<boundaries>\d+) boundaries, (?<deaths>\d+) deaths, \d+ s/;

/**
 * B5, by the crash tests themselves: the built node over the wire, and in process, where a death costs a second and not
 * five.
 */
export async function kills(setting: Part): Promise<void> {
  await overTheWire(setting);
  await inProcess(setting);
}

/**
 * The built node is killed at random moments with swaps in flight, all directions at once. Recovery is from its start
 * to its ready line, that of all of them. After a violation no direction has a line: all are named, and the log above
 * says what it was.
 */
async function overTheWire({ size, print }: Part): Promise<void> {
  const violated = new Set<string>(Object.keys(wireDirections));
  const code = await crash(size.kills, 'over-the-wire', verdict, ({ direction = '', ...facts }) => {
    violated.delete(direction);
    const { seed, kills, swaps, violations, p50, p95 } = facts;
    print('B5', {
      direction,
      what: 'the built node is killed',
      seed: Number(seed),
      kills: Number(kills),
      swaps: Number(swaps),
      violations: Number(violations),
      recovery: { p50: Number(p50), p95: Number(p95) },
      aim: aims.kills,
    });
  });
  if (code !== 0 || violated.size > 0) print('B5', { violated: [...violated], exit: code, aim: aims.kills });
}

/**
 * A node that runs in the test dies before and after each commit and each act; `exit` is 0 where each death was judged
 * and none lost anything.
 */
async function inProcess({ size, print }: Part): Promise<void> {
  const sums = new Map<string, { stories: number; boundaries: number; deaths: number }>();
  const exit = await crash(size.kills, 'in-process', played, ({ direction = '', boundaries, deaths }) => {
    const sum = sums.get(direction) ?? { stories: 0, boundaries: 0, deaths: 0 };
    sums.set(direction, {
      stories: sum.stories + 1,
      boundaries: sum.boundaries + Number(boundaries),
      deaths: sum.deaths + Number(deaths),
    });
  });
  for (const [direction, sum] of sums)
    print('B5', { direction, what: 'a node in process dies', ...sum, exit, aim: { exit: 0 } });
}

/** Runs crash tests of a name with so many kills, hands over what their lines say, and answers how they ended. */
async function crash(
  count: number,
  name: string,
  says: RegExp,
  onFacts: (facts: Readonly<Record<string, string>>) => void,
): Promise<number | null> {
  const child = spawn(process.execPath, ['test/crash/run.ts', String(count), '--only', name], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const facts = says.exec(stripVTControlCharacters(line))?.groups;
    if (facts === undefined) console.error(line);
    else onFacts(facts);
  }
  return ended;
}
