import { hash160OfSha256, sha256Of } from '../../legs/secret.ts';
import type { HighWater } from '../../store/high-water.ts';
import type { TakenDirection } from '../../taker/direction.ts';
import type { ServiceContext } from '../context.ts';
import type { TakerKeys } from './keys.ts';
import { swapsOfHash } from './swaps-of-hash.ts';

type Context = Pick<ServiceContext, 'runtime'> & { readonly keys: TakerKeys; readonly highWater: HighWater };

/**
 * The key of a new swap, within its commit: never one whose secret this database knows of, however far its counter has
 * come. A swap that was found again may have shown it, and whoever saw it takes what a second one gives
 * (facts/faults.md 237).
 */
export function nextKey(context: Context, secret: TakenDirection['secret']): number {
  const { runtime, highWater } = context;
  for (;;) {
    const index = runtime.store.counters.take('taker', highWater.floor());
    highWater.reach(index);
    if (secret !== 'ours' || !isUsed(context, index)) return index;
  }
}

function isUsed({ runtime, keys }: Context, index: number): boolean {
  const hash = sha256Of(keys.takerSecret(index));
  if (runtime.store.preimages.find(hash160OfSha256(hash)) !== null) return true;
  return swapsOfHash({ runtime }, hash).next().done === false;
}
