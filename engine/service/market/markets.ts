import { chainIdOf, type EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import { nativeCoin, type EvmAddress } from '../../domain/evm.ts';
import { toHex } from '../../domain/hex.ts';
import { sats, type Sats } from '../../domain/money.ts';
import { createPlaces } from '../../domain/places.ts';
import { minute, type Unix } from '../../domain/time.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { failedOnEvm } from '../../legs/evm/failures.ts';
import type { ChosenBy, GasFees } from '../../legs/evm/port.ts';
import {
  bitcoinCoin,
  noPrice,
  oldestForOpen,
  oldestPrice,
  priceNow,
  remember,
  rememberSingleSource,
  type CoinPrice,
  type PriceMemory,
} from '../../quote/coin-price.ts';
import { satsOfGas } from '../../quote/gas.ts';
import { unitsOfSats } from '../../quote/token-price.ts';
import { evmOf } from '../../runtime/ports.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { tokenFacts } from '../networks/token-facts.ts';
import { createRounds } from '../rounds.ts';
import { createPegs } from './pegs.ts';
import { isCoin, isNativeChain, nativeBitcoin, type EvmToken, type Market, type MarketSettings } from './market.ts';

export interface Markets {
  /** Those that can be swapped on now, as they were read last. */
  all(): readonly Market[];
  on(network: EvmNetwork): Market | null;
  /**
   * A token of the chain, asked of its contract once: `invalid` for what is none. `client` names it: no more than a few
   * contracts that nobody knows are asked for it at once.
   */
  token(market: Market, address: EvmAddress, client?: string | null): Promise<EvmToken | Refusal>;
  /** What the chain's coin costs in bitcoin, null while nothing young enough is believed. */
  coinPrice(network: EvmNetwork): CoinPrice | null;
  /** The same for what is open, by which its ceilings go: one of hours ago will do. */
  priceForOpen(network: EvmNetwork): CoinPrice | null;
  /** What units of gas cost now in sats, null while price or fees are not known. */
  gas(network: EvmNetwork): ((units: bigint) => Sats) | null;
  /** Why nothing new is begun over the chain although it answers: its pegged token, or its contracts. */
  closed(network: EvmNetwork): Refusal | null;
  read(): Promise<void>;
  /** The same in the background. */
  readSoon(): void;
  start(): void;
  stop(): Promise<void>;
}

interface Reading {
  market: Market | null;
  price: PriceMemory;
  fees: { readonly of: GasFees; readonly at: Unix } | null;
}

/** Contracts that clients name and that are asked at once what token they are. */
const mostLooks = { ofHolder: 4, ofAll: 24 };
/** Fees of minutes ago are those of another block. */
const oldestFees = 5 * minute;
/** What is bought in thought to know a price: little beside any pool, and much beside its rounding. */
const sample = sats(100_000);
const mostTokens = 500;
/** Between two looks for contracts that an RPC does not show yet: it may lag, and a pair waits no longer than it. */
const lookEveryMs = 5_000;
/** What the readings go by, and what they remember. */
interface Reader {
  readonly runtime: Pick<Runtime, 'ports' | 'clock' | 'background' | 'alert' | 'log' | 'store'>;
  readonly settings: () => ReadonlyMap<EvmNetwork, MarketSettings>;
  readonly readings: Map<EvmNetwork, Reading>;
  readonly pegs: ReturnType<typeof createPegs>;
  readonly facts: Map<string, EvmToken>;
  /** Pairs of contracts whose code was seen: what stands once stays. */
  readonly standing: Set<string>;
  readonly now: () => Unix;
}

/** Reads, in the background, what a swap over each EVM chain is priced with: no request waits for it. */
export function createMarkets(options: {
  runtime: Pick<Runtime, 'ports' | 'clock' | 'background' | 'alert' | 'log' | 'store'>;
  settings: () => ReadonlyMap<EvmNetwork, MarketSettings>;
  everyMs: number;
}): Markets {
  const { runtime, settings, everyMs } = options;
  const readings = new Map<EvmNetwork, Reading>();
  const pegs = createPegs(runtime);

  const now = () => runtime.clock.now().wall;
  const own: Reader = { runtime, settings, readings, pegs, facts: new Map(), standing: new Set(), now };

  const places = createPlaces(mostLooks);
  const rounds = createRounds(runtime, { name: 'reading what chains cost', everyMs, round: () => readAll(own) });
  const looks = createRounds(runtime, {
    name: 'looking for contracts',
    everyMs: Math.min(everyMs, lookEveryMs),
    round: () => lookForAll(own),
  });

  return {
    all: () => [...readings.values()].flatMap(({ market }) => (market === null ? [] : [market])),
    on: (network) => readings.get(network)?.market ?? null,
    async token(market, address, client = null) {
      const before = rememberedFacts(own, market.network, address);
      if (before !== undefined) return before;
      const giveBack = places.take(client);
      if (giveBack === null)
        return refuse('unavailable', 'Too many tokens that are new here are looked at at once: try again in a moment.');
      try {
        return await factsOf(own, market.network, address, 'client');
      } catch (cause) {
        if (failedOnEvm(cause, 'evm-reverted', 'evm-unclear'))
          return refuse(
            'invalid',
            `${checksummed(address)} is no token on chain ${market.chainId}: check the address, and that it is of ` +
              'this chain.',
          );
        throw cause;
      } finally {
        giveBack();
      }
    },
    coinPrice: (network) => coinPrice(own, network),
    priceForOpen: (network) => coinPrice(own, network, oldestForOpen),
    closed: (network) => withoutContracts(own, network) ?? pegs.closed(network),
    gas(network) {
      const fees = readings.get(network)?.fees ?? null;
      const price = coinPrice(own, network);
      if (fees === null || price === null || Math.abs(now() - fees.at) > oldestFees) return null;
      return (units) => satsOfGas(units, fees.of, price);
    },
    read: rounds.check,
    readSoon: rounds.soon,
    start() {
      rounds.soon();
      rounds.start();
      looks.start();
    },
    async stop() {
      await Promise.all([rounds.stop(), looks.stop()]);
    },
  };
}

function rememberedFacts({ facts }: Reader, network: EvmNetwork, address: EvmAddress): EvmToken | undefined {
  return isCoin(address) ? nativeBitcoin(nativeCoin) : facts.get(factsKey(network, address));
}

function factsKey(network: EvmNetwork, address: EvmAddress): string {
  return `${network}/${toHex(address)}`;
}

async function factsOf(own: Reader, network: EvmNetwork, address: EvmAddress, by?: ChosenBy): Promise<EvmToken> {
  const { runtime, facts } = own;
  const before = rememberedFacts(own, network, address);
  if (before !== undefined) return before;
  const { facts: of, agreed } = await tokenFacts(evmOf(runtime.ports, network), address, by);
  const token = { address, ...of };
  if (!agreed) return token;
  facts.set(factsKey(network, address), token);
  const [oldest] = facts.keys();
  if (facts.size > mostTokens && oldest !== undefined) facts.delete(oldest);
  return token;
}

function pairOf(network: EvmNetwork, { htlc, coordinator }: MarketSettings): string {
  return `${network} ${toHex(htlc)} ${toHex(coordinator)}`;
}

/** Nothing is locked where no contract stands (facts/faults.md 134): a create would wait for it in vain. */
function withoutContracts({ settings, standing }: Reader, network: EvmNetwork): Refusal | null {
  const set = settings().get(network);
  return set === undefined || standing.has(pairOf(network, set))
    ? null
    : refuse(
        'unavailable',
        'New swaps on this chain wait: not each of its RPCs shows its contracts yet, as while one of them lags behind. ' +
          'Try again in a minute.',
      );
}

async function lookForContracts(
  { runtime, standing }: Reader,
  network: EvmNetwork,
  set: MarketSettings,
): Promise<void> {
  const pair = pairOf(network, set);
  if (standing.has(pair)) return;
  const { htlc, coordinator, confirmations } = set;
  if (await evmOf(runtime.ports, network).stands([htlc, coordinator], confirmations)) standing.add(pair);
}

async function lookForAll(own: Reader): Promise<void> {
  const looks = [...own.settings()].map(([network, set]) => lookForContracts(own, network, set));
  for (const { status, reason } of (await Promise.allSettled(looks)) as PromiseRejectedResult[])
    if (status === 'rejected' && !(reason instanceof PortFailure)) throw reason;
}

async function marketOf(own: Reader, network: EvmNetwork, set: MarketSettings): Promise<Market | null> {
  const chainId = chainIdOf(network);
  const native = isNativeChain(chainId);
  if (!native && set.pegged === null) return null;
  const pegged = await factsOf(own, network, native || set.pegged === null ? nativeCoin : set.pegged);
  // One that cannot hold a satoshi would round every swap, and clients fail on it (facts/clients.md 42).
  if (pegged.decimals < 8) return null;
  const tokens =
    native || set.dex === null ? [] : await Promise.all(set.tokens.map((one) => factsOf(own, network, one)));
  const { coordinator, slippageBps } = set;
  const dex = native ? null : set.dex;
  const bridge = dex !== null && set.bridge !== null && (await set.bridge.stands()) ? set.bridge : null;
  return { network, chainId, coordinator, pegged, native, tokens, dex, slippageBps, bridge };
}

async function readPrice(
  { native, pegged, dex }: Market,
  how: { readonly agreed: boolean },
): Promise<CoinPrice | null> {
  if (native) return bitcoinCoin;
  if (dex === null) return null;
  const amount = unitsOfSats(sample, pegged.decimals);
  const from = await dex.wrappedCoin(how);
  const quote = await dex.quote({ from, to: pegged.address, pinned: 'out', amount }, how);
  return isRefusal(quote) || quote.amountIn === 0n ? null : { wei: quote.amountIn, sats: sample };
}

/**
 * By two RPCs: one alone could have ceilings, minimums and fees mean a thousandth, or a thousand times as much
 * (facts/faults.md 114).
 */
async function readAgreed({ now }: Reader, memory: PriceMemory, market: Market): Promise<PriceMemory> {
  const by = async (how: { readonly agreed: boolean }, believe: typeof remember): Promise<PriceMemory> => {
    const price = await readPrice(market, how);
    return price === null ? memory : believe(memory, { price, at: now() });
  };
  try {
    return await by({ agreed: true }, remember);
  } catch (cause) {
    if (!failedOnEvm(cause, 'evm-away')) throw cause;
    return by({ agreed: false }, rememberSingleSource);
  }
}

async function readOne(own: Reader, network: EvmNetwork, set: MarketSettings): Promise<void> {
  const { runtime, readings, now } = own;
  const before = readings.get(network) ?? { market: null, price: noPrice, fees: null };
  readings.set(network, before);
  try {
    await lookForContracts(own, network, set);
    before.market = await marketOf(own, network, set);
    before.fees = { of: await evmOf(runtime.ports, network).gasFees(), at: now() };
    if (before.market === null) return;
    before.price = await readAgreed(own, before.price, before.market);
  } catch (cause) {
    // Away, or not what it should be: what was read before counts for as long as it may.
    if (!(cause instanceof PortFailure)) throw cause;
  }
}

async function readAll(own: Reader): Promise<void> {
  const { settings, readings, pegs } = own;
  const chains = settings();
  for (const network of readings.keys()) if (!chains.has(network)) readings.delete(network);
  const guarded = [...chains].flatMap(([network, { peg }]) => (peg === undefined ? [] : [[network, peg] as const]));
  await Promise.all([...[...chains].map(([network, set]) => readOne(own, network, set)), pegs.read(new Map(guarded))]);
}

function coinPrice({ readings, now }: Reader, network: EvmNetwork, oldest = oldestPrice): CoinPrice | null {
  if (isNativeChain(chainIdOf(network))) return bitcoinCoin;
  const last = readings.get(network);
  return last === undefined ? null : priceNow(last.price, now(), oldest);
}
