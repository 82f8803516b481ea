import { isEvm, type EvmNetwork, type Network } from '../../domain/chain.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { noSats, sats, type Sats } from '../../domain/money.ts';
import { termsFor } from '../../domain/terms.ts';
import { evmAccountRules } from '../evm/rules.ts';
import type { ServiceContext } from '../context.ts';
import { networkAt, type Direction } from '../directions/direction.ts';
import { eachPair, limitsOf } from '../limits/limits.ts';
import { unitsOfSats } from '../../quote/token-price.ts';
import type { Holding } from '../networks/evm.ts';
import type { Needed } from '../networks/reader.ts';
import { apart } from './networks.ts';
import { done, faultIn, grouped, rowsOf, todo, warningsIn, type Rows, type Step } from './step.ts';

type Deposit = NonNullable<Step['deposits']>[number];

/** The pairs of which both networks answer. */
export function connectedPairs(context: ServiceContext): readonly Direction[] {
  const { networks } = context;
  return eachPair(context).filter(
    ({ needs, evm }) => networks.missing(...needs.flatMap((place) => networkAt(place, evm) ?? [])) === null,
  );
}

/** What each network can pay out, beside what the limits of its directions allow. */
export function liquiditySteps(context: ServiceContext, rows: Rows): Step[] {
  const paying = new Map<Needed, Direction[]>();
  for (const direction of connectedPairs(context)) {
    const network = networkAt(direction.locksOn, direction.evm);
    if (network !== null) paying.set(network, [...(paying.get(network) ?? []), direction]);
  }
  return [...paying].map(([network, directions]) => liquidityOf(context, rows, network, directions));
}

function liquidityOf(context: ServiceContext, rows: Rows, network: Needed, directions: readonly Direction[]): Step {
  const least = bound(directions, (one) => limitsOf(context, one).min, 'least');
  const most = bound(directions, ({ name }) => sats(termsFor(context.config.terms, name).maxSats), 'most');
  const now = bound(directions, (one) => one.liquidity(context, one.evm), 'most');
  const own = rowsOf(rows, network, { only: apart.liquidity });
  const gas = isEvm(network) ? faultIn(own) : null;
  const short = now < least;
  const step = {
    id: `liquidity:${network}`,
    part: 'liquidity',
    network,
    warnings: warningsIn(own),
    deposits: depositsOf(context, network, { now, least, most }),
  } as const;
  const holds = `One swap can pay out up to ${grouped(now)} sats here now`;
  const limits = `your limits go from ${grouped(least)} to ${grouped(most)} sats`;
  if (gas !== null) return todo({ ...step, sentence: gas });
  if (!short)
    return done({ ...step, sentence: now < most ? `${holds}; ${limits}.` : `${holds}, as much as your limits allow.` });
  return todo({
    ...step,
    sentence: `${holds}, and ${limits}: none that pays out here is offered.`,
    act:
      network === 'lightning'
        ? 'Open a channel from your lnd with at least that on your side.'
        : `Send at least what is missing to the address that POST /owner/wallets/${network}/address names.`,
  });
}

function bound(directions: readonly Direction[], of: (one: Direction) => Sats, which: 'least' | 'most'): Sats {
  const all = directions.map(of);
  return all.reduce((a, b) => ((which === 'least' ? a < b : a > b) ? a : b), all[0] ?? noSats);
}

function depositsOf(
  context: ServiceContext,
  network: Network,
  { now, least, most }: { readonly now: Sats; readonly least: Sats; readonly most: Sats },
): Deposit[] {
  const lacks = (wanted: Sats): bigint => (wanted > now ? wanted - now : 0n);
  const [atLeast, atMost] = [lacks(least), lacks(most)];
  if (!isEvm(network)) return [{ asset: 'btc', symbol: 'BTC', decimals: 8, least: `${atLeast}`, most: `${atMost}` }];
  const last = context.networks.chains.get(network)?.last();
  if (last?.state !== 'connected') return [];
  const { coin, pegged } = last.facts;
  const { floor } = evmAccountRules(context.config, network);
  const gas = coin.units < floor ? floor - coin.units : 0n;
  const isCoin = pegged?.token === coin.token;
  const locks = pegged === null ? null : depositOf(context, network, pegged, { atLeast, atMost });
  if (isCoin && locks !== null)
    return [{ ...locks, least: `${BigInt(locks.least) + gas}`, most: `${BigInt(locks.most) + gas}` }];
  const forGas = { asset: checksummed(coin.token), symbol: 'gas', decimals: coin.decimals };
  return [...(locks === null ? [] : [locks]), { ...forGas, least: `${gas}`, most: `${gas}` }];
}

function depositOf(
  { markets }: ServiceContext,
  network: EvmNetwork,
  { token, decimals }: Holding,
  { atLeast, atMost }: { readonly atLeast: bigint; readonly atMost: bigint },
): Deposit {
  const symbol = markets.on(network)?.pegged.symbol ?? 'token';
  const units = (amount: bigint): string => unitsOfSats(sats(amount), decimals).toString();
  return { asset: checksummed(token), symbol, decimals, least: units(atLeast), most: units(atMost) };
}
