import { afterEach, beforeEach, expect, test } from 'vitest';
import { TxTree, type SettlementEvent } from '@arkade-os/sdk';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { base64 } from '@scure/base';
import { createArkade } from '../../../engine/adapters/arkade/arkade.ts';
import { branchesTo } from '../../../engine/adapters/arkade/batch/tree.ts';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import type { Sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { ArkadePort } from '../../../engine/legs/arkade/port.ts';
import { arkProviderOf, indexerProviderOf } from '../../support/sandbox-ports/arkade-providers.ts';
import { batchOutput, buildTree, type LeafPlan } from '../../../engine/sandbox/world/arkade/batch-tree.ts';
import type { Output } from '../../../engine/sandbox/world/arkade/psbt.ts';
import { seedOf } from '../../support/node.ts';
import { startWorld, type World } from '../../support/world.ts';

let world: World;
beforeEach(() => {
  world = startWorld();
});
afterEach(() => world.stop());

/** A wallet at an operator that shows events as told, and the forfeits that it was given. */
function walletWith(show: (event: SettlementEvent) => SettlementEvent | null): {
  port: ArkadePort;
  forfeits: string[];
} {
  const ark = arkProviderOf(world.operator);
  const forfeits: string[] = [];
  const port = createArkade({
    ark: {
      ...ark,
      getEventStream: (signal, topics) =>
        (async function* () {
          for await (const event of ark.getEventStream(signal, topics)) {
            const shown = show(event);
            if (shown !== null) yield shown;
          }
        })(),
      submitSignedForfeitTxs(given, commitment) {
        forfeits.push(...given);
        return ark.submitSignedForfeitTxs(given, commitment);
      },
    },
    indexer: indexerProviderOf(world.operator),
    keys: createKeys(seedOf(7), 'regtest').privateKey,
    clock: { wall: world.now, mtp: () => null },
    network: 'regtest',
  });
  return { port, forfeits };
}

async function renew({ port }: { port: ArkadePort }): Promise<unknown> {
  world.faucet((await port.address()).address, 500_000n);
  return port.renew({
    before: unix(world.now() + 30 * 86_400),
    reserved: [],
    choose: ({ due }) => due.map(({ coin }) => coin),
    signal: new AbortController().signal,
  });
}

test('a batch that shows every signature gets its forfeit', async () => {
  const wallet = walletWith((event) => event);
  await renew(wallet);
  expect(wallet.forfeits).toHaveLength(1);
});

test("fault 41: an operator that keeps the new coins' signatures gets no forfeit of the old ones", async () => {
  const wallet = walletWith((event) => (event.type === 'tree_signature' ? null : event));
  await expect(renew(wallet)).rejects.toThrow(/every signature by which our new coins can go to the chain/);
  expect(wallet.forfeits).toEqual([]);
});

test('fault 41: new coins that hang on a key without ours, at the commitment or below it, are seen', () => {
  const [ours, stranger, operator] = [1, 2, 3].map((byte) =>
    secp256k1.getPublicKey(new Uint8Array(32).fill(byte), true),
  ) as [Uint8Array, Uint8Array, Uint8Array];
  const sweepRoot = new Uint8Array(32).fill(5);
  const outputTo = (byte: number): Output => ({
    script: Uint8Array.of(0x51, 0x20, ...new Uint8Array(32).fill(byte)),
    amount: 1_000n as Sats,
  });
  const [mine, other] = [outputTo(7), outputTo(8)];
  const by = { cosigner: ours, sweepRoot };
  const indexOf = (
    leaves: readonly LeafPlan[],
    spent: Output | null = batchOutput(leaves, operator, sweepRoot),
  ): number | null => {
    const nodes = buildTree('a'.repeat(64), leaves, operator, sweepRoot, 604_672).map(({ tx, children }) => ({
      txid: tx.id,
      tx: base64.encode(tx.toPSBT()),
      children,
    }));
    return branchesTo([mine], TxTree.create(nodes as never), spent ?? mine, by)?.length ?? null;
  };
  const [honest, theirs] = [
    { users: [ours], outputs: [mine] },
    { users: [stranger], outputs: [other] },
  ];
  expect([
    indexOf([honest]),
    indexOf([honest, theirs]),
    indexOf([honest], other),
    indexOf([honest, theirs], other),
    indexOf([{ users: [stranger], outputs: [mine] }]),
    indexOf([
      { users: [stranger], outputs: [mine] },
      { users: [ours], outputs: [other] },
    ]),
  ]).toEqual([1, 2, null, null, null, null]);
});
