import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** util-linux's way to give a program a terminal; other systems' program of that name takes other flags. */
export const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');

/**
 * Runs a program of the sources on a terminal and answers its questions as they come; resolves with what the screen
 * showed, and throws where a question did not come.
 */
export async function onTerminal(
  command: readonly string[],
  answers: readonly (readonly [question: string, answer: string])[],
): Promise<{ code: number; screen: string }> {
  const line = [process.execPath, ...command].map((part) => `'${part}'`).join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const left = [...answers];
  let screen = '';
  let read = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    const [next] = left;
    const at = next === undefined ? -1 : screen.indexOf(next[0], read);
    if (next === undefined || at < 0) return;
    read = at + next[0].length;
    left.shift();
    child.stdin.write(`${next[1]}\r`);
  });
  const [code] = (await once(child, 'close')) as [number];
  if (left.length > 0) throw new Error(`nobody asked "${left[0]?.[0] ?? ''}": ${screen}`);
  return { code, screen };
}
