import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../crash/support/program.ts';
import type { Setting } from './setting.ts';
import { quantiles } from './trace.ts';

const program = fileURLToPath(new URL('../../main/start.ts', import.meta.url));
const aim = { p50: 4_000 };

/**
 * `npm start` of what is built, without a window: from its process to the ready line, EVM chains included. The very
 * first start compiles everything, one in a fresh folder makes its networks and wallets, and another one finds them.
 */
export async function starts({ folder, size, print }: Pick<Setting, 'folder' | 'size' | 'print'>): Promise<void> {
  const environment = { ...process.env };
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled');
  for (const screen of ['DISPLAY', 'WAYLAND_DISPLAY']) delete process.env[screen];
  try {
    const first = await ready(join(folder, 'first'));
    print('start', { what: 'the very first', ...quantiles([first]), aim });
    const fresh: number[] = [];
    const again: number[] = [];
    for (let i = 0; i < size.starts; i++) {
      const dataDir = mkdtempSync(join(folder, 'start-'));
      fresh.push(await ready(dataDir));
      again.push(await ready(dataDir));
      rmSync(dataDir, { recursive: true, force: true });
    }
    print('start', { what: 'in a fresh folder', ...quantiles(fresh), aim });
    print('start', { what: 'again', ...quantiles(again), aim });
  } finally {
    process.env = environment;
  }
}

async function ready(dataDir: string): Promise<number> {
  const node = await startProgram(program, ['--sandbox', '--data-dir', dataDir, '--port', '0']);
  if (node === null) throw new Error('npm start did not start');
  await node.stop();
  return node.readyAfter;
}
