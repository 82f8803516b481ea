import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Transaction } from '@arkade-os/sdk';
import { afterEach, expect, test, vi } from 'vitest';
import { base64 } from '../../engine/adapters/arkade/base64.ts';
import { isRefusal, refuse } from '../../engine/domain/errors.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import type { CollabRefund } from '../../engine/legs/arkade/refund-request.ts';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import { bundleName } from '../../engine/rescue/keep.ts';
import { OperatorError } from '../../engine/sandbox/world/arkade/errors.ts';
import { broughtBy, bundleIn, leafOf, runRescue, type Left } from '../rescue/rescuer.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { eventually } from '../support/scene.ts';
import { legOn, startPair, takerSeed, type Pair } from '../taker/pair.ts';

/*
 * A provider gets both halves of our refund but its own: it hands the refund to the operator itself, and never gives
 * the signature that makes it final. To the operator the coin is spent, and nobody has it.
 */

vi.setConfig({ testTimeout: 120_000 });

const amount = 50_000n;

let pair: Pair;
afterEach(() => pair.stop());

async function start(): Promise<void> {
  pair = await startPair({
    provider: { bitcoinWallet: true, untilMs: 60_000 },
    taker: { bundle: true, bitcoinWallet: true, untilMs: 60_000 },
  });
  await deposit({ world: pair.world, node: pair.taker }, 60_000, 60_000, 60_000, 60_000);
}

/** The provider signs the transaction alone, and finalizes it with checkpoints that it has not signed. */
function strand(own: CollabRefund, signed: CollabRefund): void {
  const { operator } = pair.world;
  const bare = own.checkpoints.map((bytes) => {
    const tx = Transaction.fromPSBT(bytes);
    tx.updateInput(0, { tapScriptSig: [] });
    return base64.encode(tx.toPSBT());
  });
  const { arkTxid } = operator.submit(base64.encode(signed.arkTx), bare);
  expect(() =>
    operator.finalize(
      arkTxid,
      own.checkpoints.map((bytes) => base64.encode(bytes)),
    ),
  ).toThrow();
}

/** `answer`: what the client hears of it. */
async function stranded(answer: 'declines' | 'signs') {
  const honest = pair.provider.asProvider('');
  let times = 0;
  pair.tampered.cosign = async (swapId, own) => {
    const signed = await honest.cosign(swapId, own);
    if (isRefusal(signed)) return signed;
    if (times++ === 0) strand(own, signed);
    return answer === 'signs' ? signed : refuse('forbidden', 'The provider signs nothing.');
  };
  const id = await pair.toLightning(pair.world.invoice(amount).bolt11, amount);
  const { address, amount_sats } = await pair.listed(id);
  pair.world.faucet(address ?? '', BigInt(amount_sats) - 1n);
  await eventually(() => times > 0, 'the provider has our half');
  const { deal } = pair.taker.runtime.workingSet.find(id)!.row.progress as never;
  const { vhtlc: terms, script } = legOn(deal, 'arkade');
  await pair.world.mine(1);
  await eventually(async () => {
    await pair.taker.exits.look();
    return pair.taker.store.exits.at(script).length === 1;
  }, 'its way to the chain is saved');
  return { id, terms, coin: pair.taker.store.exits.at(script)[0]!.outpoint };
}

const jobs = () =>
  [...pair.taker.runtime.workingSet.all()].filter(({ machine }) => machine.name === 'unroll-arkade').length;

async function looked(): Promise<void> {
  await pair.taker.networks.refresh();
  await pair.taker.unilateralExits.look();
}

function onChain({ txid }: Outpoint): boolean {
  return (pair.world.bitcoin.transaction(txid)?.height ?? null) !== null;
}

test.each(['declines', 'signs'] as const)(
  'fault 269, arkade: a refund that its provider strands, which then %s, comes back over the chain',
  async (answer) => {
    await start();
    const { id, terms, coin } = await stranded(answer);
    await looked();
    const early = jobs();
    await pair.world.advance(terms.refundLocktime - pair.world.now() + 2 * 3_600);
    await pair.world.mine(12);
    await eventually(async () => {
      await looked();
      await pair.world.mine(1);
      return onChain(coin);
    }, 'it is brought to the chain');
    const paused = pair.taker.runtime.guard.paused();
    await pair.world.advance(terms.refundWithoutReceiverDelay + 600);
    await eventually(() => leafOf(pair.world, coin) !== null, 'the refund is sent');
    await pair.world.mine(6);
    await pair.taker.until(id, 'done');
    expect([early, paused, leafOf(pair.world, coin)]).toEqual([
      0,
      null,
      vhtlcScript(terms).leaf['unilateral-refund-without-receiver'].script,
    ]);
  },
);

test('fault 269, arkade: rescue calls no such refund back, and brings its coin home over the chain', async () => {
  await start();
  const { terms, coin } = await stranded('declines');
  const { world, taker } = pair;
  await eventually(
    () => existsSync(join(taker.folder, bundleName)) && bundleIn(taker.folder, takerSeed).exitPaths.coins.length > 0,
    'the way is in the bundle',
  );
  const left: Left = { world, folder: taker.nextFolder, seed: takerSeed };
  await pair.provider.kill();
  await taker.kill();
  await world.advance(terms.refundLocktime - world.now() + 7_200);
  await world.mine(12);
  const first = await runRescue(left);
  await world.advance(3_600);
  await broughtBy(left, coin);
  await world.advance(terms.refundWithoutReceiverDelay + 600);
  await runRescue(left);
  await world.mine(6);
  const last = await runRescue(left);
  expect([first.outcome, /it is back/.test(first.lines.join('\n')), last.outcome, leafOf(world, coin)]).toEqual([
    'later',
    false,
    'done',
    vhtlcScript(terms).leaf['unilateral-refund-without-receiver'].script,
  ]);
});

test('fault 352, arkade: a client leaves an operator that refuses its refund again and again', async () => {
  await start();
  const { world, taker, tampered } = pair;
  tampered.cosign = async () => refuse('forbidden', 'The provider signs nothing.');
  const id = await pair.toLightning(world.invoice(amount).bolt11, amount);
  const { address, amount_sats } = await pair.listed(id);
  const coin = world.faucet(address ?? '', BigInt(amount_sats) - 1n);
  await world.mine(1);
  await eventually(async () => {
    await taker.exits.look();
    return taker.store.exits.has(coin);
  }, 'its way to the chain is saved');
  Object.assign(world.operator, {
    submit() {
      throw new OperatorError(3, 'no', { code: 10, name: 'NO', metadata: {} });
    },
  });
  const progress = () => taker.runtime.workingSet.find(id)!.row.progress as { at: string; declined?: string | null };
  await eventually(() => typeof progress().declined === 'string', 'the provider signs no refund');
  const { deal } = progress() as never;
  const { vhtlc: terms } = legOn(deal, 'arkade');
  const servedFor = async (hours: number) => {
    for (let minutes = 0; minutes <= hours * 60; minutes += 10) {
      await world.pass(600);
      await looked();
    }
    return jobs();
  };
  const early = await servedFor(13);
  await world.advance(terms.refundLocktime - world.now() + 2 * 3_600);
  await world.mine(12);
  expect([early, await servedFor(11), await servedFor(2)]).toEqual([0, 0, 1]);
  await eventually(async () => {
    await world.mine(1);
    return onChain(coin);
  }, 'it is brought to the chain');
  await world.advance(terms.refundWithoutReceiverDelay + 600);
  await eventually(() => leafOf(world, coin) !== null, 'the refund is sent');
  expect(leafOf(world, coin)).toEqual(vhtlcScript(terms).leaf['unilateral-refund-without-receiver'].script);
});
