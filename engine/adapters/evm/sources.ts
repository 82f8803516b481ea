import { otherNetwork } from '../../domain/chain.ts';
import { connectionFailure, PortFailure } from '../../domain/errors.ts';
import { enoughToAgree } from '../../legs/evm/agreement.ts';
import { leastSecondsFor } from '../../legs/evm/block-rate.ts';
import { evmFailure } from '../../legs/evm/failures.ts';
import type { ChosenBy } from '../../legs/evm/port.ts';
import { asCount, asBlock } from './read.ts';
import { type Source, type Identity, quiet, hand, handAside, unclear, sourceAt } from './source.ts';

/** All RPCs of one chain, in the order in which the owner named them. */
export interface Sources {
  readonly all: readonly Source[];
  /** Asks one of them. Rejects with a `PortFailure`, or with the `RpcError` that it answered. */
  ask(source: Source, method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** The same without leaving it alone or asking who it is: for what must be tried in any case. */
  hand(source: Source, method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** Asks one after the other until one answers. */
  first<T>(read: (source: Source) => Promise<T>): Promise<T>;
  /** The same until one gives an answer that is enough; the first answer where none is. */
  until<T>(read: (source: Source) => Promise<T>, enough: (answer: T) => boolean): Promise<T>;
  /** Asks all that are not left alone. Rejects where nobody answers. */
  each<T>(read: (source: Source) => Promise<T>): Promise<readonly Answered<T>[]>;
  /** What more than half of those say who answer; null where they are not of one mind. */
  common<T>(read: (source: Source) => Promise<T>): Promise<T | null>;
  /** What those say who must agree (facts/faults.md 36). With a single RPC its word counts. */
  agreed<T>(read: (source: Source) => Promise<T>): Promise<T>;
  identity(): Promise<Identity>;
  /** The same, for a contract that strangers chose: `ask` asks in places of its own, and says nothing about an RPC. */
  aside(by: ChosenBy): Sources;
  /** Whether its last block is some blocks, and a minute, behind those of others. */
  lags(source: Source): boolean;
}

export interface Answered<T> {
  readonly source: Source;
  readonly answer: T;
}

/** Seconds, and blocks, by which an RPC may trail the others before it is asked last. */
const lag = { seconds: 60, blocks: 10 };

/** Who is asked, and what is known of them. */
interface Asking {
  readonly chainId: number;
  // What stands behind the host is left out of sentences: providers put the key of an account there.
  readonly all: Source[];
  genesis: string | null;
}

/** `boundTo`: the first block of the chain that open swaps are on, null for none. */
export function createSources(chainId: number, urls: readonly string[], boundTo: string | null): Sources {
  const hosts = urls.map((url) => new URL(url).host);
  // What stands behind the host is left out of sentences: providers put the key of an account there.
  const all = urls.map((url, i) =>
    sourceAt(
      url,
      hosts.filter((host) => host === hosts[i]).length > 1 ? `${hosts[i]} (entry ${i + 1})` : `${hosts[i]}`,
    ),
  );
  const own: Asking = { chainId, all, genesis: boundTo };

  /** Who is meant is settled: another one is left out, and keeps nobody from the others. */
  let isBound = boundTo !== null;

  const sources: Sources = {
    all,
    lags: (source) => lags(own, source),
    ask: (source: Source, method: string, ...params: readonly unknown[]) => ask(own, source, method, ...params),
    hand,
    first: <T>(read: (source: Source) => Promise<T>) => first(own, read),
    until: <T>(read: (source: Source) => Promise<T>, enough: (answer: T) => boolean) => until(own, read, enough),
    async each(read) {
      const { answers, failures } = await every(own, read);
      if (answers.length === 0) throw together(own, failures);
      return answers;
    },
    async common(read) {
      const { answers, failures } = await every(own, read);
      if (answers.length === 0) throw together(own, failures);
      const texts = answers.map(({ answer }) => textOf(answer));
      const most = answers.find(
        ({ answer }) => 2 * texts.filter((text) => text === textOf(answer)).length > texts.length,
      );
      return most === undefined ? null : most.answer;
    },
    async agreed(read) {
      if (all.length === 1) return first(own, read);
      const { answers, failures } = await every(own, read);
      for (const { answer } of answers) {
        const same = answers.filter((other) => textOf(other.answer) === textOf(answer));
        if (
          enoughToAgree(
            all,
            same.map(({ source }) => source),
          )
        )
          return answer;
      }
      if (new Set(answers.map(({ answer }) => textOf(answer))).size > 1)
        throw evmFailure(
          'evm-disagreement',
          'safe',
          `The RPCs of chain ${chainId} (${answers.map(({ source }) => source.name).join(', ')}) do not say the same.`,
        );
      throw evmFailure(
        'evm-away',
        'safe',
        `This needs the word of ${all.some(({ own }) => own) ? 'your own RPC and another one' : 'two RPCs'} of ` +
          `chain ${chainId}, and not enough of them answer. ${together(own, failures).message}`,
      );
    },
    async identity() {
      // Each of the others is asked before its word counts: nobody waits for one that hangs.
      if (isBound) return quickest(own, (source) => judge(own, source));
      const { answers, failures } = await every(own, (source) => judge(own, source));
      // Nobody is bound to either of two chains: the owner says which one is meant.
      const other = failures.find(({ code }) => code === 'evm-disagreement');
      if (other !== undefined) throw other;
      const [one] = answers;
      if (one === undefined) throw together(own, failures);
      isBound = true;
      return one.answer;
    },
    aside: (by) => ({ ...sources, ask: (...question) => askAside(own, by, ...question) }),
  };
  return sources;
}

/** An RPC that was silent may be another one when it is back: who it is, is asked again. */
async function judge(own: Asking, source: Source): Promise<Identity> {
  const { chainId } = own;
  const theirs = asCount(await hand(source, 'eth_chainId'), 'a chain id');
  if (theirs !== chainId)
    throw quiet(
      source,
      connectionFailure(
        'other-network',
        otherNetwork(`The EVM RPC ${source.name}`, `chain ${theirs}`, `chain ${chainId}`),
      ),
      false,
    );
  const { hash } = asBlock(await hand(source, 'eth_getBlockByNumber', '0x0', false));
  own.genesis ??= hash;
  if (hash !== own.genesis)
    throw quiet(
      source,
      evmFailure(
        'evm-disagreement',
        'safe',
        `The EVM RPC ${source.name} begins chain ${chainId} with the block ${hash.slice(0, 16)}... and another ` +
          `one with ${own.genesis.slice(0, 16)}...: one of them is on a chain of its own, remove it.`,
      ),
      false,
    );
  source.genuine = true;
  return { chainId, genesis: hash };
}

async function ask(own: Asking, source: Source, method: string, ...params: readonly unknown[]): Promise<unknown> {
  if (!source.genuine) await judge(own, source);
  return hand(source, method, ...params);
}

/** However many wait with such a question, who it is, is asked once. */
async function askAside(
  own: Asking,
  by: ChosenBy,
  source: Source,
  method: string,
  ...params: readonly unknown[]
): Promise<unknown> {
  if (!source.genuine)
    await (source.judging ??= judge(own, source).finally(() => {
      source.judging = null;
    }));
  return handAside(source, by, method, ...params);
}

/** Those that answer and are in step first. One that wants fewer questions is not asked before its rest is over. */
function inOrder(own: Asking): readonly Source[] {
  const { all } = own;
  const now = performance.now();
  const awake = all.filter((source) => source.restsUntil <= now && !source.onTrial);
  const sorted = [...awake.filter((source) => !lags(own, source)), ...awake.filter((source) => lags(own, source))];
  return sorted.length > 0 ? sorted : all.filter((source) => !source.busy);
}

/**
 * One that dates its block ahead is not asked before the others, nor counts alone for it: of three the second date is
 * the newest, of two none is later than now (facts/faults.md 321).
 */
function lags({ chainId, all }: Asking, { tip, dated }: Source): boolean {
  const dates = all.flatMap((one) => (one.tip === null || one.failure !== null ? [] : one.dated));
  const [first = 0, second = first] = dates.toSorted((a, b) => b - a);
  const newest = dates.length > 2 ? second : first;
  return tip !== null && dated < newest - Math.max(lag.seconds, leastSecondsFor(chainId, lag.blocks));
}

async function until<T>(own: Asking, read: (source: Source) => Promise<T>, enough: (answer: T) => boolean): Promise<T> {
  const failures: PortFailure[] = [];
  const answers: T[] = [];
  for (const source of inOrder(own)) {
    try {
      const answer = await read(source);
      if (enough(answer)) return answer;
      answers.push(answer);
    } catch (cause) {
      failures.push(unclear(source, cause));
    }
  }
  const [one] = answers;
  if (one === undefined) throw together(own, failures);
  return one;
}

async function first<T>(own: Asking, read: (source: Source) => Promise<T>): Promise<T> {
  return until(own, read, () => true);
}

/** By whoever answers first; all are asked. */
async function quickest<T>(own: Asking, read: (source: Source) => Promise<T>): Promise<T> {
  const answers = inOrder(own).map((source) =>
    read(source).catch((cause: unknown) => {
      throw unclear(source, cause);
    }),
  );
  try {
    return await Promise.any(answers);
  } catch (cause) {
    const all: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
    const failures = all.filter((one) => one instanceof PortFailure);
    if (failures.length < all.length) throw cause;
    throw together(own, failures);
  }
}

async function every<T>(
  own: Asking,
  read: (source: Source) => Promise<T>,
): Promise<{
  answers: readonly Answered<T>[];
  failures: readonly PortFailure[];
}> {
  const sources = inOrder(own);
  const results = await Promise.allSettled(sources.map(read));
  const answers: Answered<T>[] = [];
  const failures: PortFailure[] = [];
  for (const [i, source] of sources.entries()) {
    const result = results[i];
    if (result?.status === 'fulfilled') answers.push({ source, answer: result.value });
    else failures.push(unclear(source, result?.reason));
  }
  return { answers, failures };
}

function together({ chainId, all }: Asking, failures: readonly PortFailure[]): PortFailure {
  const [one] = failures;
  if (one === undefined) return all.find(({ failure }) => failure !== null)?.failure ?? nobody(chainId);
  return failures.length === 1 ? one : one.retold('safe', failures.map(({ message }) => message).join(' '));
}

function nobody(chainId: number): PortFailure {
  return evmFailure('evm-away', 'safe', `No RPC of chain ${chainId} answers.`);
}

/** Facts as text, to be compared to the byte. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? `${part}n` : part instanceof Uint8Array ? Array.from(part).join() : part,
  );
}
