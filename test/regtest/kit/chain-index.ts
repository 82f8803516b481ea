import { CompactSize, RawTx } from '@scure/btc-signer';
import { txidOf } from './block.ts';
import type { Rpc } from './rpc.ts';

export interface IndexedTx {
  readonly txid: string;
  readonly bytes: Uint8Array;
  readonly parsed: ReturnType<typeof RawTx.decode>;
  /** Null in the mempool. */
  readonly block: IndexedBlock | null;
}

export interface IndexedBlock {
  readonly hash: string;
  readonly height: number;
  readonly header: Buffer;
  readonly time: number;
  readonly transactions: readonly IndexedTx[];
}

/** The best chain and the mempool as they are now, block by block and transaction by transaction. */
export interface ChainView {
  readonly blocks: readonly IndexedBlock[];
  readonly transactions: readonly IndexedTx[];
}

/** Reads a btcd's chain and keeps what it read; each look costs a few calls and the blocks that are new. */
export function indexOf(rpc: () => Rpc): () => Promise<ChainView> {
  const read = new Map<string, IndexedBlock>();
  let best: IndexedBlock[] = [];

  async function follow(): Promise<IndexedBlock[]> {
    const height = await rpc().call<number>('getblockcount');
    let common = Math.min(best.length, height + 1);
    while (common > 0 && best[common - 1]?.hash !== (await rpc().call<string>('getblockhash', common - 1))) common -= 1;
    const sharedBlocks = best.slice(0, common);
    for (let from = common; from <= height; from += 200) {
      const heights = Array.from({ length: Math.min(200, height + 1 - from) }, (_, i) => from + i);
      const hashes = await rpc().batch<string>(heights.map((at) => ['getblockhash', at]));
      const missing = hashes.filter((hash) => !read.has(hash));
      const raw = await rpc().batch<string>(missing.map((hash) => ['getblock', hash, 0]));
      raw.forEach((hex, i) => {
        const hash = missing[i] ?? '';
        read.set(hash, blockFrom(hash, from + hashes.indexOf(hash), Buffer.from(hex, 'hex')));
      });
      for (const hash of hashes) sharedBlocks.push(read.get(hash) as IndexedBlock);
    }
    best = sharedBlocks;
    return sharedBlocks;
  }

  async function waiting(): Promise<IndexedTx[]> {
    const ids = await rpc().call<string[]>('getrawmempool');
    const raw = await rpc().batch<string>(ids.map((id) => ['getrawtransaction', id, 0]));
    return raw.map((hex) => transactionFrom(Buffer.from(hex, 'hex'), null));
  }

  return async () => {
    const mempool = await waiting();
    const blocks = await follow();
    const mined = blocks.flatMap((block) => block.transactions);
    const minedIds = new Set(mined.map(({ txid }) => txid));
    return { blocks, transactions: [...mined, ...mempool.filter(({ txid }) => !minedIds.has(txid))] };
  };
}

function blockFrom(hash: string, height: number, bytes: Buffer): IndexedBlock {
  const transactions: IndexedTx[] = [];
  const block: IndexedBlock = {
    hash,
    height,
    header: bytes.subarray(0, 80),
    time: bytes.readUInt32LE(68),
    transactions,
  };
  const count = Number(CompactSize.decode(Uint8Array.from(bytes.subarray(80)), { allowUnreadBytes: true }));
  let at = 80 + CompactSize.encode(BigInt(count)).length;
  for (let i = 0; i < count; i++) {
    const parsed = RawTx.decode(Uint8Array.from(bytes.subarray(at)), { allowUnreadBytes: true });
    const size = RawTx.encode(parsed).length;
    transactions.push(transactionFrom(bytes.subarray(at, at + size), block));
    at += size;
  }
  return block;
}

function transactionFrom(bytes: Buffer, block: IndexedBlock | null): IndexedTx {
  const copy = Uint8Array.from(bytes);
  return { txid: txidOf(copy), bytes: copy, parsed: RawTx.decode(copy), block };
}
