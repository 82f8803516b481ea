import { unix } from '../../domain/time.ts';
import type { BitcoinClockPort } from '../../legs/onchain/port.ts';
import type { BitcoinWorld } from '../world/bitcoin/chain.ts';
import { genesis } from '../world/bitcoin/header.ts';
import { type Chaos, withChaos } from './chaos.ts';

/** The Bitcoin clock in process, straight over the world. */
export function createBitcoinClockPort(world: BitcoinWorld, chaos?: Chaos): BitcoinClockPort {
  return withChaos(chaos, {
    genesis: async () => genesis.hash,
    async tip() {
      const { hash, height, mtp, time } = world.tip();
      return { hash, height, mtp: unix(mtp), time: unix(time) };
    },
  });
}
