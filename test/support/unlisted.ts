import { toHex } from '../../engine/domain/hex.ts';
import { OperatorError } from '../../engine/sandbox/world/arkade/errors.ts';
import type { World } from './world.ts';

/** From now on the operator gives no list with this script in it: somebody paid it too often. */
export function unlist({ operator }: Pick<World, 'operator'>, script: Uint8Array): void {
  const { indexer } = operator;
  const { coins } = indexer;
  Object.assign(indexer, {
    coins(query: Parameters<typeof coins>[0]) {
      if (query.scripts?.includes(toHex(script)) === true) throw new OperatorError(8, 'the list is too long');
      return coins(query);
    },
  });
}
