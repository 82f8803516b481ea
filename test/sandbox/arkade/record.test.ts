import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { admin } from './record/admin.ts';
import * as batch from './record/batch.ts';
import { type Bench, openBench } from './record/bench.ts';
import { type Exchange, differences } from './record/compare.ts';
import * as indexer from './record/indexer.ts';
import { left } from './record/left.ts';
import * as offchain from './record/offchain.ts';
import * as streams from './record/streams.ts';
import type { Table } from './record/table.ts';

// Every exchange that was recorded from arkd, again with the sandbox's operator, over HTTP.

const tables: Readonly<Record<string, Table>> = {
  admin,
  'get-v1-indexer-asset': indexer.asset,
  'get-v1-indexer-batch-sweep-txs': indexer.batchSweepTxs,
  'get-v1-indexer-batch-tree': indexer.batchTree,
  'get-v1-indexer-batch-tree-leaves': indexer.batchTreeLeaves,
  'get-v1-indexer-commitment-tx': indexer.commitmentTx,
  'get-v1-indexer-commitment-tx-connectors': indexer.connectors,
  'get-v1-indexer-commitment-tx-forfeit-txs': indexer.forfeitTxs,
  'get-v1-indexer-script-subscription': indexer.scriptSubscription,
  'get-v1-indexer-virtual-tx': indexer.virtualTx,
  'get-v1-indexer-vtxo-chain': indexer.vtxoChain,
  'get-v1-indexer-vtxos': indexer.vtxos,
  'get-v1-info': indexer.info,
  'get-v1-intent': batch.getIntent,
  other: batch.other,
  'post-v1-batch-ack': batch.ack,
  'post-v1-batch-delete-intent': batch.deleteIntent,
  'post-v1-batch-estimate-fee': batch.estimateFee,
  'post-v1-batch-register-intent': batch.registerIntent,
  'post-v1-batch-submit-forfeit-txs': batch.submitForfeitTxs,
  'post-v1-batch-tree-submit-nonces': batch.submitNonces,
  'post-v1-batch-tree-submit-signatures': batch.submitSignatures,
  'post-v1-batch-update-topics': batch.updateTopics,
  'post-v1-indexer-script-subscribe': batch.subscribe,
  'post-v1-indexer-script-unsubscribe': batch.unsubscribe,
  'post-v1-indexer-subscription-update': batch.subscriptionUpdate,
  'post-v1-intent': batch.postIntent,
  'post-v1-tx-finalize': offchain.finalizing,
  'post-v1-tx-pending': offchain.pendingTxs,
  'post-v1-tx-submit': offchain.submit,
  'sse-v1-batch-events': streams.batchEvents,
  'sse-v1-indexer-script-subscription': streams.scriptSubscriptionEvents,
  'sse-v1-indexer-subscription': streams.filterSubscription,
  'sse-v1-txs': streams.transactions,
};

const folder = join(import.meta.dirname, '../../vectors/arkd');
const recorded = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({
    file: basename(file, '.json'),
    exchanges: JSON.parse(readFileSync(join(folder, file), 'utf8')) as Exchange[],
  }));

let bench: Bench | null = null;
afterEach(async () => {
  await bench?.stop();
  bench = null;
});

for (const { file, exchanges } of recorded) {
  const table = tables[file] ?? {};

  describe(file, () => {
    for (const { name, response } of exchanges) {
      test(name, { timeout: 30_000 }, async () => {
        const situation = table[name];
        if (situation === undefined) throw new Error(`nothing replays "${name}" of ${file}: add it to its table`);
        const { settings, act } =
          typeof situation === 'function'
            ? { settings: {}, act: situation }
            : { settings: situation.settings ?? {}, act: situation.act };
        bench = await openBench(settings);
        expect(differences(response, await act(bench))).toEqual(left[`${file}: ${name}`]?.differences ?? []);
      });
    }

    test('nothing is replayed that was not recorded', () => {
      const names = new Set(exchanges.map(({ name }) => name));
      expect(Object.keys(table).filter((name) => !names.has(name))).toEqual([]);
    });
  });
}

test('every table belongs to a recorded file, and every difference left to a recorded exchange', () => {
  const names = new Set(recorded.flatMap(({ file, exchanges }) => exchanges.map(({ name }) => `${file}: ${name}`)));
  expect([Object.keys(tables).sort(), Object.keys(left).filter((name) => !names.has(name))]).toEqual([
    recorded.map(({ file }) => file).sort(),
    [],
  ]);
});
