import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { expect } from 'vitest';
import type { WireNode } from '../../stories/wire-node.ts';
import type { BitcoinNode } from './bitcoin-node.ts';
import type { Settings } from './node-files.ts';

const cli = join(import.meta.dirname, '..', '..', '..', 'main', 'cli', 'rescue.ts');
/** Runs after which a way of three transactions is on the chain, however often a reorganisation takes it back. */
const mostRuns = 16;

export interface Run {
  readonly code: number;
  readonly out: string;
}

/** What the owner of a lost node still has, and what they do with it: `npm run rescue`. */
export interface LostNode {
  rescue(...more: string[]): Promise<Run>;
  /** Run again after every block until what it says tells that it is there. */
  rescueUntil(reached: (run: Run) => Promise<boolean>, ...more: string[]): Promise<Run>;
}

/** The node dies, and its folder goes with it; its owner has the words, the bundle, and a configuration. */
export async function loseNode(
  node: WireNode,
  {
    under,
    entropy,
    bitcoin,
    settings,
    mine,
  }: {
    readonly under: string;
    readonly entropy: Uint8Array;
    readonly bitcoin: BitcoinNode;
    readonly settings: Settings;
    readonly mine: () => Promise<void>;
  },
): Promise<LostNode> {
  const left = mkdtempSync(join(under, 'left-'));
  await node.kill('SIGKILL');
  copyFileSync(join(node.folder, 'rescue.bundle'), join(left, 'rescue.bundle'));
  rmSync(node.folder, { recursive: true });
  const file = (name: string, content: string): string => {
    writeFileSync(join(left, name), content, { mode: 0o600 });
    return join(left, name);
  };
  mkdirSync(join(left, 'empty'), { mode: 0o700 });
  const { url, user, password, caFile } = bitcoin;
  const core = { url, userFile: file('user', user), passwordFile: file('password', password), caFile };
  file('words', entropyToMnemonic(entropy, wordlist));
  file(
    'config.json',
    JSON.stringify({ network: 'regtest', dataDir: join(left, 'empty'), bitcoin: { core }, ...settings }),
  );

  function rescue(...more: string[]): Promise<Run> {
    const given = ['--config', 'config.json', '--seed-file', 'words', '--bundle', 'rescue.bundle', '--yes'];
    return new Promise((resolve) => {
      execFile(process.execPath, [cli, ...given, ...more], { cwd: left }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), out: stdout + stderr }),
      );
    });
  }

  return {
    rescue,
    async rescueUntil(reached, ...more) {
      for (let runs = 1; ; runs++) {
        const run = await rescue(...more);
        if (await reached(run)) return run;
        if (runs === mostRuns) expect.fail(`it does not come there: ${run.out}`);
        await mine();
      }
    },
  };
}
