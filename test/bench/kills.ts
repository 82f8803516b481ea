import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { wireDirections } from '../crash/support/directions.ts';
import type { Setting } from './setting.ts';

/** What the crash test says of a direction in which nothing was lost and nothing was done twice. */
const verdict =
  /(?<direction>[a-z]+-[a-z]+): seed (?<seed>\d+), (?<kills>\d+) kills, (?<swaps>\d+) swaps .*violations (?<violations>\d+), recovery p50 (?<p50>\d+) ms, p95 (?<p95>\d+) ms/;

/**
 * B5, by the crash test itself: the built node is killed at random moments with swaps in flight, all directions at once. Recovery is from
 * its start to its ready line. A direction with a violation has no line of its own; it is named, and the log above says what it was.
 */
export async function kills({ size, print }: Pick<Setting, 'size' | 'print'>): Promise<void> {
  const child = spawn(process.execPath, ['test/crash/run.ts', String(size.kills), '--only', 'over-the-wire'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  const violated = new Set<string>(Object.keys(wireDirections));
  for await (const line of createInterface({ input: child.stdout })) {
    const { direction, ...facts } = verdict.exec(stripVTControlCharacters(line))?.groups ?? {};
    if (direction === undefined) {
      console.error(line);
      continue;
    }
    violated.delete(direction);
    const { seed, kills, swaps, violations, p50, p95 } = facts;
    print('B5', {
      direction,
      seed: Number(seed),
      kills: Number(kills),
      swaps: Number(swaps),
      violations: Number(violations),
      recovery: { p50: Number(p50), p95: Number(p95) },
      aim: { violations: 0, recovery: { p95: 3_000 } },
    });
  }
  const code = await ended;
  if (code !== 0 || violated.size > 0) print('B5', { violated: [...violated], exit: code, aim: { violations: 0 } });
}
