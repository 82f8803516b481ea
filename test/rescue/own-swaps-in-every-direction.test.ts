import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { directionNames, type NetworkKind } from '../../engine/domain/chain.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import type { RescueEntry } from '../../engine/legs/rescue.ts';
import { bundleName } from '../../engine/rescue/keep.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import { anyFailure } from '../support/failure.ts';
import { evmNetworkOfWorld } from '../support/node-evm.ts';
import { eventually } from '../support/scene.ts';
import {
  amount,
  butForFee,
  endsOf,
  hour,
  openSwap,
  pastLocktime,
  pay,
  stageOf,
  tokensOf,
  within,
  type Stage,
} from '../taker/by-half.ts';
import { silence, silent, takerSeed } from '../taker/pair.ts';
import { bundleIn, portsOf, runRescue, walletTotal, type Left, type Run } from './rescuer.ts';

/*
 * The node of a client is lost with all that it knew, and its provider never answers again: its words and a bundle are
 * left, in every direction.
 */

let stage: Stage;
afterEach(() => stage.stop());
vi.setConfig({ testTimeout: 180_000 });

const destination = asEvmAddress(fromHex('11'.repeat(20)));
const options = { untilMs: 90_000, bundle: true } as const;

async function inBundle(holds: (entry: RescueEntry) => boolean): Promise<void> {
  const { folder } = stage.pair.taker;
  await eventually(() => {
    const [entry, more] = existsSync(join(folder, bundleName)) ? bundleIn(folder, takerSeed).swaps : [];
    return entry !== undefined && more === undefined && holds(entry);
  }, 'it is in the bundle');
}

/** Both are gone; what is left of the client. */
async function lose(holds: (entry: RescueEntry) => boolean = () => true): Promise<Left> {
  const { pair, chain } = stage;
  const { nextFolder: folder } = pair.taker;
  await inBundle(holds);
  await pair.provider.kill();
  await pair.taker.kill();
  return { world: pair.world, folder, seed: takerSeed, ...(chain === null ? {} : { evm: chain }) };
}

/** Run again after every block until nothing is left to do. */
async function broughtHome(left: Left): Promise<readonly string[]> {
  const runs: Run[] = [];
  while (runs.at(-1)?.outcome !== 'done' && runs.length < 10) {
    runs.push(await runRescue(left));
    await left.world.mine(1);
  }
  return runs.map(({ outcome, lines }) => `${outcome}: ${lines.join(' | ')}`);
}

async function bitcoinsOf(left: Left): Promise<bigint> {
  const bundle = bundleIn(left.folder, takerSeed);
  return (await portsOf(left, bundle).bitcoinWallet?.balance([]))?.available ?? 0n;
}

/** The chain of tokens has a block of now. */
async function blockOfNow(): Promise<void> {
  const { chain, pair } = stage;
  if (chain === null) return;
  const port = evmOf(pair.taker.ports, evmNetworkOfWorld);
  await eventually(async () => (await port.tip()).time > pair.world.now() - 60, 'the chain has a block after that');
}

/** A held payment comes back by itself. */
const given = directionNames.filter((direction) => endsOf(direction).source !== 'lightning');

test.each(given)('%s: what was given comes back alone, above its timelock and not before', async (direction) => {
  const { source } = endsOf(direction);
  stage = await stageOf([direction], options);
  const { pair } = stage;
  const opened = await openSwap(stage, direction, { destination, gasless: source !== 'evm' });
  const { deal, swap } = opened;
  await pair.provider.kill();
  Object.assign(pair.tampered, { ...silent, refundTogether: silence });
  await pay(stage, opened);
  await pair.taker.until(opened.id, 'funded');
  const left = await lose();
  const early = await runRescue(left);
  expect(early.outcome, early.lines.join('\n')).toBe('later');
  await pastLocktime(stage, deal);
  await blockOfNow();
  expect(await broughtHome(left)).toContainEqual(expect.stringMatching(/^done/));
  const back: Record<Exclude<NetworkKind, 'lightning'>, () => Promise<void>> = {
    arkade: async () => expect(await walletTotal(left)).toBe(deal.source.amount),
    bitcoin: async () => butForFee(await bitcoinsOf(left), deal.source.amount),
    evm: async () => expect(await tokensOf(stage, swap.pay?.text ?? '')).toBe(BigInt(swap.give.amount)),
  };
  await back[source as keyof typeof back]();
});

/** Somebody else has the secret of a payment. */
const claimed = directionNames.filter((direction) => endsOf(direction).target !== 'lightning');

test.each(claimed)('%s: a secret that has left claims what it was given for', async (direction) => {
  const { target } = endsOf(direction);
  stage = await stageOf([direction], options);
  const { pair } = stage;
  // Whatever shows the secret is sent, and lost on the way; on an EVM chain a node without an answer claims by itself.
  const lost = target === 'arkade' ? 'ark.submitTx' : `${target}.broadcast`;
  Object.assign(pair.tampered, { claimOnEvm: silence, claimTogether: silence });
  await pair.restartTaker({
    onBoundary(what, moment) {
      if (what === lost && moment === 'before') throw anyFailure('away', 'safe', 'nobody hears it');
    },
  });
  const opened = await openSwap(stage, direction, { destination });
  await pay(stage, opened);
  await within(stage, direction, [() => pair.taker.at(opened.id) === 'claiming', 'the secret is on its way']);
  const left = await lose(({ shown }) => shown);
  expect(await broughtHome(left)).toContainEqual(expect.stringMatching(/^done/));
  const arrived: Record<Exclude<NetworkKind, 'lightning'>, () => Promise<void>> = {
    arkade: async () => expect(await walletTotal(left)).toBe(opened.deal.target.amount),
    bitcoin: async () => butForFee(await bitcoinsOf(left), amount),
    evm: async () => expect(await tokensOf(stage, destination)).toBe(BigInt(opened.swap.get.amount)),
  };
  await arrived[target as keyof typeof arrived]();
  // And nothing of what was given for it is asked back.
  await pair.world.advance(60 * hour);
  await pair.world.mine(12);
  await blockOfNow();
  expect((await runRescue(left)).outcome).toBe('done');
});
