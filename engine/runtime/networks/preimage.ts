import type { Hash160, Preimage } from '../../domain/hash.ts';
import type { EffectContext } from './context.ts';

/** The preimage that was saved when it was first seen. */
export function preimageOf(hash: Hash160, { store }: EffectContext): Preimage {
  const preimage = store.preimages.find(hash);
  if (preimage === null) throw new Error('the preimage of a paid swap is not in the store');
  return preimage;
}
