import type { TakerSwapRequest } from '../../engine/contract/taker.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import type { Clocks } from '../../engine/domain/time.ts';
import type { OrderTerms } from '../../engine/taker/terms.ts';
import { startEvmWorld } from '../support/evm/world.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { startWorld, type World } from '../support/world.ts';
import type { Json } from './mutations.ts';
import { startPair } from './pair.ts';

/** The record that a real provider made for a swap with a leg on an EVM chain, and what was ordered of it. */
export interface EvmOffer<T extends OrderTerms> {
  readonly record: Json;
  readonly terms: T;
  readonly now: Clocks;
  stop(): Promise<void>;
}

export async function evmOffer<T extends OrderTerms>(
  request: (world: World) => Omit<TakerSwapRequest, 'provider'>,
): Promise<EvmOffer<T>> {
  const world = startWorld();
  const chain = await startEvmWorld(() => world.now());
  const node = { evm: chain, bitcoinWallet: true } as const;
  const pair = await startPair({ world, taker: node, provider: node });
  await deposit({ world, node: pair.provider }, 2_000_000);
  let record: Json = {};
  pair.tampered.create = async (order) => {
    const created = await pair.provider.asProvider('').create(order);
    if (created.is === 'created') record = created.record as Json;
    return created;
  };
  const created = await pair.taker.taker.create({ ...request(world), provider: '' });
  if (isRefusal(created)) throw new Error(created.sentence);
  return {
    record,
    terms: pair.taker.runtime.workingSet.find(created.id)?.row.terms as T,
    now: pair.taker.runtime.clock.now(),
    stop: async () => {
      await pair.stop();
      await chain.stop();
    },
  };
}
