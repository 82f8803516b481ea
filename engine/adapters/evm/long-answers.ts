import { NoAnswer, isTooLong } from '../probe/answer.ts';
import type { Question } from './batch.ts';

/** What is read of one answer at most, in bytes, and how long it is waited for, in milliseconds; as usual without. */
export interface Length {
  readonly mostBytes: number;
  readonly limitMs?: number;
}

/**
 * The logs of a single block cannot be asked for in parts: strangers fill a block of 400 million gas with fewer bytes,
 * and what is not read there is a claim of ours (facts/faults.md 339).
 */
const blockOfLogs: Length = { mostBytes: 32_000_000, limitMs: 20_000 };
/** Whatever somebody's transaction does beside our lock, or a relay of ours for a client. */
const receipt: Length = { mostBytes: 8_000_000 };

/** For so long, milliseconds, the same long receipt is not asked for again, and none after another one. */
const pauseMs = { same: 30_000, next: 1_000 };

/**
 * Answers of one RPC that are longer than others and are read all the same. A long receipt goes into no batch, for all
 * others in it would have no answer, and is read once in a while: it delays nobody's swap but its own (facts/faults.md
 * 342).
 */
export function createLongAnswers() {
  /** Receipts, by their transactions, with the moment until which nobody asks for them. */
  const resting = new Map<string, { readonly until: number; readonly cause: unknown }>();
  let next = -Infinity;

  function rest(txid: string, until: number, cause: unknown): void {
    const now = performance.now();
    for (const [one, { until: end }] of resting) if (end <= now) resting.delete(one);
    resting.set(txid, { until, cause });
  }

  return {
    /** Throws what a long receipt failed with that is not asked for now. */
    refuse({ method, params: [txid] }: Question): void {
      const one = method === 'eth_getTransactionReceipt' ? resting.get(String(txid)) : undefined;
      if (one !== undefined && performance.now() < one.until) throw one.cause;
    },
    /** The whole answer to a question that failed; throws why where it was not too long, or may not be that long. */
    async instead<T>(
      { method, params: [of] }: Question,
      cause: unknown,
      ask: (most: Length) => Promise<T>,
    ): Promise<T> {
      if (!isTooLong(cause)) throw cause;
      // So much may need more time than there is: that says nothing about the RPC.
      const whole = (most: Length): Promise<T> =>
        ask(most).catch((failure: unknown) => {
          throw failure instanceof NoAnswer && failure.why === 'late' ? cause : failure;
        });
      if (method === 'eth_getLogs' && isOneBlock(of)) return whole(blockOfLogs);
      if (method !== 'eth_getTransactionReceipt') throw cause;
      const now = performance.now();
      rest(String(of), now + (now < next ? pauseMs.next : pauseMs.same), cause);
      if (now < next) throw cause;
      next = Infinity;
      return whole(receipt).finally(() => (next = performance.now() + pauseMs.next));
    },
  };
}

function isOneBlock(range: unknown): boolean {
  const { fromBlock, toBlock } = range as { readonly fromBlock?: unknown; readonly toBlock?: unknown };
  return fromBlock !== undefined && fromBlock === toBlock;
}
