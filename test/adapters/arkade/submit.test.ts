import { base64 } from '@scure/base';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OperatorError } from '../../../engine/sandbox/world/arkade/errors.ts';
import { sats } from '../../../engine/domain/money.ts';
import { sameBytes } from '../../../engine/domain/hash.ts';
import { newTx, readTx } from '../../../engine/legs/psbt.ts';
import type { LightningArkadeTerms } from '../../../engine/swap/directions/lightning-arkade.ts';
import { lockLightningArkade } from '../../support/openings.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await scene.end();
});

type Shown = (txids: readonly string[]) => string[];

/** The operator shows virtual transactions as told from now on, until what this answers is called. */
function showing(change: (show: Shown) => Shown): () => void {
  const indexer = scene.world.operator.indexer as { virtualTxs: Shown };
  const honest = indexer.virtualTxs;
  indexer.virtualTxs = change(honest);
  return () => void (indexer.virtualTxs = honest);
}

/** A claim that is final, of which its owner knows no more than what it prepared. */
async function claimed(): Promise<{ bytes: Uint8Array; operator: Uint8Array }> {
  const { client, node } = scene;
  const { record, secret } = await lockLightningArkade(scene);
  const { vhtlc } = node.runtime.workingSet.find(record.id)?.row.terms as LightningArkadeTerms;
  const { bytes } = await client.port.prepareClaim({
    terms: vhtlc,
    key: { branch: 'taker', index: 0 },
    coins: await client.coins(record),
    preimage: secret,
  });
  const answer = await client.port.submit(bytes);
  if (answer.is !== 'accepted') throw new Error(answer.is);
  await client.port.finalize(answer.bytes);
  return { bytes, operator: vhtlc.operator };
}

/** The same checkpoint without what `key` signed. */
function without(key: Uint8Array, text: string): string {
  const tx = readTx(base64.decode(text));
  if (tx === null) throw new Error('no transaction');
  const bare = newTx({ version: tx.version, lockTime: tx.lockTime });
  const { tapScriptSig = [], unknown, ...input } = tx.getInput(0);
  const rest = tapScriptSig.filter(([{ pubKey }]) => !sameBytes(pubKey, key));
  bare.addInput(input);
  for (let i = 0; i < tx.outputsLength; i++) bare.addOutput(tx.getOutput(i));
  bare.updateInput(0, { ...(unknown ? { unknown } : {}), ...(rest.length > 0 ? { tapScriptSig: rest } : {}) });
  return base64.encode(bare.toPSBT());
}

test('a claim that the operator calls final is final, where it shows the signatures that make it so', async () => {
  const { bytes } = await claimed();
  expect(await scene.client.port.submit(bytes)).toEqual({ is: 'final' });
});

test.each([
  ['shows nothing of it', () => () => () => []],
  [
    'shows it without its own signature',
    (operator: Uint8Array) => (show: Shown) => (txids: readonly string[]) =>
      show(txids).map((text) => without(operator, text)),
  ],
] as [string, (operator: Uint8Array) => (show: Shown) => Shown][])(
  'a claim that the operator calls final and %s is asked for again',
  async (_, lie) => {
    const { bytes, operator } = await claimed();
    const showAgain = showing(lie(operator));
    await expect(scene.client.port.submit(bytes)).rejects.toMatchObject({ code: 'final-unshown', retry: 'ask-first' });
    showAgain();
  },
);

test('a lock that the operator calls final is final all the same: the sooner is its refund armed', async () => {
  const { client, world } = scene;
  world.faucet((await client.port.address()).address, 50_000n);
  const { script } = await client.port.address();
  const { bytes } = await client.port.prepareFund({
    script,
    amount: sats(10_000),
    minExpiry: world.now(),
    reserved: [],
  });
  const answer = await client.port.submit(bytes);
  if (answer.is !== 'accepted') throw new Error(answer.is);
  await client.port.finalize(answer.bytes);
  showing(() => () => []);
  expect(await client.port.submit(bytes)).toEqual({ is: 'final' });
});

test('fault 83: a refund that the operator still holds for locked waits for blocks, and for no seconds', async () => {
  const { client, node, world } = scene;
  const { record } = await lockLightningArkade(scene);
  const { vhtlc, keyIndex } = node.runtime.workingSet.find(record.id)?.row.terms as LightningArkadeTerms;
  const { arkade } = node.ports;
  if (arkade === null) throw new Error('there is no operator');
  const { bytes } = await arkade.prepareRefund({
    terms: vhtlc,
    key: { branch: 'swap', index: keyIndex },
    coins: await client.coins(record),
  });
  const ownWait = await arkade.submit(bytes);
  // The operator's chain stands still where it was, and ours goes on.
  const before = world.bitcoin.clock.mtp();
  vi.spyOn(world.bitcoin.clock, 'mtp').mockReturnValue(before);
  world.bitcoin.advance(vhtlc.refundLocktime - before + 60);
  await node.runtime.clock.refresh();
  expect([ownWait, await arkade.submit(bytes)]).toMatchObject([
    { is: 'later', seconds: null, reason: expect.stringContaining('by median time past') },
    { is: 'later', seconds: null, reason: expect.stringContaining('the operator still holds') },
  ]);
});

test('fault 173, arkade: a claim that an operator was handed is not as if it were never sent', async () => {
  const { client, world } = scene;
  const { record, secret } = await lockLightningArkade(scene);
  const { vhtlc } = scene.node.runtime.workingSet.find(record.id)?.row.terms as LightningArkadeTerms;
  const { bytes } = await client.port.prepareClaim({
    terms: vhtlc,
    key: { branch: 'taker', index: 0 },
    coins: await client.coins(record),
    preimage: secret,
  });
  const operator = world.operator as unknown as { submit: () => never };
  const submitted = async (fails: () => never): Promise<unknown> => {
    const honest = operator.submit;
    operator.submit = fails;
    const failure = await client.port.submit(bytes).catch((cause: unknown) => cause);
    operator.submit = honest;
    return failure;
  };
  const notReady = await submitted(() => {
    throw new OperatorError(9, 'service not ready');
  });
  // It refuses, and is silent when it is asked what became of it.
  const silent = await submitted(() => {
    world.operator.faults.away();
    throw new OperatorError(3, 'no');
  });
  world.operator.faults.back();
  const nowhere = await submitted(() => {
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
  });
  expect([notReady, silent, nowhere]).toMatchObject([
    { retry: 'ask-first' },
    { retry: 'ask-first' },
    { retry: 'safe' },
  ]);
});
