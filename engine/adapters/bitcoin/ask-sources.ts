import type { BitcoinNetwork } from '../../domain/chain.ts';
import { PortFailure } from '../../domain/errors.ts';
import type { BroadcastAnswer } from '../../legs/onchain/port.ts';
import type { ChainSource } from './chain-source.ts';
import { type confirmations } from './confirm.ts';
import { askTip, judgeGenesis, settled, together, type SourceState } from './source-state.ts';

/** How old, in milliseconds, a source's tip may be before it is read again ahead of another question. */
const tipAgeMs = 2_000;

/** One that gave no answer is left alone for this long, in milliseconds, where there are others. */
const restMs = 3_000;

/** Who is asked, and by whose word. */
export interface Asking {
  readonly network: BitcoinNetwork;
  readonly states: SourceState[];
  readonly authority: SourceState[];
  readonly others: SourceState[];
  readonly sole: SourceState | undefined;
  readonly confirm: ReturnType<typeof confirmations>;
}

export async function ready(
  { network, states }: Pick<Asking, 'network' | 'states'>,
  state: SourceState,
): Promise<ChainSource> {
  const { failure, quietSince, readAt } = state;
  if (failure !== null && quietSince !== null && states.length > 1 && performance.now() - quietSince < restMs)
    throw failure;
  if (readAt === null || quietSince !== null || performance.now() - readAt > tipAgeMs) await askTip(state, network);
  return state.source.port;
}

/** Those who decide first, and whoever is silent or not believed last. */
export function inOrder({ authority, others }: Asking): readonly SourceState[] {
  const late = (state: SourceState): boolean => state.quietSince !== null || state.unbelieved !== null;
  const all = [...authority, ...others];
  return [...all.filter((state) => !late(state)), ...all.filter(late)];
}

/**
 * Asks one after the other until one finds something for certain; what was only seen is kept for the end. Rejects
 * when nobody answered at all.
 */
export async function search<T>(
  own: Asking,
  ask: (state: SourceState) => Promise<{ value: T; certain: boolean } | null>,
): Promise<T | null> {
  const { states } = own;
  const failures: PortFailure[] = [];
  let seen: T | null = null;
  for (const state of inOrder(own)) {
    try {
      const answer = await ask(state);
      if (answer?.certain === true) return answer.value;
      seen ??= answer?.value ?? null;
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      failures.push(cause);
    }
  }
  if (seen === null && failures.length === states.length) throw together(failures);
  return seen;
}

/** From all who answer, of those that were silent only where no other did. */
export async function fromAll<T>(
  among: readonly SourceState[],
  ask: (state: SourceState) => Promise<T>,
): Promise<{ state: SourceState; answer: T }[]> {
  const { answers, failures } = await settled(among, ask);
  if (answers.length === 0) throw together(failures);
  return answers;
}

/** The only one that decides, where it answers; else what the others say together. */
export async function fromSole<T>(
  { states, others, sole }: Asking,
  ask: (state: SourceState) => Promise<T>,
  otherwise: (among: readonly SourceState[]) => Promise<T>,
): Promise<T> {
  if (sole === undefined) return otherwise(states);
  try {
    return await ask(sole);
  } catch (cause) {
    if (!(cause instanceof PortFailure) || others.length === 0) throw cause;
    return otherwise(others).catch((other: unknown) => {
      throw other instanceof PortFailure ? together([cause, other]) : other;
    });
  }
}

/** Whatever the sources disagree on: what is to be sent is handed to all of them. */
export function handOver<T>(
  { network, states }: Asking,
  send: (port: ChainSource) => Promise<T>,
): ReadonlyMap<SourceState, Promise<T>> {
  const handTo = async (state: SourceState): Promise<T> => {
    if (!state.genuine) await judgeGenesis(state, network);
    return send(state.source.port);
  };
  return new Map(states.map((state) => [state, handTo(state)]));
}

export async function judgedAmong(
  own: Asking,
  answers: ReadonlyMap<SourceState, Promise<BroadcastAnswer>>,
): Promise<BroadcastAnswer> {
  // One that nobody waits for may fail unheard.
  for (const answer of answers.values()) answer.catch(() => undefined);
  const of = (state: SourceState): Promise<BroadcastAnswer> => {
    const answer = answers.get(state);
    if (answer === undefined) throw new Error('a source was handed nothing');
    return answer;
  };
  return fromSole(
    own,
    async (state) => {
      const answer = await of(state);
      return answer.is === 'refused' &&
        (await mayHaveIt([...answers].flatMap(([other, word]) => (other === state ? [] : [word]))))
        ? { is: 'later', reason: answer.reason }
        : answer;
    },
    async (among) =>
      judged(
        own,
        (await fromAll(among, of)).map(({ answer }) => answer),
      ),
  );
}

/**
 * Whoever took it, or was handed it and gave no answer, may pass it on: what they refuse who decide can still be
 * mined.
 */
async function mayHaveIt(words: readonly Promise<BroadcastAnswer>[]): Promise<boolean> {
  const settled = await Promise.allSettled(words);
  return settled.some((word) =>
    word.status === 'fulfilled'
      ? word.value.is === 'accepted'
      : word.reason instanceof PortFailure && word.reason.retry === 'ask-first',
  );
}

/** Of several answers the one that a liar among them does least harm with: a final no is everybody's or nobody's. */
function judged({ states }: Asking, answers: readonly BroadcastAnswer[]): BroadcastAnswer {
  const of = (is: BroadcastAnswer['is']): BroadcastAnswer | undefined => answers.find((answer) => answer.is === is);
  const refused = of('refused');
  const later = answers.find((one) => one.is === 'later' && one.dear !== true);
  const answer = of('accepted') ?? later ?? of('spent') ?? of('later') ?? refused;
  if (answer === undefined) throw new Error('there was no answer to judge');
  return answer.is === 'refused' && answers.length < states.length ? { is: 'later', reason: answer.reason } : answer;
}
