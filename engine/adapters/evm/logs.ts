import { PortFailure } from '../../domain/errors.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { evmFailure } from '../../legs/evm/failures.ts';
import type { LockEvent, LogRange } from '../../legs/evm/port.ts';
import { contradictionIn, standingLogs } from '../../legs/evm/told-logs.ts';
import { NoAnswer, isTooLong } from '../probe/answer.ts';
import { lockEventOf, lockTopics } from './events.ts';
import { readInTurns } from './in-turns.ts';
import { RpcError } from './rpc.ts';
import type { Sources } from './sources.ts';
import { unclear, type Source } from './source.ts';
import type { Tips } from './heads.ts';

const mostSpan = 10_000;
/** How often one that gave nothing in time is asked for half as much. */
const mostLate = 3;

/** For how long a contradiction is remembered, in milliseconds. */
const doubtMs = 600_000;

/** The events of an HTLC, by each RPC alone and by all that answer. */
export function createLogs(chainId: number, sources: Sources, tips: Tips) {
  let doubt: { readonly sentence: string; readonly until: number } | null = null;

  /** One piece after the other, smaller where the RPC does not give so much at once. */
  async function logsOf(
    source: Source,
    { htlc, from, to }: LogRange,
    wanted: (event: LockEvent) => boolean = () => true,
  ): Promise<readonly LockEvent[]> {
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
        for (const event of await readInTurns(answer, lockEventOf))
          if (sameBytes(event.htlc, htlc) && event.height >= at && event.height <= end && wanted(event))
            events.push(event);
        if (end - at + 1 === source.span) source.span = Math.min(mostSpan, source.span + Math.ceil(source.span / 8));
        at = end + 1;
      } catch (cause) {
        const reason = cause instanceof PortFailure ? cause.cause : cause;
        const timedOut = reason instanceof NoAnswer && reason.why === 'late' && patience-- > 0;
        if (end === at || !(timedOut || mayBeTooMuch(reason))) throw asPruned(source, cause);
        source.span = Math.ceil((end - at + 1) / 2);
      }
    }
    return events;
  }

  function asPruned(source: Source, cause: unknown): unknown {
    if (!(cause instanceof RpcError) || !cause.isPruned) return cause;
    return evmFailure(
      'evm-pruned',
      'safe',
      `The EVM RPC ${source.name} does not keep logs of so long ago: give one that does for chain ${chainId}.`,
      cause,
    );
  }

  /**
   * Whoever contradicts others on buried blocks has lost something, or hides it: for a while nothing new is begun on
   * that.
   */
  function contradiction(sentence: string): void {
    doubt = { sentence: `Chain ${chainId}: ${sentence}`, until: performance.now() + doubtMs };
  }

  async function events({ htlc, from, to }: LogRange): Promise<readonly LockEvent[]> {
    if (to < from) return [];
    const answers = await sources.each(async (source) => {
      const { height } = await tips.of(source, to);
      const last = Math.min(height, to);
      return { last, tip: height, events: await logsOf(source, { htlc, from, to: last }) };
    });
    if (answers.every(({ answer }) => answer.last < to))
      throw evmFailure('evm-away', 'safe', `No RPC of chain ${chainId} that answers has come to block ${to} yet.`);
    const words = answers.map(({ source: { name, own }, answer }) => {
      return { name, own, counts: true, from, to: answer.last, events: answer.events };
    });
    const standing = standingLogs(words);
    const sentence = contradictionIn(standing, Math.min(...answers.map(({ answer }) => answer.tip)));
    if (sentence !== null) contradiction(sentence);
    return standing.events;
  }

  return {
    /** By one RPC. Rejects with a `PortFailure`. */
    async of(source: Source, range: LogRange, wanted?: (event: LockEvent) => boolean): Promise<readonly LockEvent[]> {
      try {
        return await logsOf(source, range, wanted);
      } catch (cause) {
        throw unclear(source, cause);
      }
    },
    events,
    contradiction,
    disagreement: (): string | null => (doubt !== null && performance.now() < doubt.until ? doubt.sentence : null),
  };
}

function mayBeTooMuch(reason: unknown): boolean {
  return reason instanceof RpcError
    ? !reason.isBusy
    : isTooLong(reason) || (reason instanceof NoAnswer && reason.why === 'not-it');
}
