import { bytesToHex, decodeFunctionResult, encodeFunctionData, hexToBytes, parseAbi, size } from 'viem/utils';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { createPlaces } from '../../domain/places.ts';
import type { Unix } from '../../domain/time.ts';
import { approveCall } from '../../legs/evm/calls.ts';
import { evmFailure, failedOnEvm } from '../../legs/evm/failures.ts';
import type { EvmPort } from '../../legs/evm/port.ts';
import { judgeBack, noRoute, tooOld, tooThin } from '../../quote/exchange.ts';
import type { DexAsker, DexHop, DexPort, DexQuery, DexQuote } from '../../quote/ports.ts';
import { createPools } from './pools.ts';
import { pathOf, routesBetween } from './route.ts';

/** QuoterV2 and SwapRouter02 (`@uniswap/swap-router-contracts` 1.3.1). */
const quoterAbi = parseAbi([
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[], uint32[], uint256)',
  'function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amountIn, uint160[], uint32[], uint256)',
]);
const placesAbi = parseAbi(['function factory() view returns (address)', 'function WETH9() view returns (address)']);
const routerAbi = parseAbi([
  'function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum)) payable returns (uint256)',
  'function exactOutput((bytes path, address recipient, uint256 amountOut, uint256 amountInMaximum)) payable returns (uint256)',
]);
/** `exactInput` and `exactOutput`. */
const selectors = ['b858183f', '09b81346'];

/** The same question within so many seconds is answered from memory: clients ask twice, and some ask for a living. */
const rememberedFor = 4;
const mostRemembered = 200;
/** Questions that wait at once, each of a dozen calls of an RPC: of clients, of unfunded swaps, and of claims. */
const mostWaiting = { ofHolder: 4, ofAll: 24 };

export interface UniswapOptions {
  readonly chain: Pick<EvmPort, 'read'>;
  readonly quoter: EvmAddress;
  readonly router: EvmAddress;
  /** Tokens over which a way may lead, beside the coin of the chain. */
  readonly over: readonly EvmAddress[];
  readonly wall: () => Unix;
}

/** The exchange as one reading of the chain shows it; what never changes is remembered of that reading alone. */
function viewOf({ chain, quoter, router, over, wall }: UniswapOptions) {
  const pools = createPools(chain, () => factory(), wall);
  let factoryOfBoth: EvmAddress | null = null;
  let coin: EvmAddress | null = null;

  async function placeOf(to: EvmAddress, functionName: 'factory' | 'WETH9'): Promise<EvmAddress> {
    const data = hexToBytes(encodeFunctionData({ abi: placesAbi, functionName }));
    const answer = bytesToHex(await chain.read({ to, data }));
    if (size(answer) !== 32)
      throw evmFailure('evm-unclear', 'never', `${bytesToHex(to)} is no contract of the exchange: check evm.<id>.dex.`);
    return asEvmAddress(hexToBytes(decodeFunctionResult({ abi: placesAbi, functionName, data: answer })));
  }

  /** What is quoted must be what is exchanged with. */
  async function factory(): Promise<EvmAddress> {
    if (factoryOfBoth === null) {
      const [one, other] = await Promise.all([placeOf(quoter, 'factory'), placeOf(router, 'factory')]);
      if (!sameBytes(one, other))
        throw evmFailure(
          'evm-unclear',
          'never',
          'The quoter and the router of the exchange have different pools: check evm.<id>.dex.',
        );
      factoryOfBoth = one;
    }
    return factoryOfBoth;
  }

  async function wrappedCoin(): Promise<EvmAddress> {
    coin ??= await placeOf(router, 'WETH9');
    return coin;
  }

  /** Null where the pools on the way cannot carry it. */
  async function along(route: readonly DexHop[], pinned: 'in' | 'out', amount: bigint): Promise<bigint | null> {
    const functionName = pinned === 'in' ? 'quoteExactInput' : 'quoteExactOutput';
    const data = hexToBytes(
      encodeFunctionData({ abi: quoterAbi, functionName, args: [pathOf(route, pinned), amount] }),
    );
    try {
      const answer = await chain.read({ to: quoter, data });
      return decodeFunctionResult({ abi: quoterAbi, functionName, data: bytesToHex(answer) })[0];
    } catch (cause) {
      if (failedOnEvm(cause, 'evm-reverted')) return null;
      throw cause;
    }
  }

  /** The best of all routes: most out, or least in. The shorter one where two are the same. */
  async function best({ from, to, pinned, amount }: DexQuery): Promise<Omit<DexQuote, 'asked'> | Refusal> {
    const routes = await routesBetween(pools, from, to, [...over, await wrappedCoin()]);
    if (routes.length === 0) return noRoute();
    const answers = await Promise.all(
      routes.map(async (route) => ({ route, other: await along(route, pinned, amount) })),
    );
    let chosen: { readonly route: readonly DexHop[]; readonly other: bigint } | null = null;
    for (const { route, other } of answers) {
      if (other === null || other === 0n) continue;
      const better = chosen === null || (pinned === 'in' ? other > chosen.other : other < chosen.other);
      if (better) chosen = { route, other };
    }
    if (chosen === null) return tooThin();
    const { route, other } = chosen;
    const amounts = pinned === 'in' ? { amountIn: amount, amountOut: other } : { amountIn: other, amountOut: amount };
    return { from, to, pinned, amount, ...amounts, route };
  }

  return { wrappedCoin, best };
}

type View = ReturnType<typeof viewOf>;

/** Uniswap v3 of one chain, asked over the owner's own RPCs: no key and no third party. */
export function createUniswapV3(options: UniswapOptions): DexPort {
  const { chain, router, wall } = options;
  const viewBy = (how: Parameters<EvmPort['read']>[1]): View =>
    viewOf({ ...options, chain: { read: (call) => chain.read(call, how) } });
  const views = {
    own: viewOf(options),
    agreed: viewBy({ agreed: true }),
    client: viewBy({ by: 'client' }),
    funding: viewBy({ by: 'funding' }),
    claim: viewBy({ by: 'claim' }),
  };
  const places = {
    client: createPlaces(mostWaiting),
    funding: createPlaces(mostWaiting),
    claim: createPlaces(mostWaiting),
  };
  const remembered = new Map<string, { readonly at: Unix; readonly answer: Promise<DexQuote | Refusal> }>();

  const viewFor = (how: Parameters<DexPort['quote']>[1]): keyof typeof views =>
    how?.by?.is ?? (how?.agreed === true ? 'agreed' : 'own');

  function placeFor(by: DexAsker | undefined): (() => void) | null {
    // What the node itself asks for, no number of clients keeps it from knowing.
    if (by === undefined) return () => undefined;
    return places[by.is].take(by.is === 'client' ? by.client : by.hash);
  }

  async function ask(query: DexQuery, { best }: View): Promise<DexQuote | Refusal> {
    const at = wall();
    const quote = await best(query);
    if (isRefusal(quote)) return quote;
    const back = await best({ from: query.to, to: query.from, pinned: 'in', amount: quote.amountOut });
    if (isRefusal(back)) return back;
    return judgeBack({ ...quote, asked: at }, back.amountOut) ?? { ...quote, asked: at };
  }

  return {
    name: 'uniswap_v3',
    rules: { router, selectors },
    wrappedCoin: (how) => views[viewFor(how)].wrappedCoin(),
    quote(query, how) {
      if (query.amount <= 0n) return Promise.resolve(refuse('invalid', 'An amount to exchange must be above zero.'));
      const view = viewFor(how);
      const key = [bytesToHex(query.from), bytesToHex(query.to), query.pinned, query.amount, view].join();
      const now = wall();
      const before = remembered.get(key);
      if (before !== undefined && now - before.at < rememberedFor && now >= before.at) return before.answer;
      const giveBack = placeFor(how?.by);
      if (giveBack === null)
        return Promise.resolve(
          refuse('unavailable', 'Too many price requests on this chain at once: try again in a moment.'),
        );
      const answer = ask(query, views[view]).finally(giveBack);
      remembered.delete(key);
      remembered.set(key, { at: now, answer });
      answer.catch(() => remembered.delete(key));
      const [oldest] = remembered.keys();
      if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
      return answer;
    },
    calls(quote, bound, recipient) {
      if (tooOld(quote, wall())) throw new RangeError('the pools have moved on since this quote');
      const { from, route, pinned, amountIn, amountOut } = quote;
      const path = pathOf(route, pinned);
      const to = bytesToHex(recipient);
      const data =
        pinned === 'in'
          ? encodeFunctionData({
              abi: routerAbi,
              functionName: 'exactInput',
              args: [{ path, recipient: to, amountIn, amountOutMinimum: bound }],
            })
          : encodeFunctionData({
              abi: routerAbi,
              functionName: 'exactOutput',
              args: [{ path, recipient: to, amountOut, amountInMaximum: bound }],
            });
      const approval = approveCall(from, router, pinned === 'in' ? amountIn : bound);
      return [
        { target: approval.to, value: 0n, data: approval.data },
        { target: router, value: 0n, data: hexToBytes(data) },
      ];
    },
  };
}
