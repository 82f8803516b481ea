import type { Hex } from 'viem';
import type { Journal } from '../journal.ts';
import { type Anvil, AnvilError } from './anvil.ts';
import { EvmRefused } from './errors.ts';
import { createGate } from './gate.ts';
import { isHex, keccak, quantity } from './hex.ts';
import { withNextBaseFee } from './next-price.ts';
import { type BlockRow, type Intervention, openChainRecord } from './record.ts';
import { type Header, latestBlock, mineBlock, openPool, raiseChain } from './raise.ts';

export interface EvmChainOptions {
  readonly chainId: number;
  readonly journal: Journal;
  /** Unix seconds, never less than before. */
  readonly now: () => number;
  /** The genesis block of a chain that is new. */
  readonly genesis: () => Promise<EvmGenesis>;
}

/** As geth reads it; the base fee is what the chain begins with and keeps until it is told otherwise. */
export interface EvmGenesis {
  readonly baseFeePerGas: string;
  readonly alloc: object;
}

export type NextTransaction = 'reverts' | 'drops';

/** One chain of the sandbox: blocks come when they are asked for, and what was once in one survives every end. */
export type EvmChain = Awaited<ReturnType<typeof openEvmChain>>;

/** As deep as a reorganisation may go; after a start anvil has the states of so many blocks again. */
export const deepestReorg = 64;
const checkpointEvery = 100;

const neverReturns: Hex = '0x60006000fd';

export async function openEvmChain({ chainId, journal, now, genesis }: EvmChainOptions) {
  const record = openChainRecord(journal, chainId);
  const gate = createGate();
  // What a folder began with stays: its coins are in these contracts.
  if (record.setting('genesis') === undefined) record.set('genesis', await genesis());
  const first = record.setting('genesis') as EvmGenesis;
  let baseFee = (record.setting('base-fee') ?? first.baseFeePerGas) as Hex;
  let nextTransaction = (record.setting('next-transaction') ?? null) as NextTransaction | null;
  let stopped = false;
  let anvil = await raise();
  let tip: Header = (await latestBlock(anvil)).header;
  let lastCheckpoint = tip.number;

  /** One that ends by itself is raised again, and nobody reads meanwhile. */
  async function raise(): Promise<Anvil> {
    const raised = await raiseChain(chainId, first, record);
    void raised.ended.then(() => {
      if (stopped) return;
      void gate.write(async () => {
        anvil = await raise();
        tip = (await latestBlock(anvil)).header;
      });
    });
    return raised;
  }

  /** What waits goes into a block, which is written down before anybody sees it. */
  async function block(timestamp: number, before: Intervention[] = [], after: Intervention[] = []): Promise<BlockRow> {
    for (const [method, ...params] of before) await anvil.call(method, ...params);
    const { transactions, header } = await mineBlock(anvil, baseFee, timestamp);
    for (const [method, ...params] of after) await anvil.call(method, ...params);
    await openPool(anvil);
    tip = header;
    const waiting = new Map(record.waiting().map((raw) => [keccak(raw), raw]));
    const raws = transactions.map((hash) => {
      const raw = waiting.get(hash);
      if (raw === undefined) throw new Error(`block ${header.number} of chain ${chainId} has ${hash} from nowhere`);
      return raw;
    });
    return { ...header, baseFee, before, transactions: raws, after };
  }

  /** What pays too little for the next block, taken out of its way; what anvil has no more was replaced. */
  async function setApart(): Promise<void> {
    for (const raw of record.waiting()) {
      const hash = keccak(raw);
      const tx = (await anvil.call('eth_getTransactionByHash', hash)) as { maxFeePerGas?: Hex; gasPrice: Hex } | null;
      if (tx === null) record.forget(raw);
      else if (BigInt(tx.maxFeePerGas ?? tx.gasPrice) < BigInt(baseFee))
        await anvil.call('anvil_dropTransaction', hash);
    }
  }

  async function mineOne(): Promise<void> {
    await setApart();
    record.extend([await block(Math.max(now(), tip.timestamp + 1))]);
    await sendAgain();
    if (tip.number < lastCheckpoint + checkpointEvery) return;
    lastCheckpoint = tip.number;
    record.keep({ number: tip.number, state: (await anvil.call('anvil_dumpState')) as Hex }, deepestReorg);
  }

  /** Written down before it is answered: whoever has the answer finds the transaction again. */
  async function accept(raw: Hex): Promise<Hex> {
    const hash = (await anvil.call('eth_sendRawTransaction', raw)) as Hex;
    record.wait(raw);
    return hash;
  }

  /** Whatever waits and is not in the pool any more. */
  async function sendAgain(): Promise<void> {
    for (const raw of record.waiting()) {
      if ((await anvil.call('eth_getTransactionByHash', keccak(raw))) !== null) continue;
      try {
        await anvil.call('eth_sendRawTransaction', raw);
      } catch (error) {
        if (!(error instanceof AnvilError)) throw error;
        record.forget(raw);
      }
    }
  }

  /** Alone in a block, in which whatever it calls reverts. */
  async function revert(raw: Hex): Promise<Hex> {
    const { parseTransaction } = await import('viem');
    const { to } = parseTransaction(raw);
    if (to === undefined || to === null) return accept(raw);
    await mineOne(); // What its sender sent before must not be in its way.
    const hash = await accept(raw);
    const code = await anvil.call('eth_getCode', to, 'latest');
    await anvil.call('anvil_dropAllTransactions');
    await anvil.call('eth_sendRawTransaction', raw);
    const before: Intervention[] = [['anvil_setCode', to, neverReturns]];
    record.extend([await block(Math.max(now(), tip.timestamp + 1), before, [['anvil_setCode', to, code]])]);
    await sendAgain();
    return hash;
  }

  function setNextTransaction(fault: NextTransaction | null): void {
    nextTransaction = fault;
    record.set('next-transaction', fault);
  }

  return {
    chainId,
    record,
    tip: (): Header => tip,
    baseFee: (): bigint => BigInt(baseFee),
    nodeAccount: (): Hex | null => (record.setting('node') ?? null) as Hex | null,
    /** One question; throws anvil's error. */
    call: (method: string, ...params: readonly unknown[]): Promise<unknown> =>
      gate.read(async () => withNextBaseFee(method, params, await anvil.call(method, ...params), baseFee)),
    /** Its hash; throws what anvil refuses. */
    send(bytes: unknown): Promise<Hex> {
      return gate.write(async () => {
        const raw = bytes as Hex; // Of what else it may be, anvil says that it is wrong.
        const fault = nextTransaction;
        if (fault === null || (await senderOf(raw)) !== record.setting('node')) return accept(raw);
        const hash = fault === 'drops' ? keccak(raw) : await revert(raw);
        setNextTransaction(null);
        return hash;
      });
    },
    /** Several of our own, in one block. */
    async sendAndMine(raws: readonly Hex[]): Promise<readonly Hex[]> {
      return gate.write(async () => {
        const hashes: Hex[] = [];
        for (const raw of raws) hashes.push(await accept(raw));
        await mineOne();
        return hashes;
      });
    },
    async mine(blocks: number): Promise<void> {
      for (let i = 0; i < blocks; i++) await gate.write(mineOne);
    },
    /** Brings the time of the chain to the clock, where it is behind. */
    async follow(): Promise<void> {
      await gate.write(async () => (tip.timestamp < now() ? mineOne() : undefined));
    },
    /** Other, empty blocks in place of the last ones; what was in those waits again. */
    async reorg(depth: number, dropped: ReadonlySet<string>): Promise<void> {
      await gate.write(async () => {
        const rows = record.blocks().slice(-depth);
        if (rows.length < depth) throw new EvmRefused(`The chain has only ${rows.length} blocks that can be replaced.`);
        const waiting = record.waiting();
        await anvil.call('anvil_dropAllTransactions');
        await anvil.call('anvil_rollback', depth);
        tip = (await latestBlock(anvil)).header;
        lastCheckpoint = Math.min(lastCheckpoint, tip.number);
        const below = record.blocks().at(-depth - 1);
        for (const [method, ...params] of below?.after ?? []) await anvil.call(method, ...params);
        const blocks: BlockRow[] = [];
        // Another second makes another block, and every block above it.
        for (const { timestamp } of rows) blocks.push(await block(Math.max(timestamp, tip.timestamp) + 1));
        const returned = rows.flatMap(({ transactions }) => transactions).filter((raw) => !dropped.has(keccak(raw)));
        record.replace(blocks, [...returned, ...waiting]);
        await sendAgain();
      });
    },
    async setBaseFee(wei: bigint): Promise<void> {
      await gate.write(async () => {
        baseFee = quantity(wei);
        record.set('base-fee', baseFee);
      });
    },
    setNextTransaction,
    async stop(): Promise<void> {
      stopped = true;
      await gate.write(() => anvil.stop());
    },
  };
}

/** Lower case; null for what is no transaction. */
async function senderOf(raw: Hex): Promise<string | null> {
  const { recoverTransactionAddress } = await import('viem');
  try {
    return isHex(raw) ? (await recoverTransactionAddress({ serializedTransaction: raw as never })).toLowerCase() : null;
  } catch {
    return null; // Anvil says what is wrong with it.
  }
}
