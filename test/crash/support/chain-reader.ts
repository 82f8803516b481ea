import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { toFunctionSelector } from 'viem';
import { lockEventOf, lockTopics } from '../../../engine/adapters/evm/events.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { coordinatorErc20, coordinatorNative, htlcErc20, htlcNative } from '../../../engine/legs/evm/abi.ts';

/** One question to an EVM chain. */
export type Ask = (method: string, ...params: readonly unknown[]) => Promise<unknown>;

/** Everything that ever was locked for a hash, and how it ended. Addresses are small letters with 0x. */
export interface LockFate {
  readonly key: string;
  readonly amount: bigint;
  readonly token: string;
  readonly refundAddress: string;
  readonly claimAddress: string;
  readonly end: 'active' | 'redeemed' | 'refunded';
}

/** A transaction of an account, in a block. */
export interface Mined {
  readonly txid: string;
  readonly nonce: number;
  readonly ok: boolean;
  /** Wei of gas. */
  readonly cost: bigint;
  /**
   * The function that it calls, and the lock by its hash or preimage; a claim names the amount too, for one preimage
   * takes every lock of its hash. Null for what is about no lock.
   */
  readonly act: string | null;
  /** A claim that failed, for a reorganisation put it before the lock that it takes. */
  readonly early: boolean;
}

/** An EVM chain as its blocks and logs tell it, asked past whatever the node asks. */
export interface ChainReader {
  readonly chainId: string;
  readonly htlc: string;
  locks(hash: string): Promise<LockFate[]>;
  /** Smallest units of a token, or of the coin for the zero address. */
  balance(token: string, of: string): Promise<bigint>;
  nonces(of: string): Promise<{ readonly mined: number; readonly pending: number }>;
  /** Every transaction of the account, by nonce. */
  sent(by: string): Promise<Mined[]>;
}

export const zero = `0x${'00'.repeat(20)}`;
/** A reorganisation reaches no deeper. */
const deepest = 70;
const atOnce = 16;
/** A chain that is read while it changes is read anew so often. */
const mostTries = 50;
const balanceOf = '0x70a08231';

/** By selector, in which places that stands which tells one lock from another. */
const acts = new Map(
  [htlcErc20, htlcNative, coordinatorErc20, coordinatorNative]
    .flatMap((abi) => [...abi])
    .flatMap((one) => (one.type === 'function' ? [one] : []))
    .map((one) => [
      toFunctionSelector(one),
      {
        name: one.name,
        at: one.inputs.flatMap(({ name = '' }, place) =>
          name.startsWith('preimage') || (one.name === 'redeem' && name === 'amount') ? [place] : [],
        ),
      },
    ]),
);

interface Block {
  readonly hash: string;
  readonly parentHash: string;
  readonly transactions: readonly { hash: string; from: string; nonce: string; to: string | null; input: string }[];
}

function heights(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

export function readChain(chainId: string, htlc: string, ask: Ask): ChainReader {
  /** Those that lay too deep for a reorganisation when they were read. */
  const buried: Block[] = [];
  const height = async () => Number(await ask('eth_blockNumber'));

  /** Between two questions a block may go, and its transactions come again in another one. */
  async function allBlocks(): Promise<Block[]> {
    for (let tries = 0; tries < mostTries; tries++) {
      const tip = await height();
      const above: (Block | null)[] = [];
      for (let from = buried.length; from <= tip; from += atOnce)
        above.push(...(await Promise.all(heights(from, Math.min(tip, from + atOnce - 1)).map(blockAt))));
      const blocks = [...buried, ...above.filter((block) => block !== null)];
      const isOneChain = blocks.every(({ parentHash }, i) => i === 0 || parentHash === blocks[i - 1]?.hash);
      if (blocks.length <= tip || !isOneChain) continue;
      buried.push(...blocks.slice(buried.length, Math.max(buried.length, tip - deepest)));
      return blocks;
    }
    throw new Error(`the blocks of chain ${chainId} are never of one chain`);
  }

  async function blockAt(number: number): Promise<Block | null> {
    return (await ask('eth_getBlockByNumber', `0x${number.toString(16)}`, true)) as Block | null;
  }

  async function logsOf(hash: string): Promise<Record<string, string>[]> {
    const filter = { address: htlc, fromBlock: '0x0', toBlock: 'latest', topics: [lockTopics, `0x${hash}`] };
    return (await ask('eth_getLogs', filter)) as Record<string, string>[];
  }

  /** Whether a claim stands in a block before the first lock of its hash. */
  async function cameBefore(act: string | null, at: Record<string, string>): Promise<boolean> {
    const [name, preimage = ''] = act?.split(' ') ?? [];
    if (name !== 'redeem') return false;
    const [first] = await logsOf(hex.encode(sha256(hex.decode(preimage))));
    const [block, place] = [Number(at['blockNumber']), Number(at['transactionIndex'])];
    const made = Number(first?.['blockNumber']);
    return made > block || (made === block && Number(first?.['transactionIndex']) > place);
  }

  async function count(of: string, at: 'latest' | 'pending'): Promise<number> {
    return Number(await ask('eth_getTransactionCount', of, at));
  }

  return {
    chainId,
    htlc: htlc.toLowerCase(),
    async locks(hash) {
      const logs = await logsOf(hash);
      const fates = new Map<string, LockFate>();
      for (const event of logs.map(lockEventOf)) {
        if (event === null) continue;
        const key = toHex(event.key);
        const { what } = event;
        if (what.is !== 'created') {
          const lock = fates.get(key);
          if (lock === undefined) throw new Error(`a lock of ${hash} is ${what.is} that was never made`);
          fates.set(key, { ...lock, end: what.is });
          continue;
        }
        const { amount, token, refundAddress, claimAddress } = what.terms;
        const [of, refund, claim] = [token, refundAddress, claimAddress].map((one) => `0x${toHex(one)}`);
        fates.set(key, {
          key,
          amount,
          token: of ?? '',
          refundAddress: refund ?? '',
          claimAddress: claim ?? '',
          end: 'active',
        });
      }
      return [...fates.values()];
    },
    async balance(token, of) {
      if (token === zero) return BigInt((await ask('eth_getBalance', of, 'latest')) as string);
      const data = `${balanceOf}${of.slice(2).padStart(64, '0')}`;
      return BigInt((await ask('eth_call', { to: token, data }, 'latest')) as string);
    },
    async nonces(of) {
      const mined = await count(of, 'latest');
      return { mined, pending: Math.max(mined, await count(of, 'pending')) };
    },
    async sent(by) {
      const own = (await allBlocks())
        .flatMap(({ transactions }) => transactions)
        .filter(({ from }) => from.toLowerCase() === by.toLowerCase());
      return Promise.all(
        own.map(async ({ hash, nonce, input }) => {
          const receipt = (await ask('eth_getTransactionReceipt', hash)) as Record<string, string>;
          const cost = BigInt(receipt['gasUsed'] ?? 0) * BigInt(receipt['effectiveGasPrice'] ?? 0);
          const [act, ok] = [actOf(input), receipt['status'] === '0x1'];
          return { txid: hash, nonce: Number(nonce), ok, cost, act, early: !ok && (await cameBefore(act, receipt)) };
        }),
      );
    },
  };
}

function actOf(input: string): string | null {
  const act = acts.get(input.slice(0, 10) as `0x${string}`);
  const words = act?.at.map((place) => input.slice(10 + 64 * place, 74 + 64 * place));
  return act === undefined || words === undefined ? null : [act.name, ...words].join(' ');
}
