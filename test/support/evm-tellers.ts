import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keccak256, toHex as hexOf } from 'viem';
import type { EvmAddress } from '../../engine/domain/evm.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { swapKey, type LockTerms } from '../../engine/legs/evm/swap-key.ts';

/** Of chain 137. */
const secondsPerBlock = 2;
const start = { height: 10_000, time: 1_760_000_000 };
const topics = {
  created: '127ba86dffa89675eb78a2ca7203c29f865789ebec607b9424ed9f8d3d533e9f',
  redeemed: '935f11873f0f4154186d30d8d4181c7694ac59f800873f9c44b0a5122043660a',
  refunded: 'db5ade4effa253aae9bef95994b76da3fe75eb0d634e715ec4261c6fd55c06f1',
};

export interface Log {
  readonly height: number;
  readonly txid: string;
  readonly index: number;
  readonly topics: readonly string[];
  readonly data: string;
}

export type Happening =
  { readonly is: 'created' } | { readonly is: 'redeemed'; readonly preimage: Uint8Array } | { readonly is: 'refunded' };

/** How an RPC differs from the chain that it should tell of. */
export interface Manner {
  /** Blocks that its tip is away from the real one, and the seconds that its time is away from the tip's. */
  readonly tipBy?: number;
  readonly timeBy?: number;
  /** It stands still there. */
  readonly stillAt?: number;
  /** It leaves out all logs. */
  readonly hides?: boolean;
  /** Logs that nobody else has. */
  readonly adds?: readonly Log[];
  /** Logs as it tells them, of the same block and transaction: its receipts are true. */
  readonly tells?: (log: Log) => Log;
  readonly down?: boolean;
  /** It gives the logs of one block at a time, each after so many milliseconds. */
  readonly blockMs?: number;
  /** It keeps the logs of so many blocks below its tip; of older ones it says with this status that it has none. */
  readonly keeps?: number;
  readonly prunedBy?: 200 | 403;
}

export interface Teller {
  readonly url: string;
  /** Methods that it was methods. */
  readonly methods: string[];
  behave(manner: Manner): void;
}

const prunedError = { code: -32_701, message: 'Archive requests require a personal token' };

const tooMuchError = { code: -32_005, message: 'query returned more than 10000 results' };

const quantity = (value: number | bigint): string => hexOf(value);
const word = (bytes: Uint8Array): string => toHex(bytes).padStart(64, '0');
const hashOf = (height: number, branch: string): string => keccak256(hexOf(`${branch} ${height}`));

/** A chain as headers and logs alone, and RPCs that tell of it, each in a manner of its own. */
export async function startTellers(count: number, htlc: EvmAddress) {
  let height = start.height;
  const logs: Log[] = [];
  const servers: { close(): Promise<void> }[] = [];
  const timeAt = (of: number): number => start.time + secondsPerBlock * (of - start.height);

  function logOf(at: number, terms: LockTerms, what: Happening): Log {
    const key = swapKey(terms);
    const first = [`0x${topics[what.is]}`, `0x${toHex(terms.preimageHash)}`];
    const txid = keccak256(hexOf(`${what.is} ${toHex(key)} ${at}`));
    const log = { height: at, txid, index: 0 };
    if (what.is !== 'created') {
      const data = what.is === 'redeemed' ? `0x${toHex(what.preimage)}` : '0x';
      return { ...log, topics: [...first, `0x${toHex(key)}`], data };
    }
    const { token, amount, timelock, refundAddress, claimAddress } = terms;
    const words = [word(token), amount.toString(16).padStart(64, '0'), timelock.toString(16).padStart(64, '0')];
    const parties = [refundAddress, claimAddress].map((one) => `0x${word(one)}`);
    return { ...log, topics: [...first, ...parties], data: `0x${words.join('')}${toHex(key)}` };
  }

  async function tell(): Promise<Teller> {
    const methods: string[] = [];
    let manner: Manner = {};
    const tip = (): number => Math.max(0, (manner.stillAt ?? height) + (manner.tipBy ?? 0));
    // Above the real tip, or where its time is another one, its blocks are its own.
    const isTrue = (at: number): boolean => at <= height && (manner.timeBy === undefined || at < tip());
    const hash = (at: number): string => hashOf(at, isTrue(at) ? 'true' : 'its own');
    const block = (at: number): object | null =>
      at > tip()
        ? null
        : {
            number: quantity(at),
            hash: hash(at),
            parentHash: hash(at - 1),
            timestamp: quantity(timeAt(at) + (at === tip() ? (manner.timeBy ?? 0) : 0)),
          };
    const own = (): readonly Log[] => [...(manner.hides === true ? [] : logs), ...(manner.adds ?? [])];
    const written = (log: Log, block = hash(log.height)): object => ({
      address: `0x${toHex(htlc)}`,
      topics: log.topics,
      data: log.data,
      transactionHash: log.txid,
      blockNumber: quantity(log.height),
      blockHash: block,
      logIndex: quantity(log.index),
    });

    const isPruned = (method: string, [first]: readonly unknown[]): boolean =>
      method === 'eth_getLogs' &&
      manner.keeps !== undefined &&
      Number((first as { fromBlock: string }).fromBlock) < tip() - manner.keeps;

    function isTooMuch(method: string, [first]: readonly unknown[]): boolean {
      if (method !== 'eth_getLogs' || manner.blockMs === undefined) return false;
      const { fromBlock, toBlock } = first as { fromBlock: string; toBlock: string };
      return fromBlock !== toBlock;
    }

    /** Of `isActive`, whose first word is the hash. */
    function stands(data: string): boolean {
      const of = own().filter((log) => log.height <= tip() && log.topics[1] === `0x${data.slice(10, 74)}`);
      return of.filter(({ topics: [topic] }) => topic === `0x${topics.created}`).length * 2 > of.length;
    }

    function answer(method: string, [first]: readonly unknown[]): unknown {
      switch (method) {
        case 'eth_chainId':
          return '0x89';
        case 'eth_blockNumber':
          return quantity(tip());
        case 'eth_getBlockByNumber':
          return block(first === 'latest' ? tip() : Number(first));
        case 'eth_getLogs': {
          const { fromBlock, toBlock } = first as { fromBlock: string; toBlock: string };
          const { tells = (log) => log } = manner;
          return own()
            .map((log) => ({ log: tells(log), block: hash(log.height) }))
            .filter(({ log }) => log.height >= Number(fromBlock) && log.height <= Math.min(tip(), Number(toBlock)))
            .map(({ log, block: inBlock }) => written(log, inBlock));
        }
        case 'eth_call':
          return `0x${String(Number(stands((first as { data: string }).data))).padStart(64, '0')}`;
        case 'eth_getTransactionReceipt': {
          const log = own().find((one) => one.txid === first && one.height <= tip());
          if (log === undefined) return null;
          return {
            ...{ transactionHash: log.txid, blockNumber: quantity(log.height), blockHash: hash(log.height) },
            ...{ status: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1', logs: [written(log)] },
          };
        }
        default:
          return null;
      }
    }

    const server = createServer((request, reply) => {
      let text = '';
      request.setEncoding('utf8').on('data', (part: string) => (text += part));
      request.on('end', () => void replied());
      const replied = async (): Promise<void> => {
        if (manner.down === true) return void reply.writeHead(503).end();
        type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
        const content = JSON.parse(text) as Call | readonly Call[];
        const one = ({ id, method, params }: Call): object => {
          methods.push(method);
          if (isPruned(method, params)) return { jsonrpc: '2.0', id, error: prunedError };
          if (isTooMuch(method, params)) return { jsonrpc: '2.0', id, error: tooMuchError };
          return { jsonrpc: '2.0', id, result: answer(method, params) };
        };
        const calls = Array.isArray(content) ? (content as readonly Call[]) : [content as Call];
        if (manner.blockMs !== undefined && calls.some(({ method }) => method === 'eth_getLogs'))
          await new Promise((resolve) => setTimeout(resolve, manner.blockMs));
        if (manner.prunedBy === 403 && calls.some(({ method, params }) => isPruned(method, params))) {
          reply.writeHead(403, { 'content-type': 'application/json' });
          return void reply.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: prunedError }));
        }
        const replies = Array.isArray(content) ? (content as readonly Call[]).map(one) : one(content as Call);
        reply.setHeader('content-type', 'application/json').end(JSON.stringify(replies));
      };
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push({
      async close() {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      },
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, methods, behave: (next) => void (manner = next) };
  }

  const tellers: Teller[] = [];
  for (let i = 0; i < count; i++) tellers.push(await tell());
  return {
    tellers,
    height: () => height,
    now: () => timeAt(height),
    logOf,
    mine: (blocks = 1) => void (height += blocks),
    /** In a block of its own. */
    happen(terms: LockTerms, what: Happening): void {
      height += 1;
      logs.push(logOf(height, terms, what));
    },
    /** In one block, in this order. */
    happenTogether(all: readonly (readonly [LockTerms, Happening])[]): void {
      height += 1;
      logs.push(...all.map(([terms, what], index) => ({ ...logOf(height, terms, what), index })));
    },
    stop: () => Promise.all(servers.map(({ close }) => close())),
  };
}

export type Tellers = Awaited<ReturnType<typeof startTellers>>;
