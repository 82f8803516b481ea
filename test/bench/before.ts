import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** A line that the benchmark prints: its name and what it measured. */
export type Line = Readonly<Record<string, unknown>> & { readonly bench: string };

/** What tells the lines of one measure apart. */
function keyOf({ bench, direction, open, finished, atOnce, trace, what }: Line): string {
  return JSON.stringify([bench, direction, open, finished, atOnce, trace, what]);
}

/** What was measured, without what it is measured against. */
export function figuresOf(line: Line): object {
  const labels = new Set(['bench', 'direction', 'open', 'finished', 'aim', 'floor', 'connections', 'trace', 'what']);
  return Object.fromEntries(Object.entries(line).filter(([name]) => !labels.has(name)));
}

/** Where an earlier state is measured, and what its bench is told. */
interface Earlier {
  readonly checkout: string;
  readonly environment: NodeJS.ProcessEnv;
}

export function earlierOf(given: { readonly before?: string; readonly 'before-built'?: string }): Earlier | null {
  const { before, 'before-built': built } = given;
  if (before !== undefined) return { checkout: before, environment: process.env };
  return built === undefined
    ? null
    : { checkout: process.cwd(), environment: { ...process.env, BENCH_BUILT: resolve(built) } };
}

/**
 * The figures of an earlier state: one alone says little on a machine whose speed changes from hour to hour. A checkout
 * has its own bench and its own node_modules.
 */
export async function measureBefore(
  { checkout, environment }: Earlier,
  flags: readonly string[],
): Promise<(line: Line) => Line | null> {
  const child = spawn(process.execPath, ['test/bench/run.ts', ...flags], {
    cwd: checkout,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((end, reject) => child.once('error', reject).once('exit', end));
  const lines = new Map<string, Line>();
  for await (const text of createInterface({ input: child.stdout })) {
    if (!text.startsWith('{')) continue;
    const line = JSON.parse(text) as Line;
    lines.set(keyOf(line), line);
  }
  const code = await ended;
  if (code !== 0) throw new Error(`the benchmark of what was before ended with ${code}`);
  return (line) => lines.get(keyOf(line)) ?? null;
}
