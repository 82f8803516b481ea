import { isSignet, networkOfGenesis, otherNetwork, type BitcoinNetwork } from '../../domain/chain.ts';
import { PortFailure } from '../../domain/errors.ts';
import { onchainFailure } from '../../legs/onchain/failures.ts';
import type { ChainTip } from '../../legs/onchain/port.ts';
import type { ChainSource } from './chain-source.ts';
import type { Placed } from './header-chain.ts';

export interface Source {
  /** Kind and host, for sentences: `the Bitcoin node 127.0.0.1:8332`. */
  readonly name: string;
  /** `node` speaks Core's JSON-RPC and is the owner's, `own` is a server of the owner's, `public` anybody's. */
  readonly kind: 'node' | 'own' | 'public';
  readonly port: ChainSource;
}

/** What is remembered of one source, and of nobody else: what it says shall not speak for another one. */
export interface SourceState {
  readonly source: Source;
  /** Its first block was seen to be the one of our network. */
  genuine: boolean;
  /** Its last tip, at its place in the chain; null while it has none there. */
  tip: Placed | null;
  /** When it last said what its tip is, in milliseconds of the process; null for never. */
  readAt: number | null;
  /** The highest tip of its own that was believed. */
  highest: number;
  /** Since when it gives no answer. */
  quietSince: number | null;
  failure: PortFailure | null;
  /** Why its last tip is not believed. */
  unbelieved: string | null;
  /** What it said that was shown to be wrong, and when. */
  lie: { readonly sentence: string; readonly at: number } | null;
}

/**
 * A chain that is lower than it was by more than this was not reorganised: its node lost its blocks or is still
 * fetching them. The deepest reorganisation of mainnet was 53 blocks (August 2010).
 */
const deepestReorg = 100;

/**
 * Those whose word a confirmation takes: the owner's own node, else the servers on the owner's own addresses, else
 * every one that is configured (DECISIONS.md, "Bitcoin's sources prove what they say").
 */
export function authorityOf<S extends { readonly kind: Source['kind'] }>(sources: readonly S[]): readonly S[] {
  for (const kind of ['node', 'own'] as const) {
    const those = sources.filter((source) => source.kind === kind);
    if (those.length > 0) return those;
  }
  return sources;
}

export function stateOf(source: Source): SourceState {
  return {
    source,
    genuine: false,
    tip: null,
    readAt: null,
    highest: 0,
    quietSince: null,
    failure: null,
    unbelieved: null,
    lie: null,
  };
}

export async function judgeGenesis(state: SourceState, network: BitcoinNetwork): Promise<string> {
  const { port } = state.source;
  const genesis = await port.genesis();
  const theirs = networkOfGenesis(genesis, isSignet(genesis) ? await port.hashAt(1) : null);
  if (theirs !== network)
    throw onchainFailure('other-network', 'safe', otherNetwork(capital(state.source.name), theirs, network));
  state.genuine = true;
  return genesis;
}

/** What it says its tip is; noted is only whether it answers. */
export async function askTip(state: SourceState, network: BitcoinNetwork): Promise<ChainTip> {
  try {
    if (!state.genuine) await judgeGenesis(state, network);
    const tip = await state.source.port.tip();
    if (tip.height < state.highest - deepestReorg) {
      // Whoever answers there now need not be who answered before.
      state.genuine = false;
      throw onchainFailure(
        'bitcoin-behind',
        'safe',
        `${capital(state.source.name)} is at height ${tip.height}, and ${state.highest} was seen there before: ` +
          'its chain went back, wait until it has fetched its blocks again.',
      );
    }
    state.readAt = performance.now();
    state.quietSince = null;
    state.failure = null;
    return tip;
  } catch (cause) {
    if (cause instanceof PortFailure) {
      state.quietSince ??= performance.now();
      state.failure = cause;
    }
    throw cause;
  }
}

/** One failure out of many, for whoever asked all of them. */
export function together(failures: readonly PortFailure[]): PortFailure {
  const [first] = failures;
  if (first === undefined) return onchainFailure('bitcoin-away', 'safe', '');
  if (failures.length === 1) return first;
  const retry = failures.some((failure) => failure.retry === 'ask-first') ? 'ask-first' : 'safe';
  return first.retold(retry, failures.map(({ message }) => message).join(' '));
}

/** What came of asking several at once; whatever is no failure of a port is a bug, and thrown. */
export async function settled<S, T>(
  states: readonly S[],
  ask: (state: S) => Promise<T>,
): Promise<{ answers: { state: S; answer: T }[]; failures: PortFailure[] }> {
  const results = await Promise.allSettled(states.map(ask));
  const answers: { state: S; answer: T }[] = [];
  const failures: PortFailure[] = [];
  for (const [i, result] of results.entries()) {
    const state = states[i];
    if (result.status === 'fulfilled' && state !== undefined) answers.push({ state, answer: result.value });
    else if (result.status === 'rejected') {
      if (!(result.reason instanceof PortFailure)) throw result.reason;
      failures.push(result.reason);
    }
  }
  return { answers, failures };
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
