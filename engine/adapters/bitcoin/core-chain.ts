import type { PortFailure } from '../../domain/errors.ts';
import { fromHex } from '../../domain/hex.ts';
import { unix } from '../../domain/time.ts';
import { onchainFailure } from '../../legs/onchain/failures.ts';
import type { ChainTip } from '../../legs/onchain/port.ts';
import { type Header, medianOf, medianOfTimes, readHeader } from './headers.ts';
import { type CoreRpc, RpcRefusal } from './json-rpc.ts';

/** Blocks, heights and times of a node with Core's JSON-RPC. */
export interface CoreChain {
  genesis(): Promise<string>;
  tip(): Promise<ChainTip>;
  /** Checked against its hash, and kept: what a block says never changes. */
  header(hash: string): Promise<Header>;
  /** Null above the tip. */
  hashAt(height: number): Promise<string | null>;
  /** Null for a block that is not on the best chain (any more). */
  heightOf(hash: string): Promise<number | null>;
}

const hashText = /^[0-9a-f]{64}$/;
const zero = '0'.repeat(64);
/** Codes for a block that is unknown, or known and on a side branch: Core's and btcd's. */
const blockNotFound = -5;
/** Core's for a height above the tip; btcd says -1. */
const outOfRange: readonly number[] = [-8, -1];
const notInMainChain = -32603;
/** Headers are some hundred bytes each; a day of blocks is 144. */
const headersKept = 4_096;
/** A tip that moves between two calls is asked for again. */
const tries = 3;

export function isHash(value: unknown): value is string {
  return typeof value === 'string' && hashText.test(value);
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** A node that answers nonsense is as good as one that does not answer. */
export function nonsense(rpc: CoreRpc, what: string): PortFailure {
  return onchainFailure('bitcoin-away', 'safe', `The Bitcoin node ${rpc.name} answered ${what}: is it a Bitcoin node?`);
}

export function coreChain(rpc: CoreRpc): CoreChain {
  const headers = new Map<string, Header>();
  let last: ChainTip | null = null;

  async function hashOf(method: string, ...params: unknown[]): Promise<string> {
    const hash = await rpc.call(method, params);
    if (!isHash(hash)) throw nonsense(rpc, `${method} with no block hash`);
    return hash;
  }

  async function header(hash: string): Promise<Header> {
    const cached = headers.get(hash);
    if (cached !== undefined) return cached;
    const raw = await rpc.call('getblockheader', [hash, false]);
    if (typeof raw !== 'string') throw nonsense(rpc, 'getblockheader with no header');
    let read: Header;
    try {
      read = readHeader(fromHex(raw), hash);
    } catch (cause) {
      throw onchainFailure(
        'bitcoin-away',
        'safe',
        `The Bitcoin node ${rpc.name} is not believed: ${cause instanceof Error ? cause.message : String(cause)}.`,
        cause,
      );
    }
    for (const oldest of headers.keys()) {
      if (headers.size < headersKept) break;
      headers.delete(oldest);
    }
    headers.set(hash, read);
    return read;
  }

  /** btcd tells no median of its own, so the headers do for every node. */
  async function medianTime(tip: string): Promise<number> {
    const times: number[] = [];
    for (let hash = tip; hash !== zero && times.length < medianOf;) {
      const { previous, time } = await header(hash);
      times.push(time);
      hash = previous;
    }
    return medianOfTimes(times);
  }

  async function heightOf(hash: string): Promise<number | null> {
    try {
      const { height, confirmations } = (await rpc.call('getblockheader', [hash, true])) as {
        height?: unknown;
        confirmations?: unknown;
      };
      if (!isCount(height) || typeof confirmations !== 'number') throw nonsense(rpc, 'getblockheader with no height');
      return confirmations < 0 ? null : height;
    } catch (cause) {
      if (cause instanceof RpcRefusal && (cause.code === blockNotFound || cause.code === notInMainChain)) return null;
      throw cause;
    }
  }

  return {
    async hashAt(height) {
      try {
        return await hashOf('getblockhash', height);
      } catch (cause) {
        if (cause instanceof RpcRefusal && outOfRange.includes(cause.code)) return null;
        throw cause;
      }
    },
    genesis: () => hashOf('getblockhash', 0),
    async tip() {
      for (let left = tries; left > 0; left--) {
        const hash = await hashOf('getbestblockhash');
        if (last?.hash === hash) return last;
        const height = await heightOf(hash);
        if (height === null) continue; // reorganised meanwhile
        last = { hash, height, time: unix((await header(hash)).time), mtp: unix(await medianTime(hash)) };
        return last;
      }
      throw nonsense(rpc, 'best blocks that are not on its best chain');
    },
    header,
    heightOf,
  };
}
