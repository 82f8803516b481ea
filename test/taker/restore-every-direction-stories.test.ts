import { afterEach, expect, test, vi } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import type { NetworkKind } from '../../engine/domain/chain.ts';
import { directionNames } from '../../engine/domain/chain.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { takerAccountsOf } from '../../engine/runtime/ports.ts';
import { seedOf } from '../support/node.ts';
import {
  amount,
  butForFee,
  endsOf,
  openSwap,
  pastLocktime,
  pay,
  stageOf,
  swapOf,
  tokensOf,
  within,
  type Stage,
} from './by-half.ts';
import { loseDatabase, only } from './lost.ts';
import { takerSeed } from './pair.ts';

/*
 * The database of a client is gone with the swap in it: its keys and its secret come from the words, the rest from the
 * provider, and is derived again.
 */

let stage: Stage;
afterEach(() => stage.stop());
vi.setConfig({ testTimeout: 180_000 });

const patient = { untilMs: 90_000 };
/** What the taker's provider is asked by. */
const { userXpub } = createKeys(seedOf(takerSeed), 'regtest');

async function ended(id: string, outcome: TakerSwap['outcome']): Promise<void> {
  const { pair } = stage;
  const { direction } = swapOf(pair, id);
  await within(stage, direction, [() => swapOf(pair, id).outcome !== null, `${direction} is ${outcome}`]);
  expect(swapOf(pair, id).outcome).toBe(outcome);
}

async function bitcoins(): Promise<bigint> {
  return (await stage.pair.taker.runtime.ports.bitcoinWallet?.balance([]))?.available ?? 0n;
}

/** The account of the seed that tokens go to once nobody knows for whom they were. */
function ownTokens(): Promise<bigint> {
  const account = takerAccountsOf(stage.pair.taker.runtime.ports).accountOf({ scheme: 'wallet', index: 0 });
  return tokensOf(stage, account);
}

test.each(directionNames)('%s: what was given before brings what was agreed', async (direction) => {
  const { source, target } = endsOf(direction);
  stage = await stageOf([direction], patient);
  const { pair } = stage;
  const opened = await openSwap(stage, direction, { gasless: source !== 'evm' });
  const { deal, swap, hash } = opened;
  // No lock is signed for a swap that was found again: it stands before, and its provider sees it after.
  if (source === 'evm') {
    await pair.provider.kill();
    await pay(stage, opened);
    await pair.taker.until(opened.id, 'funded');
  }
  await loseDatabase(pair, async () => {
    await (source === 'evm' ? pair.restartProvider() : pay(stage, opened));
    const state = target === 'lightning' ? 'paying' : 'locked';
    await within(stage, direction, [() => pair.provider.at(deal.swapId) === state, `its provider is ${state}`]);
  });
  const again = await only(pair);
  if (hash !== null) pair.world.lightning.release(toHex(hash), 'settles');
  await ended(again, 'finished');
  const arrived: Record<NetworkKind, () => Promise<void>> = {
    lightning: async () =>
      expect(pair.world.lightning.payment('node', toHex(hash ?? new Uint8Array()))?.outcome).toBe('settled'),
    arkade: async () => expect(await pair.balance()).toBe(deal.target.amount),
    bitcoin: async () => butForFee(await bitcoins(), amount),
    evm: async () => expect(await ownTokens()).toBe(BigInt(swap.get.amount)),
  };
  await arrived[target]();
});

/** A held payment comes back by itself. */
const given = directionNames.filter((direction) => endsOf(direction).source !== 'lightning');

test.each(given)('%s: a provider that is gone by then keeps nothing of what was given', async (direction) => {
  const { source } = endsOf(direction);
  stage = await stageOf([direction], patient);
  const { pair } = stage;
  const opened = await openSwap(stage, direction, { gasless: source !== 'evm' });
  const { deal, swap } = opened;
  const page = await pair.provider.asProvider(userXpub).recover(0);
  await pair.provider.kill();
  if (source === 'evm') {
    await pay(stage, opened);
    await pair.taker.until(opened.id, 'funded');
  }
  await loseDatabase(pair, async () => {
    if (source !== 'evm') await pay(stage, opened);
  });
  pair.tampered.recover = async () => page;
  const again = await only(pair);
  await pair.taker.until(again, 'funded');
  await pastLocktime(stage, deal);
  await ended(again, 'returned');
  const back: Record<Exclude<NetworkKind, 'lightning'>, () => Promise<void>> = {
    arkade: async () => expect(await pair.balance()).toBe(deal.source.amount),
    bitcoin: async () => butForFee(await bitcoins(), deal.source.amount),
    evm: async () => expect(await tokensOf(stage, swap.pay?.text ?? '')).toBe(BigInt(swap.give.amount)),
  };
  await back[source as keyof typeof back]();
});
