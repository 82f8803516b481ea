import type { Hash160, Preimage } from '../../domain/hash.ts';
import type { Store } from '../../store/store.ts';

/** The preimage that was saved when it was first seen. */
export function preimageOf(hash: Hash160, { store }: { readonly store: Pick<Store, 'preimages'> }): Preimage {
  const preimage = store.preimages.find(hash);
  if (preimage === null) throw new Error('the preimage of a paid swap is not in the store');
  return preimage;
}
