import { ArkAddress } from '@arkade-os/sdk';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chanceFrom } from './support/chance.ts';
import { chainsReady } from './support/chains-ready.ts';
import { wireDirections } from './support/directions.ts';
import { mortalNode } from './support/mortal-node.ts';
import { mortalSandbox } from './support/mortal-sandbox.ts';
import { openOracle } from './support/oracle.ts';
import { builtPrograms, type Built } from './support/program.ts';
import type { Stage } from './support/scenario.ts';
import { faultsOf } from './support/verdict.ts';
import { openWallet } from './support/wallet.ts';
import { startWitness } from './support/witness.ts';

/**
 * The networks die at random moments under a node and its clients, and come back: no block, transaction, coin or
 * payment that anybody was told of is lost, and every network still fits the others.
 */
const kills = Math.max(4, Math.round(Number(process.env['CRASH_KILLS'] ?? 100) / 4));
const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let built: Built;
beforeAll(async () => {
  built = await builtPrograms();
}, 300_000);
afterAll(() => built.remove());

test(
  `networks that are killed ${kills} times lose nothing that they told anybody`,
  { timeout: 300_000 + kills * 30_000 },
  async () => {
    const chance = chanceFrom(seed);
    const dataDir = mkdtempSync(join(tmpdir(), 'sluice-crash-sandbox-'));
    const sandbox = await mortalSandbox(built.sandbox, dataDir);
    const node = mortalNode(built.headless, dataDir, []);
    const ending: (() => Promise<void>)[] = [() => sandbox.stop(), () => node.stop()];
    try {
      await node.start();
      const { endpoints } = sandbox;
      const open = await openWallet(endpoints, randomBytes(64));
      const wallet = { ...open, controls: sandbox.patient(open.controls) };
      const { body } = await node.ask('/owner/wallets/arkade/address', {}, true);
      const oracle = openOracle(endpoints, wallet, ArkAddress.decode(String(body['address'])).pkScript);
      ending.push(() => oracle.stop());
      const stage: Stage = { node, wallet, endpoints, chance, scenarios: [] };
      await chainsReady(stage, oracle);
      const start = await oracle.balances();
      const witness = await startWitness(endpoints, wallet.controls);
      ending.push(() => witness.stop());

      let isOver = false;
      const failures: unknown[] = [];
      const clients = Object.values(wireDirections).map(async ({ stories: { honest } }) => {
        while (!isOver && failures.length === 0) await honest?.(stage).catch((cause: unknown) => failures.push(cause));
      });
      while (sandbox.kills < kills && failures.length === 0) {
        await pause(chance.between(500, 6_000));
        await sandbox.killAfter(chance.between(0, 50));
      }
      isOver = true;
      await Promise.all(clients);
      if (failures.length > 0) throw failures[0];

      await witness.stop();
      await wallet.controls.mine(1); // what is left in the mempool
      expect(await witness.broken()).toEqual([]);
      await expect
        .poll(async () => (await oracle.evm.nonces()).filter(({ mined, pending }) => mined !== pending), {
          timeout: 60_000,
        })
        .toEqual([]);
      // A client is done once it has its own; the node settles and claims after it.
      const faults = async () => {
        const verdicts = await Promise.all(stage.scenarios.map((scenario) => oracle.judge(scenario)));
        return [...verdicts.flatMap(faultsOf), ...(await oracle.unexplained(start, verdicts))];
      };
      await expect.poll(faults, { timeout: 60_000, interval: 1_000 }).toEqual([]);
      console.log(
        `sandbox: seed ${seed}, ${sandbox.kills} kills, ${stage.scenarios.length} swaps, ${witness.heard} blocks and ` +
          'transactions told of, nothing lost',
      );
    } catch (cause) {
      throw new Error(
        `seed ${seed}, after ${sandbox.kills} kills: ${(cause as Error).message}\n${node.log().slice(-4_000)}`,
        { cause },
      );
    } finally {
      for (const end of ending.reverse()) await end().catch(() => undefined);
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
);
