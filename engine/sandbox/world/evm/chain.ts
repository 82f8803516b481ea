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

/** What is played over the chain's own node. */
interface Playing {
  readonly chainId: EvmChainOptions['chainId'];
  readonly now: EvmChainOptions['now'];
  readonly record: ReturnType<typeof openChainRecord>;
  readonly gate: ReturnType<typeof createGate>;
  readonly first: EvmGenesis;
  baseFee: `0x${string}`;
  nextTransaction: NextTransaction | null;
  stopped: boolean;
  anvil: Anvil;
  tip: Header;
  lastCheckpoint: number;
}

export async function openEvmChain({ chainId, journal, now, genesis }: EvmChainOptions) {
  const record = openChainRecord(journal, chainId);
  const gate = createGate();
  // What a folder began with stays: its coins are in these contracts.
  if (record.setting('genesis') === undefined) record.set('genesis', await genesis());
  const first = record.setting('genesis') as EvmGenesis;

  const raised = await raiseChain(chainId, first, record);
  const latest = (await latestBlock(raised)).header;
  const own: Playing = {
    chainId,
    now,
    record,
    gate,
    first,
    baseFee: (record.setting('base-fee') ?? first.baseFeePerGas) as Hex,
    nextTransaction: (record.setting('next-transaction') ?? null) as NextTransaction | null,
    stopped: false,
    anvil: raised,
    tip: latest,
    lastCheckpoint: latest.number,
  };

  raiseAgainAfter(own, raised);

  return {
    chainId,
    record,
    tip: (): Header => own.tip,
    baseFee: (): bigint => BigInt(own.baseFee),
    nodeAccount: (): Hex | null => (record.setting('node') ?? null) as Hex | null,
    /** One question; throws anvil's error. */
    call: (method: string, ...params: readonly unknown[]): Promise<unknown> =>
      gate.read(async () => withNextBaseFee(method, params, await own.anvil.call(method, ...params), own.baseFee)),
    /** Its hash; throws what anvil refuses. */
    send(bytes: unknown): Promise<Hex> {
      return gate.write(async () => {
        const raw = bytes as Hex; // Of what else it may be, anvil says that it is wrong.
        const fault = own.nextTransaction;
        if (fault === null || (await senderOf(raw)) !== record.setting('node')) return accept(own, raw);
        const hash = fault === 'drops' ? keccak(raw) : await revert(own, raw);
        setNextTransaction(own, null);
        return hash;
      });
    },
    /** Several of our own, in one block. */
    async sendAndMine(raws: readonly Hex[]): Promise<readonly Hex[]> {
      return gate.write(async () => {
        const hashes: Hex[] = [];
        for (const raw of raws) hashes.push(await accept(own, raw));
        await mineOne(own);
        return hashes;
      });
    },
    async mine(blocks: number): Promise<void> {
      for (let i = 0; i < blocks; i++) await gate.write(() => mineOne(own));
    },
    /** Brings the time of the chain to the clock, where it is behind. */
    async follow(): Promise<void> {
      await gate.write(async () => (own.tip.timestamp < now() ? mineOne(own) : undefined));
    },
    /** Other, empty blocks in place of the last ones; what was in those waits again. */
    async reorg(depth: number, dropped: ReadonlySet<string>): Promise<void> {
      await gate.write(async () => {
        const rows = record.blocks().slice(-depth);
        if (rows.length < depth) throw new EvmRefused(`The chain has only ${rows.length} blocks that can be replaced.`);
        const waiting = record.waiting();
        await own.anvil.call('anvil_dropAllTransactions');
        await own.anvil.call('anvil_rollback', depth);
        own.tip = (await latestBlock(own.anvil)).header;
        own.lastCheckpoint = Math.min(own.lastCheckpoint, own.tip.number);
        const below = record.blocks().at(-depth - 1);
        for (const [method, ...params] of below?.after ?? []) await own.anvil.call(method, ...params);
        const blocks: BlockRow[] = [];
        // Another second makes another block, and every block above it.
        for (const { timestamp } of rows) blocks.push(await block(own, Math.max(timestamp, own.tip.timestamp) + 1));
        const returned = rows.flatMap(({ transactions }) => transactions).filter((raw) => !dropped.has(keccak(raw)));
        record.replace(blocks, [...returned, ...waiting]);
        await sendAgain(own);
      });
    },
    async setBaseFee(wei: bigint): Promise<void> {
      await gate.write(async () => {
        own.baseFee = quantity(wei);
        record.set('base-fee', own.baseFee);
      });
    },
    setNextTransaction: (fault: NextTransaction | null) => setNextTransaction(own, fault),
    async stop(): Promise<void> {
      own.stopped = true;
      await gate.write(() => own.anvil.stop());
    },
  };
}

/** One that ends by itself is raised again, and nobody reads meanwhile. */
function raiseAgainAfter(own: Playing, raised: Anvil): void {
  const { chainId, record, gate, first } = own;
  void raised.ended.then(() => {
    if (own.stopped) return;
    void gate.write(async () => {
      own.anvil = await raiseChain(chainId, first, record);
      raiseAgainAfter(own, own.anvil);
      own.tip = (await latestBlock(own.anvil)).header;
    });
  });
}

/** What waits goes into a block, which is written down before anybody sees it. */
async function block(
  own: Playing,
  timestamp: number,
  before: Intervention[] = [],
  after: Intervention[] = [],
): Promise<BlockRow> {
  const { chainId, record } = own;
  for (const [method, ...params] of before) await own.anvil.call(method, ...params);
  const { transactions, header } = await mineBlock(own.anvil, own.baseFee, timestamp);
  for (const [method, ...params] of after) await own.anvil.call(method, ...params);
  await openPool(own.anvil);
  own.tip = header;
  const waiting = new Map(record.waiting().map((raw) => [keccak(raw), raw]));
  const raws = transactions.map((hash) => {
    const raw = waiting.get(hash);
    if (raw === undefined) throw new Error(`block ${header.number} of chain ${chainId} has ${hash} from nowhere`);
    return raw;
  });
  return { ...header, baseFee: own.baseFee, before, transactions: raws, after };
}

/** What pays too little for the next block, taken out of its way; what anvil has no more was replaced. */
async function setApart(own: Playing): Promise<void> {
  const { record } = own;
  for (const raw of record.waiting()) {
    const hash = keccak(raw);
    const tx = (await own.anvil.call('eth_getTransactionByHash', hash)) as { maxFeePerGas?: Hex; gasPrice: Hex } | null;
    if (tx === null) record.forget(raw);
    else if (BigInt(tx.maxFeePerGas ?? tx.gasPrice) < BigInt(own.baseFee))
      await own.anvil.call('anvil_dropTransaction', hash);
  }
}

async function mineOne(own: Playing): Promise<void> {
  const { now, record } = own;
  await setApart(own);
  record.extend([await block(own, Math.max(now(), own.tip.timestamp + 1))]);
  await sendAgain(own);
  if (own.tip.number < own.lastCheckpoint + checkpointEvery) return;
  own.lastCheckpoint = own.tip.number;
  record.keep({ number: own.tip.number, state: (await own.anvil.call('anvil_dumpState')) as Hex }, deepestReorg);
}

/** Written down before it is answered: whoever has the answer finds the transaction again. */
async function accept(own: Playing, raw: Hex): Promise<Hex> {
  const { record } = own;
  const hash = (await own.anvil.call('eth_sendRawTransaction', raw)) as Hex;
  record.wait(raw);
  return hash;
}

/** Whatever waits and is not in the pool any more. */
async function sendAgain(own: Playing): Promise<void> {
  const { record } = own;
  for (const raw of record.waiting()) {
    if ((await own.anvil.call('eth_getTransactionByHash', keccak(raw))) !== null) continue;
    try {
      await own.anvil.call('eth_sendRawTransaction', raw);
    } catch (error) {
      if (!(error instanceof AnvilError)) throw error;
      record.forget(raw);
    }
  }
}

/** Alone in a block, in which whatever it calls reverts. */
async function revert(own: Playing, raw: Hex): Promise<Hex> {
  const { now, record } = own;
  const { parseTransaction } = await import('viem');
  const { to } = parseTransaction(raw);
  if (to === undefined || to === null) return accept(own, raw);
  await mineOne(own); // What its sender sent before must not be in its way.
  const hash = await accept(own, raw);
  const code = await own.anvil.call('eth_getCode', to, 'latest');
  await own.anvil.call('anvil_dropAllTransactions');
  await own.anvil.call('eth_sendRawTransaction', raw);
  const before: Intervention[] = [['anvil_setCode', to, neverReturns]];
  record.extend([await block(own, Math.max(now(), own.tip.timestamp + 1), before, [['anvil_setCode', to, code]])]);
  await sendAgain(own);
  return hash;
}

function setNextTransaction(own: Playing, fault: NextTransaction | null): void {
  const { record } = own;
  own.nextTransaction = fault;
  record.set('next-transaction', fault);
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
