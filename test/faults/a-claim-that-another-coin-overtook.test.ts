import { afterEach, beforeEach, expect, test } from 'vitest';
import { sameOutpoint } from '../../engine/domain/outpoint.ts';
import { readRawTx } from '../../engine/legs/raw-tx.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

const options = { bitcoinWallet: true, pollMs: 25 } as const;

let scene: Scene;
/** While it is there nobody says what blocks ask for: a claim goes on being prepared. */
let gate: Promise<void> | null = null;
let held = 0;

beforeEach(async () => {
  [gate, held] = [null, 0];
  scene = await openScene(options);
  const port = createBitcoinPort(scene.world.bitcoin);
  const bitcoin: typeof port = {
    ...port,
    async feeRate(blocks) {
      if (gate !== null) held += 1;
      await gate;
      return port.feeRate(blocks);
    },
  };
  await scene.restart({ ...options, bitcoin });
});
afterEach(() => scene.end());

test('fault 291, bitcoin: of two coins of one client the claim that was overtaken takes neither', async () => {
  const { client, node, world } = scene;
  const secret = client.secret();
  const record = await client.createBitcoinArkade(node, 100_000n, secret);
  const first = client.payBitcoin(record);
  await world.mine(1);
  await eventually(() => node.status(record.id) === 'serverfunded', 'the VHTLC is locked');
  let release = (): void => undefined;
  gate = new Promise((resolve) => {
    release = resolve;
  });
  await client.claim(record, secret);
  await eventually(() => node.at(record.id) === 'claiming' && held > 0, 'our claim is being prepared');
  const bytes = world.bitcoin.transaction(first.txid)?.tx.bytes ?? new Uint8Array();
  world.bitcoin.reorg(1, [first.txid]);
  const second = client.payBitcoin(record);
  world.bitcoin.mine(3);
  const coin = () => (node.runtime.workingSet.find(record.id)?.row.progress as { coin?: typeof second }).coin;
  await eventually(() => coin()?.txid === second.txid, 'the other coin is the one of the swap');
  gate = null;
  release();
  await eventually(() => world.bitcoin.spend(second) !== undefined, 'it is claimed');
  world.bitcoin.include([bytes]);
  await world.mine(6);
  await eventually(() => node.at(record.id) === 'claimed', 'our claim is buried');
  const { transactions } = node.store;
  const inputs = transactions
    .of(record.id, 'bitcoin')
    .flatMap(({ txid }) => readRawTx(world.bitcoin.transaction(txid)?.tx.bytes ?? new Uint8Array())?.inputs ?? []);
  expect([world.bitcoin.spend(first), inputs.some((input) => sameOutpoint(input, first))]).toEqual([undefined, false]);
  expect(transactions.of(record.id, 'bitcoin').length).toBe(1);
});
