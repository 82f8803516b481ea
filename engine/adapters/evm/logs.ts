import { PortFailure } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { evmFailure } from '../../legs/evm/failures.ts';
import type { LockEvent } from '../../legs/evm/port.ts';
import { sha256Of } from '../../legs/secret.ts';
import { NoAnswer } from '../probe/answer.ts';
import { lockEventOf, lockTopics } from './events.ts';
import { RpcError } from './rpc.ts';
import type { Source, Sources } from './sources.ts';
import type { Tips } from './tips.ts';

const mostSpan = 10_000;
/** How often one that gave nothing in time is asked for half as much. */
const mostLate = 3;
/** What an RPC says that has forgotten the blocks that it is asked for. */
const pruned = /pruned|missing trie node|not available|history.*unavailable|no state available|archive/i;

/** Below every tip by so many blocks a log that one has all have. */
const buriedBlocks = 16;
/** For how long a contradiction is remembered, in milliseconds. */
const doubtMs = 600_000;

interface Vote {
  readonly event: LockEvent;
  readonly by: Set<Source>;
}

interface Voter {
  readonly source: Source;
  /** The last block that it told the logs of, and its tip. */
  readonly last: number;
  readonly tip: number;
}

interface Range {
  readonly htlc: EvmAddress;
  readonly from: number;
  readonly to: number;
}

/**
 * The events of an HTLC by all RPCs that answer. What opens something has to be in the logs of each that has the block; a
 * preimage proves itself, so that one of them is enough for it (facts/faults.md 36).
 */
export function createLogs(chainId: number, sources: Sources, tips: Tips) {
  let doubt: { readonly sentence: string; readonly until: number } | null = null;

  /** One piece after the other, smaller where the RPC does not give so much at once. */
  async function logsOf(source: Source, { htlc, from, to }: Range): Promise<readonly LockEvent[]> {
    const events: LockEvent[] = [];
    let patience = mostLate;
    for (let at = from; at <= to;) {
      const end = Math.min(to, at + source.span - 1);
      try {
        const answer = await sources.ask(source, 'eth_getLogs', {
          address: `0x${toHex(htlc)}`,
          fromBlock: `0x${at.toString(16)}`,
          toBlock: `0x${end.toString(16)}`,
          topics: [lockTopics],
        });
        if (!Array.isArray(answer)) throw new NoAnswer('not-it', 'it answered without a list of logs');
        for (const log of answer) {
          const event = lockEventOf(log);
          if (event !== null && sameBytes(event.htlc, htlc) && event.height >= at && event.height <= end)
            events.push(event);
        }
        if (end - at + 1 === source.span) source.span = Math.min(mostSpan, source.span + Math.ceil(source.span / 8));
        at = end + 1;
      } catch (cause) {
        const reason = cause instanceof PortFailure ? cause.cause : cause;
        const isLate = reason instanceof NoAnswer && reason.why === 'late' && patience-- > 0;
        if (end === at || !(isLate || mayBeTooMuch(reason))) throw asPruned(source, cause);
        source.span = Math.ceil((end - at + 1) / 2);
      }
    }
    return events;
  }

  function asPruned(source: Source, cause: unknown): unknown {
    if (!(cause instanceof RpcError) || !pruned.test(cause.words)) return cause;
    return evmFailure(
      'evm-pruned',
      'safe',
      `The EVM RPC ${source.name} does not keep logs of so long ago: give one that does for chain ${chainId}.`,
      cause,
    );
  }

  /** Whoever leaves out what others tell of buried blocks has lost it, or hides it: for a while nothing new is begun on that. */
  function judge(votes: Iterable<Vote>, voters: readonly Voter[]): void {
    const buried = Math.min(...voters.map(({ tip }) => tip)) - buriedBlocks;
    for (const { event, by } of votes)
      for (const { source, last } of voters)
        if (event.height <= Math.min(buried, last) && !by.has(source))
          doubt = {
            sentence: `The RPC ${source.name} of chain ${chainId} lacks a log of block ${event.height} that another one has: one of them has lost it, or lies.`,
            until: performance.now() + doubtMs,
          };
  }

  async function events({ htlc, from, to }: Range): Promise<readonly LockEvent[]> {
    if (to < from) return [];
    const answers = await sources.each(async (source) => {
      const { height } = await tips.of(source, to);
      const last = Math.min(height, to);
      return { last, tip: height, events: await logsOf(source, { htlc, from, to: last }) };
    });
    if (answers.every(({ answer }) => answer.last < to))
      throw evmFailure('evm-away', 'safe', `No RPC of chain ${chainId} that answers has come to block ${to} yet.`);
    const votes = new Map<string, Vote>();
    for (const { source, answer } of answers)
      for (const event of answer.events) {
        const vote = votes.get(placeOf(event)) ?? { event, by: new Set() };
        votes.set(placeOf(event), { event, by: vote.by.add(source) });
      }
    judge(
      votes.values(),
      answers.map(({ source, answer }) => ({ source, ...answer })),
    );
    return [...votes.values()]
      .filter(({ event, by }) => {
        const voters = answers.filter(({ answer }) => answer.last >= event.height);
        return by.size === voters.length || provesItself(event);
      })
      .map(({ event }) => event)
      .toSorted((a, b) => a.height - b.height || a.logIndex - b.logIndex);
  }

  return {
    events,
    disagreement: (): string | null => (doubt !== null && performance.now() < doubt.until ? doubt.sentence : null),
  };
}

function provesItself({ what, preimageHash }: LockEvent): boolean {
  return what.is === 'redeemed' && sameBytes(sha256Of(what.preimage), preimageHash);
}

function mayBeTooMuch(reason: unknown): boolean {
  return reason instanceof RpcError ? !reason.isBusy : reason instanceof NoAnswer && reason.why === 'not-it';
}

/** What a log is known by: two RPCs that tell of one place and not of the same event tell of two. */
function placeOf({ blockHash, txid, logIndex, key, what }: LockEvent): string {
  return `${blockHash}:${txid}:${logIndex}:${what.is}:${toHex(key)}`;
}
