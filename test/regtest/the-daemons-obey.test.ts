import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Chain } from './kit/chain.ts';
import { startChain } from './kit/chain.ts';
import { onDaemons } from './kit/on-daemons.ts';

const top = join(import.meta.dirname, '..', '..');

onDaemons('the daemons obey the kit', () => {
  let chain: Chain;

  beforeAll(async () => {
    chain = await startChain();
  });
  afterAll(() => chain?.stop());

  async function confirmations(txid: string): Promise<number | null> {
    const { confirmations } = await chain.node.rpc.call<{ confirmations?: number }>('getrawtransaction', txid, 1);
    return confirmations ?? null;
  }

  test('a mined payment returns to the mempool by a longer side branch, and is mined again', async () => {
    const { txid } = await chain.faucet.pay([
      { to: Uint8Array.of(0x00, 0x14, ...new Uint8Array(20).fill(3)), amount: 12_345n },
    ]);
    const parent = await chain.node.rpc.call<string>('getbestblockhash');
    await chain.miner.mine(1);
    expect(await confirmations(txid)).toBe(1);
    const side = await chain.miner.mineBlock({ parent, transactions: [] });
    const tip = await chain.miner.mineBlock({ parent: side.hash, transactions: [] });
    expect([await chain.node.rpc.call('getbestblockhash'), await confirmations(txid)]).toEqual([tip.hash, null]);
    await chain.miner.mine(1);
    expect(await confirmations(txid)).toBe(1);
  });

  test('median time past goes ahead of the wall by an hour and a half, no block by more than two hours', async () => {
    await chain.miner.warp(5_400);
    expect((await chain.miner.medianTime()) - Date.now() / 1_000).toBeGreaterThan(5_390);
    await expect(chain.miner.mineBlock({ time: Math.floor(Date.now() / 1_000) + 7_300 })).rejects.toThrow(
      'too far in the future',
    );
  });

  test('a killed btcd comes back with the chain and the mempool that its memory has', async () => {
    const { txid } = await chain.faucet.pay([
      { to: Uint8Array.of(0x00, 0x14, ...new Uint8Array(20).fill(4)), amount: 1_000n },
    ]);
    const tip = await chain.node.rpc.call('getbestblockhash');
    await expect.poll(() => chain.memory.rpc.call('getrawmempool')).toEqual([txid]);
    await chain.restartNode(async () => {
      await expect(fetch(chain.node.url)).rejects.toThrow();
    });
    expect([await chain.node.rpc.call('getbestblockhash'), await chain.node.rpc.call('getrawmempool')]).toEqual([
      tip,
      [txid],
    ]);
  });

  test('a second chain joins the first, takes its coins over, and both see what the other mines', async () => {
    const joined = await startChain({ joins: chain.node.rpc });
    try {
      expect(await joined.height()).toBe(await chain.height());
      const { txid } = await joined.faucet.pay([
        { to: Uint8Array.of(0x00, 0x14, ...new Uint8Array(20).fill(5)), amount: 2_000n },
      ]);
      await joined.miner.mine(1);
      await expect.poll(() => confirmations(txid).catch(() => null)).toBe(1);
      await joined.restartNode();
      await chain.miner.mine(1);
      await expect.poll(() => joined.height()).toBe(await chain.height());
    } finally {
      await joined.stop();
    }
  });

  test('a daemon that dies fails the test that waits, at once and with its last lines', async () => {
    const folder = mkdtempSync(join(top, '.cache', 'a-daemon-dies-'));
    try {
      const kit = JSON.stringify(join(import.meta.dirname, 'kit'));
      writeFileSync(
        join(folder, 'waits.test.ts'),
        `import { afterAll, beforeAll, expect, test } from 'vitest';
        const { startChain } = await import(${kit} + '/chain.ts');
        const { onDaemons } = await import(${kit} + '/on-daemons.ts');
        onDaemons('a chain', () => {
          let chain;
          beforeAll(async () => { chain = await startChain(); });
          afterAll(() => chain.stop());
          test('waits for what never comes', () => {
            process.kill(chain.node.daemon.pid, 'SIGKILL');
            return new Promise(() => undefined);
          });
          test('is not begun without its daemon', () => new Promise(() => undefined));
        });`,
      );
      writeFileSync(
        join(folder, 'vitest.config.ts'),
        `export default { root: ${JSON.stringify(folder)}, test: { include: ['*.test.ts'], testTimeout: 45_000, ` +
          'hookTimeout: 120_000 } };',
      );
      const report = join(folder, 'report.json');
      const vitest = [join(top, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--reporter=json'];
      const run = spawn(process.execPath, [...vitest, `--outputFile=${report}`], { cwd: folder, stdio: 'ignore' });
      const [code] = (await once(run, 'close')) as [number];
      const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: Report[] };
      const messages = testResults.flatMap(({ assertionResults }) =>
        assertionResults.map(({ failureMessages }) => failureMessages.join('\n')),
      );
      expect({ code, messages }).toEqual({
        code: 1,
        messages: Array.from({ length: 2 }, () =>
          expect.stringMatching(/btcd \(process \d+\) ended by SIGKILL, and nobody told it to:\n.*\[INF\]/s),
        ),
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('a test process that is killed leaves no daemon and no folder behind', async () => {
    const starter = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `const { startChain } = await import(${JSON.stringify(join(import.meta.dirname, 'kit', 'chain.ts'))}); ` +
          'const chain = await startChain(); console.log(JSON.stringify({ folder: chain.folder, pids: ' +
          '[chain.node.daemon.pid, chain.memory.daemon.pid] }));',
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = (await once(createInterface({ input: starter.stdout }), 'line')) as [string];
    const { folder, pids } = JSON.parse(line) as { folder: string; pids: number[] };
    expect([existsSync(folder), pids.map(lives)]).toEqual([true, [true, true]]);
    starter.kill('SIGKILL');
    await expect
      .poll(() => [existsSync(folder), pids.map(lives)], { timeout: 60_000 })
      .toEqual([false, [false, false]]);
  });
});

interface Report {
  readonly assertionResults: readonly { readonly failureMessages: readonly string[] }[];
}

/** A process that nobody has collected yet is dead all the same. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    if (['ESRCH', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
