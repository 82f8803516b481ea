import { assembleBlock, inOrder, type Block } from './block.ts';
import { RpcError, type Rpc } from './rpc.ts';

export interface BlockWish {
  /** Hash of the block to build on; the tip when left out. Two blocks on the parent of the tip are a reorg. */
  readonly parent?: string;
  /** Unix seconds: at least one above the parent's median time past, at most two hours ahead of the wall clock. */
  readonly time?: number;
  /** What goes in, parents first; the whole mempool when left out. */
  readonly transactions?: readonly Uint8Array[];
  /** Where the coinbase pays to. */
  readonly script?: Uint8Array;
}

/** Builds blocks itself and hands them in, the same for every node: btcd has no `generatetoaddress`. */
export interface Miner {
  mineBlock(wish?: BlockWish): Promise<Block>;
  /** Blocks on the tip, the first with everything that waits in the mempool. */
  mine(count: number): Promise<void>;
  /**
   * Six blocks whose median time past is `seconds` after the wall clock: an hour and a half ahead is the most that
   * holds.
   */
  warp(seconds: number): Promise<void>;
  medianTime(block?: string): Promise<number>;
}

interface Header {
  readonly parent: string;
  readonly time: number;
}

const nobody = Uint8Array.of(0x51);

export function createMiner(rpc: () => Rpc, script: Uint8Array = nobody): Miner {
  const headers = new Map<string, Header>();

  /** From the raw header: the verbose call refuses blocks of a side branch. */
  async function header(hash: string): Promise<Header> {
    const cached = headers.get(hash);
    if (cached !== undefined) return cached;
    const bytes = Buffer.from(await rpc().call<string>('getblockheader', hash, false), 'hex');
    const read = { parent: Buffer.from(bytes.subarray(4, 36)).reverse().toString('hex'), time: bytes.readUInt32LE(68) };
    headers.set(hash, read);
    return read;
  }

  async function heightOf(hash: string): Promise<number> {
    for (let above = 0, at = hash; ; above++) {
      try {
        return (await rpc().call<{ height: number }>('getblockheader', at, true)).height + above;
      } catch (error) {
        if (!(error instanceof RpcError) || error.code !== -32603) throw error;
      }
      at = (await header(at)).parent;
    }
  }

  async function medianTime(hash: string): Promise<number> {
    const times: number[] = [];
    for (let at = hash; times.length < 11 && !/^0+$/.test(at);) {
      const { parent, time } = await header(at);
      times.push(time);
      at = parent;
    }
    return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  }

  async function mempool(): Promise<Uint8Array[]> {
    const ids = await rpc().call<string[]>('getrawmempool');
    const raw = await rpc().batch<string>(ids.map((id) => ['getrawtransaction', id, 0]));
    return inOrder(raw.map((text) => new Uint8Array(Buffer.from(text, 'hex'))));
  }

  async function mineBlock(wish: BlockWish = {}): Promise<Block> {
    const parent = wish.parent ?? (await rpc().call<string>('getbestblockhash'));
    const block = assembleBlock({
      parent,
      height: (await heightOf(parent)) + 1,
      time: Math.max(wish.time ?? Math.floor(Date.now() / 1_000), (await medianTime(parent)) + 1),
      script: wish.script ?? script,
      transactions: wish.transactions ?? (await mempool()),
    });
    const refused = await rpc().call<string | null>('submitblock', block.hex);
    // What Core says of a block that does not become the tip: one of a branch that is not the longest yet.
    if (refused !== null && refused !== 'inconclusive')
      throw new Error(`the Bitcoin node does not take the block: ${refused}`);
    return block;
  }

  return {
    mineBlock,
    async mine(count) {
      for (let i = 0; i < count; i++) await mineBlock();
    },
    async warp(seconds) {
      const end = Math.floor(Date.now() / 1_000) + seconds;
      for (let i = 0; i < 6; i++) await mineBlock({ time: end + i });
    },
    medianTime: async (block) => medianTime(block ?? (await rpc().call<string>('getbestblockhash'))),
  };
}
