import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { refuse, type Refusal } from '../../engine/domain/errors.ts';
import { defaultFolder } from '../folder.ts';
import type { ReadyLine } from '../ready.ts';
import { places } from '../places.ts';
import { runningNode } from '../running-node.ts';

/** A node in sandbox mode that the demo may use. */
export interface DemoNode {
  readonly url: string;
  readonly token: string;
  readonly own: boolean;
  stop(): Promise<void>;
}

/** The sandbox node of `folder` when one runs there, else one of our own in a folder that goes with it. */
export async function findOrStartNode(folder: string | null): Promise<DemoNode | Refusal> {
  const at = folder ?? defaultFolder('sandbox', process.platform, process.env);
  const running = await runningNode(at, '/sandbox');
  if (running !== null) return { ...running, own: false, stop: async () => {} };
  if (folder !== null)
    return refuse(
      'unavailable',
      `No node runs on ${folder}: start one with "npm run headless -- --sandbox --data-dir ${folder}", or leave ` +
        '--data-dir out.',
    );
  return startNode();
}

async function startNode(): Promise<DemoNode | Refusal> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-demo-'));
  const { root } = places();
  const entry =
    extname(import.meta.filename) === '.ts'
      ? join(root, 'main', 'headless.ts')
      : join(root, 'out', 'main', 'headless.js');
  let log = '';
  const node = spawn(process.execPath, [entry, '--sandbox', '--data-dir', folder, '--port', '0', '--mine'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  node.stderr.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-4_000)));
  const ended = once(node, 'exit');
  const first = await Promise.race([once(createInterface({ input: node.stdout }), 'line'), ended.then(() => null)]);
  const stop = async () => {
    node.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  if (first === null) {
    await stop();
    return refuse('unavailable', `The node did not start:\n${log}`);
  }
  const { url } = JSON.parse(first[0] as string) as ReadyLine;
  return { url, token: readFileSync(join(folder, 'owner.token'), 'utf8').trim(), own: true, stop };
}
