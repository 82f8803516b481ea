import type { Txid } from '../../domain/outpoint.ts';
import type { BitcoinPort } from '../../legs/onchain/port.ts';
import type { Header } from './headers.ts';
import type { MerkleProof } from './merkle.ts';

/** One endpoint of the chain: its word, and what its word is checked by. */
export interface ChainSource extends Omit<BitcoinPort, 'disagreement'> {
  /** The header of the block of this hash, said to be at this height, and as many below it as come with one answer. */
  headers(hash: string, height: number): Promise<readonly Header[]>;
  /** The block at this height on its best chain; null above its tip. */
  hashAt(height: number): Promise<string | null>;
  /** Null where it has none: the transaction is in no block, or the server gives no proofs. */
  proof(txid: Txid): Promise<MerkleProof | null>;
}
