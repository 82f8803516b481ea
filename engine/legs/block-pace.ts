import { directionNames, type BitcoinNetwork, type DirectionName } from '../domain/chain.ts';
import { refuse, type Refusal } from '../domain/errors.ts';

/*
 * Heights are reckoned at ten minutes a block (`block-times.ts`, `timeout-policy.ts`): a day of blocks is 144. Where
 * blocks come every 30 seconds those are 72 minutes, and a lock that ends at a height would end hours before the time
 * that it is compared with. Nothing in which a lock ends at a height is begun on such a network.
 */

/** Networks on which a block takes ten minutes on average, or comes on request. */
const tenMinutes: Readonly<Record<BitcoinNetwork, boolean>> = {
  mainnet: true,
  signet: true,
  mutinynet: false,
  regtest: true,
};

/** A payment over Lightning times out at a height, and so does the HTLC against a client's VHTLC. */
const endAtHeights: ReadonlySet<DirectionName> = new Set(
  directionNames.filter((name) => {
    const [source, target] = name.split('-');
    return source === 'lightning' || target === 'lightning' || (source === 'arkade' && target === 'bitcoin');
  }),
);

/** Whether swaps over Lightning are made on this network at all. */
export function paysOverLightning(network: BitcoinNetwork): boolean {
  return tenMinutes[network];
}

/**
 * Why a direction is never begun on a network: blocks come too fast there for the height at which one of its locks
 * ends; null where it may be. Left out, and whoever has such a lock loses its side to blocks that came on time.
 */
export function refusedPace(direction: DirectionName, network: BitcoinNetwork): Refusal | null {
  if (tenMinutes[network] || !endAtHeights.has(direction)) return null;
  return refuse('unavailable', `This direction is not offered on ${network}: ${tooFast}. Swap from Bitcoin to Arkade.`);
}

/** The same for a swap of any direction one of whose locks ends at a height. */
export function refusedHeights(network: BitcoinNetwork): Refusal | null {
  return tenMinutes[network] ? null : refuse('unavailable', `Such swaps are not offered on ${network}: ${tooFast}.`);
}

const tooFast = 'its locks end at heights reckoned at ten minutes a block, and blocks come faster there';
