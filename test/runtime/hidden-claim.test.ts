import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sameBytes } from '../../engine/domain/hash.ts';
import { newTx, readTx, tapTreeFields } from '../../engine/legs/vhtlc/psbt.ts';
import { createVhtlcWatch } from '../../engine/runtime/watch/vhtlc.ts';
import type { Event } from '../../engine/swap/machine.ts';
import type { LightningArkadeTerms } from '../../engine/swap/lightning-arkade/terms.ts';
import { openClient, type Client } from '../support/client.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';

let folder: string;
let world: World;
let client: Client;
let node: TestNode;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-hidden-'));
  world = startWorld();
  client = await openClient(world);
  node = await startNodeOn(world, folder);
});

afterEach(async () => {
  await node.stop();
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The same transaction without the field that names the script it spends. */
function withoutTapTree(bytes: Uint8Array): Uint8Array {
  const tx = readTx(bytes);
  if (tx === null) throw new Error('no transaction');
  const bare = newTx({ version: tx.version, lockTime: tx.lockTime });
  for (let i = 0; i < tx.inputsLength; i++) {
    const trees = tapTreeFields(tx, i);
    const { unknown = [], tapScriptSig: _, ...input } = tx.getInput(i);
    bare.addInput(input);
    bare.updateInput(i, { unknown: unknown.filter(([, value]) => !trees.some((tree) => sameBytes(tree, value))) });
  }
  for (let i = 0; i < tx.outputsLength; i++) bare.addOutput(tx.getOutput(i));
  return bare.toPSBT();
}

test('a claim that hides its leaf is known by its secret', async () => {
  const secret = client.secret();
  const record = await client.createLightningArkade(node, 100_000n, secret);
  world.pay(record.bolt11_invoice);
  await node.until(record.id, 'locked');
  const { vhtlc, script } = node.runtime.workingSet.find(record.id)?.row.terms as LightningArkadeTerms;
  await client.claim(record, secret);
  const seen: Event[] = [];
  let trees = 0;
  const watch = createVhtlcWatch({
    arkade: {
      ...client.port,
      async virtualTxs(txids) {
        const shown = await client.port.virtualTxs(txids);
        const stripped = new Map([...shown].map(([txid, bytes]) => [txid, withoutTapTree(bytes)]));
        for (const bytes of stripped.values()) trees += tapTreeFields(readTx(bytes)!, 0).length;
        return stripped;
      },
    },
    bitcoin: null,
    wall: world.now,
    deliver: (_, event) => void seen.push(event),
    onFailure: (_, cause) => expect.unreachable(String(cause)),
    pollMs: 3_600_000,
  });
  watch.start();
  watch.add(record.id, vhtlc, script);
  await expect.poll(() => seen.length).toBeGreaterThan(0);
  await watch.stop();
  const event = seen.at(-1);
  expect([trees, event?.is === 'vhtlc.seen' && event.coins.map(({ spend }) => spend)]).toEqual([0, [{ leaf: 'claim', preimage: secret }]]);
});
