import type { TakerWays } from '../../contract/taker-ways.ts';
import { evmNetwork, takerDirections, type Chain, type TakerDirection } from '../../domain/chain.ts';
import { isRefusal } from '../../domain/errors.ts';
import { sats } from '../../domain/money.ts';
import { takenDirections } from '../../taker/directions.ts';
import type { ListedPair } from '../../taker/offer.ts';
import { checksummed } from '../../legs/evm/address.ts';
import type { ServiceContext } from '../context.ts';
import { evmOrderOf } from './evm.ts';

type Context = Pick<ServiceContext, 'runtime' | 'networks' | 'config'>;
type Way = TakerWays['ways'][number];
type End = Way['source'];

/** The ways whose networks are connected here and that are among the pairs of some provider. */
export async function waysAmong(context: Context, pairs: readonly ListedPair[]): Promise<TakerWays> {
  const listed = new Set(pairs.map(({ source, target }) => `${source} ${target}`));
  const tokens = await Promise.all(Object.keys(context.config.evm).map((id) => tokenOn(context, Number(id))));
  const ways = takerDirections.flatMap((direction) => waysOf(context, direction, tokens.flat()));
  return { ways: ways.filter(({ source, target }) => listed.has(`${source.chain} ${target.chain}`)) };
}

/** What swaps of our own lock on a chain; nothing while it cannot be read. */
async function tokenOn(context: Context, chainId: number): Promise<End[]> {
  const chain = await evmOrderOf(context, chainId, sats(0));
  if (isRefusal(chain)) return [];
  const { address, symbol, decimals } = chain.pegged;
  return [{ chain: `${chainId}` as Chain, token: checksummed(address).toLowerCase(), symbol, decimals }];
}

/** One way for a direction between networks of bitcoin, one for each chain elsewhere. */
function waysOf({ networks }: Context, direction: TakerDirection, tokens: readonly End[]): Way[] {
  const { source, target, needs } = takenDirections[direction];
  const ends = (of: typeof source): readonly End[] =>
    of === 'evm' ? tokens : [{ chain: of, token: 'btc', symbol: 'BTC', decimals: 8 }];
  const ways = ends(source).flatMap((from) => ends(target).map((to) => ({ direction, source: from, target: to })));
  return ways.filter((way) => {
    const chains = [way.source, way.target].filter(({ token }) => token !== 'btc');
    return networks.closed(...needs, ...chains.map(({ chain }) => evmNetwork(chain))) === null && !isCoin(way.source);
  });
}

/** The coin of a chain cannot be signed away: it is received alone. */
function isCoin({ token }: End): boolean {
  return token !== 'btc' && /^0x0+$/.test(token);
}
