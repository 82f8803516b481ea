import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundleName } from '../../engine/rescue/keep.ts';
import { openClient } from '../support/client.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';
import { runRescue, walletTotal } from './rescuer.ts';

/** Moments of a swap between which one kill differs from another, and then some. */
const moments = [1, 4, 8, 12, 16, 18, 20, 22, 24, 26, 28, 30, 33, 36, 40, 50];
const channel = 1_000_000_000_000n;
const day = 86_400;

/** What the node has, wherever it is: what the client locked and never got a secret for is not among it. */
const holdings = async (world: World) => 1_000n * (await walletTotal({ world })) + world.balances().node - channel;

/** Plays until the node is killed at its k-th boundary for good, the client goes on alone, and all timelocks pass. */
async function playAndLose(k: number, claims: boolean): Promise<{ gain: bigint; outcome: string; killed: boolean }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-moment-'));
  const world = startWorld();
  let node: TestNode | null = null;
  let passed = 0;
  let armed = false;
  const killed = () => passed >= k;
  node = await startNodeOn(world, folder, {
    bundle: true,
    onBoundary: () => {
      if (armed && !killed() && ++passed === k) void node?.kill();
    },
  });
  try {
    const client = await openClient(world);
    const before = await holdings(world);
    armed = true;
    const secret = client.secret();
    const record = await client.createLightningArkade(node, 100_000n, secret).catch(() => null);
    if (record !== null) {
      world.pay(record.bolt11_invoice);
      for (let i = 0; i < 60 && !killed(); i++) {
        await pause(50);
        const [coin] = claims ? await client.coins(record) : [];
        if (coin !== undefined && !coin.spent) await client.claim(record, secret).catch(() => undefined);
      }
      const left = await client.coins(record);
      if (claims && left.some(({ spent }) => !spent)) await client.claim(record, secret).catch(() => undefined);
    }
    await node.kill();
    const at = { world, folder: node.nextFolder };
    const first = existsSync(join(at.folder, bundleName)) ? (await runRescue(at)).outcome : 'done';
    if (first !== 'done') {
      await world.advance(2 * day);
      await world.mine(12);
    }
    const outcome = first === 'done' ? first : (await runRescue(at)).outcome;
    return { gain: (await holdings(world)) - before, outcome, killed: killed() };
  } finally {
    await node.stop();
    world.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each([
  { what: 'a client that claims', claims: true },
  { what: 'a client that never claims', claims: false },
])(
  'killed for good at any moment of a swap with $what, the node loses nothing',
  { timeout: 240_000 },
  async ({ claims }) => {
    const losses: string[] = [];
    for (const k of moments) {
      const { gain, outcome } = await playAndLose(k, claims);
      if (gain < 0n || outcome !== 'done') losses.push(`moment ${k}: ${gain} msat, ${outcome}`);
    }
    expect(losses).toEqual([]);
  },
);
