import type { TakerWays } from '../../contract/taker-ways.ts';
import { evmNetwork, takerDirections, type Chain, type TakerDirection } from '../../domain/chain.ts';
import { isRefusal } from '../../domain/errors.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { sameBytes } from '../../domain/hash.ts';
import { sats } from '../../domain/money.ts';
import { refusedPace } from '../../legs/block-pace.ts';
import { takenDirections } from '../../taker/directions.ts';
import { lessBps } from '../../taker/evm/exchange.ts';
import type { ListedPair, ListedToken } from '../../taker/port.ts';
import type { ServiceContext } from '../context.ts';
import { evmOrderOf } from './evm.ts';
import { exchangeOf } from './exchange.ts';

type Context = Pick<ServiceContext, 'runtime' | 'networks' | 'config'>;
type Pair = TakerWays['ways'][number];
type End = Pair['source'];

/** The pairs whose networks are connected here and that some provider lists. */
export async function pairsAmong(
  context: Context,
  pairs: readonly ListedPair[],
  tokens: readonly ListedToken[],
): Promise<TakerWays> {
  const listed = new Set(pairs.map(({ source, target }) => `${source} ${target}`));
  const ids = Object.keys(context.config.evm).map(Number);
  const [locked, exchanged] = await Promise.all([
    Promise.all(ids.map((id) => tokenOn(context, id))),
    Promise.all(ids.map((id) => exchangedOn(context, id))),
  ]);
  const given = [...locked.flat(), ...exchanged.flat()];
  // A provider has a part in what an exchange makes of its lock, and none in what ours makes before it.
  const tokensListed = new Set(tokens.map(({ chain, token_id: id }) => `${chain} ${id.toLowerCase()}`));
  const got = given.filter(
    (end) => end.less_bps === undefined || tokensListed.has(`${end.chain} ${end.token.toLowerCase()}`),
  );
  const all = takerDirections.flatMap((direction) => pairsOf(context, direction, { given, got }));
  return { ways: all.filter(({ source, target }) => listed.has(`${source.chain} ${target.chain}`)) };
}

/** What swaps of our own lock on a chain; nothing while it cannot be read. */
async function tokenOn(context: Context, chainId: number): Promise<End[]> {
  const chain = await evmOrderOf(context, chainId, sats(0));
  if (isRefusal(chain)) return [];
  const { address, symbol, decimals } = chain.pegged;
  return [{ chain: `${chainId}` as Chain, token: checksummed(address), symbol, decimals }];
}

/** The tokens of the owner's that an exchange makes there, or takes. */
async function exchangedOn(context: Context, chainId: number): Promise<End[]> {
  const { peggedToken = null, tokens: own = [] } = context.config.evm[`${chainId}`] ?? {};
  const wanted = own.filter((token) => peggedToken === null || !sameBytes(token, peggedToken));
  const exchanges = await Promise.all(wanted.map((token) => exchangeOf(context, chainId, token)));
  return exchanges.flatMap((exchange) => {
    if (isRefusal(exchange)) return [];
    const { token, slippageBps } = exchange;
    const { address, symbol, decimals } = token;
    return [
      { chain: `${chainId}` as Chain, token: checksummed(address), symbol, decimals, less_bps: lessBps(slippageBps) },
    ];
  });
}

/** One pair for a direction between networks of bitcoin, one for each token elsewhere. */
function pairsOf(
  { networks, config }: Context,
  direction: TakerDirection,
  { given, got }: { readonly given: readonly End[]; readonly got: readonly End[] },
): Pair[] {
  if (refusedPace(direction, config.network) !== null) return [];
  const { source, target, needs } = takenDirections[direction];
  const ends = (of: typeof source, tokens: readonly End[]): readonly End[] =>
    of === 'evm' ? tokens : [{ chain: of, token: 'btc', symbol: 'BTC', decimals: 8 }];
  const all = ends(source, given).flatMap((from) =>
    ends(target, got).map((to) => ({ direction, source: from, target: to })),
  );
  return all.filter((pair) => {
    const chains = [pair.source, pair.target].filter(({ token }) => token !== 'btc');
    return networks.closed(...needs, ...chains.map(({ chain }) => evmNetwork(chain))) === null && !isCoin(pair.source);
  });
}

/** The coin of a chain cannot be signed away: it is received alone. */
function isCoin({ token }: End): boolean {
  return token !== 'btc' && /^0x0+$/.test(token);
}
