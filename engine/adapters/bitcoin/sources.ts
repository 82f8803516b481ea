import { networkOfGenesis, otherNetwork, type BitcoinNetwork } from '../../domain/chain.ts';
import { PortFailure } from '../../domain/errors.ts';
import type { BitcoinPort, BroadcastAnswer, ChainTip } from '../../legs/onchain/port.ts';

export interface Source {
  /** Kind and host, for sentences: `the Bitcoin node 127.0.0.1:8332`. */
  readonly name: string;
  readonly port: BitcoinPort;
}

interface State {
  readonly source: Source;
  /** Its first block was seen to be the one of our network. */
  genuine: boolean;
  tip: ChainTip | null;
  readAt: number;
}

/**
 * A chain that is lower than it was by more than this was not reorganised: its node lost its blocks or is still fetching
 * them. The deepest reorganisation of mainnet was 53 blocks (August 2010).
 */
const deepestReorg = 100;
/** How old, in milliseconds, a source's tip may be before it is read again ahead of another question. */
const tipAgeMs = 2_000;

/**
 * One chain from several sources, in the order of preference: the first that answers sensibly is believed, one that fell
 * behind is asked last, and one of another network never. A source that lags or that lost its chain never moves the
 * clock back; a chain on which all of them agree does (a reorganisation).
 */
export function bitcoinSources(network: BitcoinNetwork, sources: readonly Source[]): BitcoinPort {
  const states: readonly State[] = sources.map((source) => ({ source, genuine: false, tip: null, readAt: 0 }));
  let best: ChainTip | null = null;

  async function judgeGenesis(state: State): Promise<string> {
    const genesis = await state.source.port.genesis();
    const theirs = networkOfGenesis(genesis);
    if (theirs !== network) throw new PortFailure('other-network', 'safe', otherNetwork(capital(state.source.name), theirs, network));
    state.genuine = true;
    return genesis;
  }

  async function readTip(state: State): Promise<ChainTip> {
    if (!state.genuine) await judgeGenesis(state);
    const tip = await state.source.port.tip();
    state.tip = tip;
    state.readAt = performance.now();
    if (best !== null && tip.height < best.height - deepestReorg) {
      // Whoever answers there now need not be who answered before.
      state.genuine = false;
      throw new PortFailure('bitcoin-behind', 'safe', `${capital(state.source.name)} is at height ${tip.height}, and ${best.height} was seen before: its chain went back, wait until it has fetched its blocks again.`);
    }
    return tip;
  }

  async function ready(state: State): Promise<BitcoinPort> {
    if (state.tip === null || best === null || state.tip.height < best.height - deepestReorg || performance.now() - state.readAt > tipAgeMs) {
      const tip = await readTip(state);
      if (best === null || tip.height > best.height) best = tip;
    }
    return state.source.port;
  }

  /** By preference, those behind the highest tip last. */
  function inOrder(): readonly State[] {
    const height = best?.height ?? 0;
    const behind = (state: State): boolean => state.tip !== null && state.tip.height < height;
    return [...states.filter((state) => !behind(state)), ...states.filter(behind)];
  }

  /** The first good answer, else the first one at all. */
  async function firstAnswer<T>(ask: (state: State) => Promise<T>, good: (answer: T) => boolean = () => true, states = inOrder()): Promise<T> {
    const failures: PortFailure[] = [];
    let spare: { answer: T } | null = null;
    for (const state of states) {
      try {
        const answer = await ask(state);
        if (good(answer)) return answer;
        spare ??= { answer };
      } catch (cause) {
        if (!(cause instanceof PortFailure)) throw cause;
        failures.push(cause);
      }
    }
    if (spare !== null) return spare.answer;
    throw together(failures);
  }

  const fromFirst = <T>(ask: (port: BitcoinPort) => Promise<T>, good?: (answer: T) => boolean): Promise<T> => firstAnswer(async (state) => ask(await ready(state)), good);

  return {
    genesis: () => firstAnswer(judgeGenesis),
    async tip() {
      const height = best?.height ?? 0;
      best = await firstAnswer(readTip, (tip) => tip.height >= height, states);
      return best;
    },
    transaction: (txid) => fromFirst((port) => port.transaction(txid), (found) => found !== null),
    coins: (scripts, since) => fromFirst((port) => port.coins(scripts, since)),
    spend: (outpoint) => fromFirst((port) => port.spend(outpoint), (found) => found !== null),
    // What one of them cannot place, another one may.
    broadcast: (transaction) => fromFirst<BroadcastAnswer>((port) => port.broadcast(transaction), ({ is }) => is === 'accepted' || is === 'spent'),
    feeRate: (blocks) => fromFirst((port) => port.feeRate(blocks)),
    async secondFeeRate(blocks) {
      const rates: number[] = [];
      for (const state of inOrder()) {
        try {
          rates.push(await (await ready(state)).feeRate(blocks));
        } catch (cause) {
          if (!(cause instanceof PortFailure)) throw cause;
        }
        if (rates.length === 2) break;
      }
      return rates[1] ?? null;
    },
  };
}

function together(failures: readonly PortFailure[]): PortFailure {
  const [first] = failures;
  if (first !== undefined && failures.length === 1) return first;
  const retry = failures.some((failure) => failure.retry === 'ask-first') ? 'ask-first' : 'safe';
  return new PortFailure(first?.code ?? 'bitcoin-away', retry, failures.map(({ message }) => message).join(' '), first);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
