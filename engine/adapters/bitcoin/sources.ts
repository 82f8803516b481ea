import { coinsByScript } from '../../domain/by-script.ts';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import { PortFailure } from '../../domain/errors.ts';
import { sameBytes } from '../../domain/hash.ts';
import { outpointKey, type Outpoint, type Txid } from '../../domain/outpoint.ts';
import type {
  BitcoinPort,
  BroadcastAnswer,
  ChainCoin,
  ChainSpend,
  ChainTx,
  ChooseCoins,
  PaidScript,
  ScriptPayments,
} from '../../legs/onchain/port.ts';
import { readRawTx } from '../../legs/raw-tx.ts';
import type { ChainSource } from './chain-source.ts';
import { confirmations } from './confirm.ts';
import { headerChain } from './header-chain.ts';
import {
  authorityOf,
  judgeGenesis,
  settled,
  stateOf,
  together,
  type Source,
  type SourceState,
} from './source-state.ts';
import { agreeOnTip } from './tips.ts';
import { type Asking, ready, inOrder, search, fromAll, fromSole, handOver, judgedAmong } from './ask-sources.ts';

const none: ScriptPayments = { payments: [], over: true };

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
  const confirm = confirmations({
    chain,
    authority,
    ready: (state: SourceState) => ready({ network, states }, state),
    caught: tips.caught,
  });
  const own: Asking = { network, states, authority, others, sole, confirm };

  return {
    async genesis() {
      const failures: PortFailure[] = [];
      for (const state of inOrder(own)) {
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
      const fitting = await search<ChainTx>(own, async (state) => {
        const tx = await (await ready(own, state)).transaction(txid);
        if (tx === null || (state.source.kind !== 'node' && confirm.read(state, txid, tx.bytes) === null)) return null;
        const height = await confirm.height(state, txid, tx.height);
        const value = { bytes: tx.bytes, height };
        if (fits(tx.bytes)) return { value, certain: state === sole || height !== null };
        other ??= value;
        return null;
      });
      return fitting ?? other;
    },
    glance: (txid) => glanceOf(own, txid),
    coins: (scripts, since, choose) =>
      fromSole(
        own,
        async (state) => (await ready(own, state)).coins(scripts, since),
        (among) => coinsOfAll(own, among, scripts, since, choose),
      ),
    // Of all that answer: whose a transaction is its bytes say, and one that is made up costs a question.
    async payments(script, since, search) {
      const { answers, failures } = await settled(
        states,
        async (state) => (await (await ready(own, state)).payments?.(script, since, search)) ?? none,
      );
      if (answers.length === 0) throw together(failures);
      return {
        payments: answers.flatMap(({ answer }) => answer.payments),
        over: answers.every(({ answer }) => answer.over),
      };
    },
    spend: (outpoint, fits, paid) => spendOf(own, outpoint, { fits, paid }),
    broadcast: (transaction) => sent(own, (port) => port.broadcast(transaction)),
    passOn: (transaction) => sent(own, (port) => port.passOn(transaction)),
    async broadcastPackage(...pair) {
      const answers = [...handOver(own, (port) => port.broadcastPackage(...pair))];
      const [parent, child] = (['parent', 'child'] as const).map((part) =>
        judgedAmong(own, new Map(answers.map(([state, answer]) => [state, answer.then((both) => both[part])]))),
      ) as [Promise<BroadcastAnswer>, Promise<BroadcastAnswer>];
      const [ofParent, ofChild] = await Promise.all([parent, child]);
      return { parent: ofParent, child: ofChild };
    },
    feeRate: (blocks) =>
      fromSole(
        own,
        async (state) => (await ready(own, state)).feeRate(blocks),
        async (among) => middleOf(await rates(own, among, blocks)) ?? 1,
      ),
    /**
     * The first who can tell: what it says is held against a second estimate, and against what becomes of the
     * transactions that go by it.
     */
    blockRates: async (count) =>
      (await search(own, async (state) => {
        const value = (await (await ready(own, state)).blockRates?.(count)) ?? [];
        return value.length === 0 ? null : { value, certain: true };
      })) ?? [],
    async secondFeeRate(blocks) {
      try {
        if (sole !== undefined) return others.length === 0 ? null : middleOf(await rates(own, others, blocks));
        const feeRates = await rates(own, states, blocks);
        return feeRates[middle(feeRates) + 1] ?? null;
      } catch (cause) {
        if (cause instanceof PortFailure) return null;
        throw cause;
      }
    },
  };
}

/** Without what remembers transactions: strangers' would take the place of ours. */
function glanceOf(own: Asking, txid: Txid): Promise<ChainTx | null> {
  return search<ChainTx>(own, async (state) => {
    const tx = await (await ready(own, state)).glance(txid);
    if (tx === null || (state.source.kind !== 'node' && readRawTx(tx.bytes)?.txid !== txid)) return null;
    const height = await own.confirm.height(state, txid, tx.height);
    return { value: { bytes: tx.bytes, height }, certain: state === own.sole || height !== null };
  });
}

function sent(own: Asking, send: (port: ChainSource) => Promise<BroadcastAnswer>): Promise<BroadcastAnswer> {
  return judgedAmong(own, handOver(own, send));
}

/** A coin counts with the bytes that made it, and is confirmed as they are. */
async function checkedCoin({ confirm }: Asking, state: SourceState, coin: ChainCoin): Promise<ChainCoin | null> {
  const made = await confirm.output(state, coin.outpoint);
  if (made === null || made.amount !== coin.amount || !sameBytes(made.script, coin.script)) return null;
  return { ...coin, height: await confirm.height(state, coin.outpoint.txid, coin.height) };
}

async function coinsOfAll(
  own: Asking,
  among: readonly SourceState[],
  scripts: readonly Uint8Array[],
  since?: number,
  choose?: ChooseCoins,
): Promise<ChainCoin[]> {
  const coins = new Map<string, ChainCoin>();
  const lists = await fromAll(among, async (state) => {
    const listed = await (await ready(own, state)).coins(scripts, since);
    const checked: ChainCoin[] = [];
    for (const coin of choose === undefined ? listed : chosenOfEach(listed, choose)) {
      const good = await checkedCoin(own, state, coin);
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

/** From the lowest up. */
async function rates(own: Asking, among: readonly SourceState[], blocks: number): Promise<number[]> {
  return (await fromAll(among, async (state) => (await ready(own, state)).feeRate(blocks)))
    .map(({ answer }) => answer)
    .sort((a, b) => a - b);
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

async function spendOf(
  own: Asking,
  outpoint: Outpoint,
  {
    fits,
    paid,
  }: { readonly fits: ((bytes: Uint8Array) => boolean) | undefined; readonly paid: PaidScript | undefined },
): Promise<ChainSpend | null> {
  const { confirm, sole } = own;
  let other: ChainSpend | null = null;
  const fitting = await search<ChainSpend>(own, async (state) => {
    const port = await ready(own, state);
    const spend = await port.spend(outpoint, fits, paid);
    if (spend === null || !(await confirm.spends(state, spend.txid, outpoint))) return null;
    const height = await confirm.height(state, spend.txid, spend.height);
    const value = { txid: spend.txid, height };
    if (state === sole || height !== null) return { value, certain: true };
    if (fits === undefined) return { value, certain: false };
    // One that was shown before and is shown no more could keep a refund waiting for ever (facts/faults.md 49).
    const bytes = (await port.transaction(spend.txid))?.bytes;
    if (bytes === undefined) return null;
    if (fits(bytes)) return { value: { ...value, fits: true }, certain: false };
    other ??= { ...value, fits: false };
    return null;
  });
  return fitting ?? other;
}
