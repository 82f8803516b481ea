import { fromHex, toHex } from '../../domain/hex.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { doubleHash } from './headers.ts';

/** Where a transaction lies in its block, and what it is hashed with on the way to the block's root. */
export interface MerkleProof {
  readonly height: number;
  /** From the block's first transaction, which is 0. */
  readonly position: number;
  /** The other half at each step, from below, as ids are displayed. */
  readonly branch: readonly string[];
}

/** Deeper than the largest block could be. */
const deepest = 20;

/** The root that a block with this transaction at this place has; null where there is no such place. */
export function merkleRootOf(txid: Txid, { position, branch }: MerkleProof): string | null {
  if (branch.length > deepest || position >= 2 ** branch.length) return null;
  let node = fromHex(txid).reverse();
  for (const [level, other] of branch.entries()) {
    const half = fromHex(other).reverse();
    const left = Math.floor(position / 2 ** level) % 2 === 0;
    node = doubleHash(left ? Buffer.concat([node, half]) : Buffer.concat([half, node]));
  }
  return toHex(node.slice().reverse());
}
