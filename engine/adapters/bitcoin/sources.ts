import { coinsByScript } from '../../domain/by-script.ts';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import { PortFailure } from '../../domain/errors.ts';
import { sameBytes } from '../../domain/hash.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import type {
  BitcoinPort,
  BroadcastAnswer,
  ChainCoin,
  ChainSpend,
  ChainTx,
  ChooseCoins,
} from '../../legs/onchain/port.ts';
import type { ChainSource } from './chain-source.ts';
import { confirmations } from './confirm.ts';
import { headerChain } from './header-chain.ts';
import {
  askTip,
  authorityOf,
  judgeGenesis,
  settled,
  stateOf,
  together,
  type Source,
  type SourceState,
} from './source-state.ts';
import { agreeOnTip } from './tips.ts';

/** How old, in milliseconds, a source's tip may be before it is read again ahead of another question. */
const tipAgeMs = 2_000;
/** One that gave no answer is left alone for this long, in milliseconds, where there are others. */
const restMs = 3_000;

/**
 * One chain from several sources. Nobody is believed because he answered first: a tip counts with the work of its
 * headers, a spend with the spender's bytes, and a confirmation with the word of those who decide, or with a proof
 * against their chain. What only others say is seen and not confirmed, so that it can start a claim and end none
 * (facts/faults.md 36, 49).
 */
export function bitcoinSources(network: BitcoinNetwork, sources: readonly Source[], wall: () => number): BitcoinPort {
  const states = sources.map(stateOf);
  const deciding = new Set(authorityOf(sources));
  const authority = states.filter(({ source }) => deciding.has(source));
  const others = states.filter((state) => !authority.includes(state));
  const sole = authority.length === 1 ? authority[0] : undefined;
  const chain = headerChain(network);
  const tips = agreeOnTip({ network, chain, states, authority, wall });
  const confirm = confirmations({ chain, authority, ready, caught: tips.caught });

  async function ready(state: SourceState): Promise<ChainSource> {
    const { failure, quietSince, readAt } = state;
    if (failure !== null && quietSince !== null && states.length > 1 && performance.now() - quietSince < restMs)
      throw failure;
    if (readAt === null || quietSince !== null || performance.now() - readAt > tipAgeMs) await askTip(state, network);
    return state.source.port;
  }

  /** Those who decide first, and whoever is silent or not believed last. */
  function inOrder(): readonly SourceState[] {
    const late = (state: SourceState): boolean => state.quietSince !== null || state.unbelieved !== null;
    const all = [...authority, ...others];
    return [...all.filter((state) => !late(state)), ...all.filter(late)];
  }

  /**
   * Asks one after the other until one finds something for certain; what was only seen is kept for the end. Rejects
   * when nobody answered at all.
   */
  async function search<T>(
    ask: (state: SourceState) => Promise<{ value: T; certain: boolean } | null>,
  ): Promise<T | null> {
    const failures: PortFailure[] = [];
    let seen: T | null = null;
    for (const state of inOrder()) {
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
  async function fromAll<T>(
    among: readonly SourceState[],
    ask: (state: SourceState) => Promise<T>,
  ): Promise<{ state: SourceState; answer: T }[]> {
    const { answers, failures } = await settled(among, ask);
    if (answers.length === 0) throw together(failures);
    return answers;
  }

  /** The only one that decides, where it answers; else what the others say together. */
  async function fromSole<T>(
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

  /** A coin counts with the bytes that made it, and is confirmed as they are. */
  async function checkedCoin(state: SourceState, coin: ChainCoin): Promise<ChainCoin | null> {
    const made = await confirm.output(state, coin.outpoint);
    if (made === null || made.amount !== coin.amount || !sameBytes(made.script, coin.script)) return null;
    return { ...coin, height: await confirm.height(state, coin.outpoint.txid, coin.height) };
  }

  async function coinsOfAll(
    among: readonly SourceState[],
    scripts: readonly Uint8Array[],
    since?: number,
    choose?: ChooseCoins,
  ): Promise<ChainCoin[]> {
    const coins = new Map<string, ChainCoin>();
    const lists = await fromAll(among, async (state) => {
      const listed = await (await ready(state)).coins(scripts, since);
      const checked: ChainCoin[] = [];
      for (const coin of choose === undefined ? listed : chosenOfEach(listed, choose)) {
        const good = await checkedCoin(state, coin);
        if (good !== null) checked.push(good);
      }
      return checked;
    });
    for (const coin of lists.flatMap(({ answer }) => answer)) {
      const key = outpointKey(coin.outpoint);
      if ((coins.get(key)?.height ?? null) === null) coins.set(key, coin);
    }
    return [...coins.values()];
  }

  /** Whatever the sources disagree on: what is to be sent is handed to all of them. */
  function handOver<T>(send: (port: ChainSource) => Promise<T>): ReadonlyMap<SourceState, Promise<T>> {
    const handTo = async (state: SourceState): Promise<T> => {
      if (!state.genuine) await judgeGenesis(state, network);
      return send(state.source.port);
    };
    return new Map(states.map((state) => [state, handTo(state)]));
  }

  async function judgedAmong(answers: ReadonlyMap<SourceState, Promise<BroadcastAnswer>>): Promise<BroadcastAnswer> {
    // One that nobody waits for may fail unheard.
    for (const answer of answers.values()) answer.catch(() => undefined);
    const of = (state: SourceState): Promise<BroadcastAnswer> => {
      const answer = answers.get(state);
      if (answer === undefined) throw new Error('a source was handed nothing');
      return answer;
    };
    return fromSole(
      async (state) => {
        const answer = await of(state);
        return answer.is === 'refused' &&
          (await mayHaveIt([...answers].flatMap(([other, word]) => (other === state ? [] : [word]))))
          ? { is: 'later', reason: answer.reason }
          : answer;
      },
      async (among) => judged((await fromAll(among, of)).map(({ answer }) => answer)),
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
  function judged(answers: readonly BroadcastAnswer[]): BroadcastAnswer {
    const of = (is: BroadcastAnswer['is']): BroadcastAnswer | undefined => answers.find((answer) => answer.is === is);
    const refused = of('refused');
    const answer = of('accepted') ?? of('later') ?? of('spent') ?? refused;
    if (answer === undefined) throw new Error('there was no answer to judge');
    return answer.is === 'refused' && answers.length < states.length ? { is: 'later', reason: answer.reason } : answer;
  }

  /** From the lowest up. */
  async function rates(among: readonly SourceState[], blocks: number): Promise<number[]> {
    return (await fromAll(among, async (state) => (await ready(state)).feeRate(blocks)))
      .map(({ answer }) => answer)
      .sort((a, b) => a - b);
  }

  return {
    async genesis() {
      const failures: PortFailure[] = [];
      for (const state of inOrder()) {
        try {
          return await judgeGenesis(state, network);
        } catch (cause) {
          if (!(cause instanceof PortFailure)) throw cause;
          failures.push(cause);
        }
      }
      throw together(failures);
    },
    tip: () => tips.tip(),
    disagreement: () => tips.disagreement(),
    async transaction(txid, fits = () => true) {
      let other: ChainTx | null = null;
      const fitting = await search<ChainTx>(async (state) => {
        const tx = await (await ready(state)).transaction(txid);
        if (tx === null || (state.source.kind !== 'node' && confirm.read(state, txid, tx.bytes) === null)) return null;
        const height = await confirm.height(state, txid, tx.height);
        const value = { bytes: tx.bytes, height };
        if (fits(tx.bytes)) return { value, certain: state === sole || height !== null };
        other ??= value;
        return null;
      });
      return fitting ?? other;
    },
    coins: (scripts, since, choose) =>
      fromSole(
        async (state) => (await ready(state)).coins(scripts, since),
        (among) => coinsOfAll(among, scripts, since, choose),
      ),
    async spend(outpoint, fits) {
      let other: ChainSpend | null = null;
      const fitting = await search<ChainSpend>(async (state) => {
        const port = await ready(state);
        const spend = await port.spend(outpoint);
        if (spend === null || !(await confirm.spends(state, spend.txid, outpoint))) return null;
        const height = await confirm.height(state, spend.txid, spend.height);
        const value = { txid: spend.txid, height };
        if (state === sole || height !== null) return { value, certain: true };
        if (fits === undefined) return { value, certain: false };
        // One that was shown before and is shown no more could keep a refund waiting for ever (facts/faults.md 49).
        const bytes = (await port.transaction(spend.txid))?.bytes;
        if (bytes === undefined) return null;
        if (fits(bytes)) return { value, certain: false };
        other ??= value;
        return null;
      });
      return fitting ?? other;
    },
    broadcast: (transaction) => judgedAmong(handOver((port) => port.broadcast(transaction))),
    async broadcastPackage(...pair) {
      const answers = [...handOver((port) => port.broadcastPackage(...pair))];
      const [parent, child] = (['parent', 'child'] as const).map((part) =>
        judgedAmong(new Map(answers.map(([state, answer]) => [state, answer.then((both) => both[part])]))),
      ) as [Promise<BroadcastAnswer>, Promise<BroadcastAnswer>];
      const [ofParent, ofChild] = await Promise.all([parent, child]);
      return { parent: ofParent, child: ofChild };
    },
    feeRate: (blocks) =>
      fromSole(
        async (state) => (await ready(state)).feeRate(blocks),
        async (among) => middleOf(await rates(among, blocks)) ?? 1,
      ),
    /**
     * The first who can tell: what it says is held against a second estimate, and against what becomes of the
     * transactions that go by it.
     */
    blockRates: async (count) =>
      (await search(async (state) => {
        const value = (await (await ready(state)).blockRates?.(count)) ?? [];
        return value.length === 0 ? null : { value, certain: true };
      })) ?? [],
    async secondFeeRate(blocks) {
      try {
        if (sole !== undefined) return others.length === 0 ? null : middleOf(await rates(others, blocks));
        const feeRates = await rates(states, blocks);
        return feeRates[middle(feeRates) + 1] ?? null;
      } catch (cause) {
        if (cause instanceof PortFailure) return null;
        throw cause;
      }
    },
  };
}

/**
 * Each that is listed is asked after: a stranger's dust would make a look as long as there is dust (facts/faults.md
 * 89).
 */
function chosenOfEach(coins: readonly ChainCoin[], choose: ChooseCoins): readonly ChainCoin[] {
  return [...coinsByScript(coins).values()].flatMap((ofScript) => choose(ofScript));
}

/** The lower one of two: what is too low is raised while it waits, what is too high is gone. */
function middle(rates: readonly number[]): number {
  return Math.floor((rates.length - 1) / 2);
}

function middleOf(rates: readonly number[]): number | null {
  return rates[middle(rates)] ?? null;
}
