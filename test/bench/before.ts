import { spawn } from 'node:child_process';
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

/**
 * The figures of an earlier checkout, with its own client and its own node_modules: a figure alone says little on a
 * machine whose speed changes from hour to hour.
 */
export async function measureBefore(
  checkout: string,
  { quick, only }: { readonly quick: boolean; readonly only?: string | undefined },
): Promise<(line: Line) => Line | null> {
  const flags = [...(quick ? ['--quick'] : []), ...(only === undefined ? [] : ['--only', only])];
  const child = spawn(process.execPath, ['test/bench/run.ts', ...flags], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  const lines = new Map<string, Line>();
  for await (const text of createInterface({ input: child.stdout })) {
    if (!text.startsWith('{')) continue;
    const line = JSON.parse(text) as Line;
    lines.set(keyOf(line), line);
  }
  const code = await ended;
  if (code !== 0) throw new Error(`the benchmark of ${checkout} ended with ${code}`);
  return (line) => lines.get(keyOf(line)) ?? null;
}
