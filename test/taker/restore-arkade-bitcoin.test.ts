import { afterEach, expect, test, vi } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import type { ArkadeLeg, BitcoinLeg, Deal, TakerProgress } from '../../engine/taker/terms.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { seedOf } from '../support/node.ts';
import { loseDatabase, only, patient } from './lost.ts';
import { startPair, takerSeed, type Pair } from './pair.ts';

/*
 * A swap from Arkade to Bitcoin whose database is gone: its keys and its secret come from the words, the rest from the
 * provider, and is derived again.
 */

let pair: Pair;
afterEach(() => pair.stop());
vi.setConfig({ testTimeout: 180_000 });

const hour = 3_600;
const eventually = { timeout: 90_000 };
/** What the taker's provider is asked by. */
const { userXpub } = createKeys(seedOf(takerSeed), 'regtest');

async function open(): Promise<Deal<ArkadeLeg, BitcoinLeg>> {
  pair = await startPair({
    provider: { bitcoinWallet: true, ...patient.provider },
    taker: { bitcoinWallet: true, ...patient.taker },
  });
  await deposit({ world: pair.world, node: pair.provider }, 500_000);
  const order = { direction: 'arkade-bitcoin', amount: sats(60_000), invoice: null, provider: '' } as const;
  const created = await pair.taker.taker.create(order);
  if (isRefusal(created)) throw new Error(created.sentence);
  await pair.taker.until(created.id, 'waiting');
  const { deal } = pair.taker.runtime.workingSet.find(created.id)?.row.progress as TakerProgress;
  return deal as Deal<ArkadeLeg, BitcoinLeg>;
}

const pay = ({ source }: Deal<ArkadeLeg, BitcoinLeg>) => pair.world.faucet(source.address, source.amount);

/** A block a second: the provider's coin ends at a height. */
async function minedUntil(id: string, outcome: TakerSwap['outcome']): Promise<void> {
  const now = async () => {
    await pair.world.mine(1);
    return pair.taker.taker.swap(id)?.outcome;
  };
  await expect.poll(now, { ...eventually, interval: 1_000 }).toBe(outcome);
}

test('what was paid before is seen on Arkade, and the provider’s coin is claimed', async () => {
  const deal = await open();
  await loseDatabase(pair, async () => {
    pay(deal);
    await pair.provider.until(deal.swapId, 'locked');
  });
  const again = await only(pair);
  await minedUntil(again, 'finished');
  expect(pair.taker.taker.swap(again)?.direction).toBe('arkade-bitcoin');
});

test('a provider that is gone by then keeps nothing of it, though blocks came fast meanwhile', async () => {
  const deal = await open();
  const page = await pair.provider.asProvider(userXpub).recover(0);
  await loseDatabase(pair, () => pair.provider.kill());
  pay(deal);
  await pair.world.mine(1_200);
  pair.tampered.recover = async () => page;
  const again = await only(pair);
  await pair.taker.until(again, 'funded');
  await pair.world.advance(deal.source.vhtlc.refundLocktime - pair.world.now() + 4 * hour);
  await minedUntil(again, 'returned');
});
