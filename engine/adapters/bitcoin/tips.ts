import type { BitcoinNetwork } from '../../domain/chain.ts';
import { PortFailure } from '../../domain/errors.ts';
import { onchainFailure, failedOnchain } from '../../legs/onchain/failures.ts';
import { burialDepth } from '../../legs/onchain/depth.ts';
import type { ChainTip } from '../../legs/onchain/port.ts';
import type { HeaderChain, Placed } from './header-chain.ts';
import { askTip, capital, settled, together, type SourceState } from './source-state.ts';

/** A block's time may lie ahead of a node's clock by this many seconds (Bitcoin Core, MAX_FUTURE_BLOCK_TIME). */
const aheadOfWall = 7_200;
/** How often those are looked at that do not decide, and those that decide and are silent, in milliseconds. */
const lookEveryMs = { others: 10_000, silent: 2_000 } as const;
/** The owner's node may be away this long, in milliseconds, before nothing new is begun without it. */
const graceMs = 60_000;
/** What a source said wrong counts against it for this long, in milliseconds. */
const lieCountsMs = 600_000;
/** Blocks by which branches or heights differ in passing. */
const apart = 2;

interface Look {
  readonly state: SourceState;
  readonly tip: ChainTip;
}

export interface TipsOptions {
  readonly network: BitcoinNetwork;
  readonly chain: HeaderChain;
  readonly states: readonly SourceState[];
  readonly authority: readonly SourceState[];
  /** Unix seconds. */
  readonly wall: () => number;
}

/** What the sources agreed on, and how they are asked. */
interface Agreement {
  readonly network: TipsOptions['network'];
  readonly chain: TipsOptions['chain'];
  readonly authority: TipsOptions['authority'];
  readonly wall: TipsOptions['wall'];
  readonly sole: SourceState | undefined;
  readonly rest: SourceState[];
  readonly observed: Map<SourceState, number>;
  /** Who follows the chain that is known: one alone can have begun it on a lie. */
  supporters: Set<SourceState>;
  top: Placed | null;
  /** How often another chain than this one was told to be the chain. */
  era: number;
}

/**
 * Which tip is the chain's. The only one whose word counts is followed as long as it answers; of several the chain with
 * the most work is. Nobody's height is believed but what its headers link to (facts/faults.md 49).
 */
export function agreeOnTip({ network, chain, states, authority, wall }: TipsOptions) {
  const sole = authority.length === 1 ? authority[0] : undefined;
  const rest = states.filter((state) => !authority.includes(state));
  const own: Agreement = {
    network,
    chain,
    authority,
    wall,
    sole,
    rest,
    observed: new Map(),
    supporters: new Set(),
    top: null,
    era: 0,
  };

  let reading: Promise<ChainTip> | null = null;

  return {
    /** One reading at a time, for all that ask. */
    tip(): Promise<ChainTip> {
      reading ??= read(own).finally(() => {
        reading = null;
      });
      return reading;
    },
    /** A source said what was shown to be wrong. */
    caught(state: SourceState, sentence: string): void {
      state.lie = { sentence, at: performance.now() };
    },
    disagreement(): string | null {
      if (
        sole !== undefined &&
        rest.length > 0 &&
        sole.quietSince !== null &&
        performance.now() - sole.quietSince > graceMs
      ) {
        return `${capital(sole.source.name)} is away, and nothing new is begun on the word of the others alone: start it.`;
      }
      const doubt = states.map((state) => doubtOf(own, state)).find((sentence) => sentence !== null);
      return doubt === undefined
        ? null
        : `The Bitcoin sources disagree: ${doubt}. Find out which one is wrong and remove it.`;
    },
  };
}

function believe(own: Agreement, state: SourceState, placed: Placed): Placed {
  state.tip = placed;
  state.highest = Math.max(state.highest, placed.height);
  state.unbelieved = null;
  own.supporters.add(state);
  return placed;
}

function disbelieve(state: SourceState, cause: unknown): PortFailure {
  if (cause instanceof PortFailure && !failedOnchain(cause, 'bitcoin-unbelieved')) return cause;
  state.tip = null;
  state.unbelieved = cause instanceof Error ? cause.message : String(cause);
  return onchainFailure(
    'bitcoin-unbelieved',
    'safe',
    `${capital(state.source.name)} is not believed: ${state.unbelieved}.`,
    cause,
  );
}

async function follow(own: Agreement, { state, tip }: Look): Promise<Placed> {
  const { chain } = own;
  try {
    return believe(own, state, await chain.link(tip, state.source.port.headers));
  } catch (cause) {
    throw disbelieve(state, cause);
  }
}

async function beginWith(own: Agreement, { state, tip }: Look): Promise<void> {
  const { chain } = own;
  try {
    chain.begin(await chain.tail(tip, state.source.port.headers));
    own.supporters = new Set();
  } catch (cause) {
    throw disbelieve(state, cause);
  }
}

/** Its word counts: where it does not lead to what is known, that was learnt from others. */
async function followSole(own: Agreement, state: SourceState): Promise<Placed> {
  const { network, chain } = own;
  const look = { state, tip: await askTip(state, network) };
  if (!chain.empty) {
    try {
      return await follow(own, look);
    } catch (cause) {
      if (state.source.kind !== 'node' && own.supporters.has(state)) throw cause;
    }
  }
  await beginWith(own, look);
  return follow(own, look);
}

/** Of tips that do not lead to each other the one with the most work in its last blocks, and of equals the lowest. */
async function beginWithBest(own: Agreement, looks: readonly Look[]): Promise<void> {
  const { chain } = own;
  const tails = await settled(looks, async ({ state, tip }) => {
    try {
      return await chain.tail(tip, state.source.port.headers);
    } catch (cause) {
      throw disbelieve(state, cause);
    }
  });
  const [best] = tails.answers.toSorted(({ answer: a }, { answer: b }) =>
    a.work === b.work ? a.top - b.top : a.work > b.work ? -1 : 1,
  );
  if (best === undefined) throw together(tails.failures);
  if (chain.find(best.answer.headers[0]?.hash ?? '')?.height === best.answer.top) return;
  chain.begin(best.answer);
  own.supporters = new Set();
}

async function elect(own: Agreement, among: readonly SourceState[]): Promise<Placed> {
  const { network, chain, authority, wall } = own;
  const awake = among.filter(({ quietSince }) => quietSince === null);
  const ask = async (state: SourceState) => askTip(state, network);
  let outcome = await settled(awake.length > 0 ? awake : among, ask);
  if (awake.length > 0) {
    const quiet = among.filter((state) => !awake.includes(state));
    if (outcome.answers.length === 0 && quiet.length > 0) outcome = await settled(quiet, ask);
    else for (const state of quiet) observe(own, state, lookEveryMs.silent);
  }
  const looks = outcome.answers.map(({ state, answer }) => ({ state, tip: answer }));
  if (looks.length === 0) throw together(outcome.failures);
  if (chain.empty) await beginWithBest(own, looks);
  let linked = await settled(looks, (one) => follow(own, one));
  if (
    linked.failures.length > 0 &&
    looks.length > 1 &&
    own.supporters.size < 2 &&
    (among === authority || !authority.some((state) => own.supporters.has(state)))
  ) {
    await beginWithBest(own, looks);
    linked = await settled(looks, (one) => follow(own, one));
  }
  const plausible = (placed: Placed): boolean => placed.time <= wall() + aheadOfWall;
  const [best] = linked.answers
    .map(({ answer }) => answer)
    .sort((a, b) => (plausible(a) === plausible(b) ? compareWork(own, a, b) : plausible(a) ? -1 : 1));
  if (best === undefined) throw together([...linked.failures, ...outcome.failures]);
  return best;
}

/** Among equals the one that was followed already. */
function compareWork(own: Agreement, a: Placed, b: Placed): number {
  if (a.work !== b.work) return a.work > b.work ? -1 : 1;
  return a.hash === own.top?.hash ? -1 : b.hash === own.top?.hash ? 1 : 0;
}

/** Looks at one that does not decide, beside everything else: whoever differs shall be known. */
function observe(own: Agreement, state: SourceState, everyMs: number): void {
  const { network, observed } = own;
  if (performance.now() - (observed.get(state) ?? -everyMs) < everyMs) return;
  observed.set(state, performance.now());
  void (async () => follow(own, { state, tip: await askTip(state, network) }))().catch((cause: unknown) => {
    if (!(cause instanceof PortFailure)) throw cause;
  });
}

async function read(own: Agreement): Promise<ChainTip> {
  const { chain, authority, sole, rest } = own;
  try {
    if (sole === undefined) settle(own, await elect(own, authority));
    else settle(own, await followSole(own, sole), 'decided');
    for (const state of rest) observe(own, state, lookEveryMs.others);
  } catch (cause) {
    if (!(cause instanceof PortFailure) || rest.length === 0) throw cause;
    settle(
      own,
      await elect(own, rest).catch((other: unknown) => {
        throw other instanceof PortFailure ? together([cause, other]) : other;
      }),
    );
  }
  if (own.top === null) throw new Error('a tip was settled on, and there is none');
  return { ...chain.tipOf(own.top), ...(own.era === 0 ? {} : { era: own.era }) };
}

/**
 * What is no reorganisation of the tip before is another chain; one that only lags behind it is none, unless its word
 * decides.
 */
function settle(own: Agreement, next: Placed, how?: 'decided'): void {
  const { chain } = own;
  if (own.top !== null) {
    const fork = chain.find(own.top.hash)?.height === own.top.height ? chain.fork(own.top, next) : null;
    const lags = fork?.hash === next.hash && how === undefined;
    if (fork === null || (own.top.height - fork.height > burialDepth && !lags)) own.era += 1;
  }
  own.top = next;
}

function doubtOf(own: Agreement, state: SourceState): string | null {
  const { chain } = own;
  const { lie, unbelieved, tip, source } = state;
  if (lie !== null && performance.now() - lie.at < lieCountsMs) return `${capital(source.name)} ${lie.sentence}`;
  if (unbelieved !== null) return `${capital(source.name)} is not believed: ${unbelieved}`;
  if (tip === null || own.top === null || tip.hash === own.top.hash) return null;
  const fork = chain.fork(tip, own.top);
  if (fork === null || (tip.height - fork.height >= apart && own.top.height - fork.height >= apart))
    return `${capital(source.name)} is on another branch of the chain than the other sources`;
  return tip.height > own.top.height + apart
    ? `${capital(source.name)} has ${tip.height - own.top.height} blocks more than the Bitcoin source that counts`
    : null;
}
