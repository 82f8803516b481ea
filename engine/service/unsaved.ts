import { refuse, type Refusal } from '../domain/errors.ts';
import type { Delivered } from '../runtime/commit.ts';

/**
 * The answer to a request that moves a swap, while the disk takes nothing: another one would say that the swap refuses
 * what is done to it as soon as there is room.
 */
export function unlessSaved(delivered: Delivered): Refusal | null {
  return delivered === 'unsaved'
    ? refuse(
        'unavailable',
        'The database cannot be written now: the request is carried out once there is room on the disk; ask again then.',
      )
    : null;
}
