import type { Liquidity } from '../../contract/owner/liquidity.ts';
import { isEvm, kindOf, type DirectionName, type Network, takerDirections } from '../../domain/chain.ts';
import { msatPerSat } from '../../domain/money.ts';
import type { ServiceContext } from '../context.ts';
import { createUnits } from '../metrics/money.ts';
import { balancesNow } from './status.ts';
import { unitsText } from './units-text.ts';

const window = 86_400;
/** Beyond these nothing is foretold, and nothing has to be done. */
const farthest = 30 * 86_400;
const soon = 7 * 86_400;

/** A network and what swaps did to it in the last day; flows in millisatoshis. */
interface Pool {
  readonly network: string;
  readonly available: bigint;
  readonly came: bigint;
  readonly left: bigint;
  readonly dryIn: number | null;
}

/**
 * When each network runs dry if swaps go on as in the last day, and the swap that would help. It is a sentence for the
 * owner: nothing is moved by it.
 */
export function liquidity(context: ServiceContext): Liquidity {
  const { store, clock } = context.runtime;
  const to = clock.now().wall;
  const pools = poolsOf(context, store.earnings.flows(to - window));
  return {
    from: to - window,
    to,
    networks: pools.map((pool) => ({
      network: pool.network,
      available: Number(pool.available),
      came: unitsText({ asset: 'btc', amount: pool.came }),
      left: unitsText({ asset: 'btc', amount: pool.left }),
      dry_at: pool.dryIn === null ? null : to + pool.dryIn,
      move: moveFor(pool, pools),
    })),
  };
}

/** What is counted in satoshis: bitcoin, and the token of a chain that stands for it. */
function poolsOf(
  context: ServiceContext,
  flows: ReturnType<ServiceContext['runtime']['store']['earnings']['flows']>,
): Pool[] {
  const units = createUnits(context);
  return balancesNow(context).flatMap(({ network, asset, available }) => {
    const unit = units.of(network as Network, asset);
    if (unit?.is !== 'sats') return [];
    const flow = flows.find((one) => one.network === network && one.asset.toLowerCase() === asset.toLowerCase());
    // A token has 8 decimals or more, and bitcoin is kept in thousandths.
    const toMsat = (amount: bigint): bigint =>
      isEvm(network) ? (amount * msatPerSat) / BigInt(Math.round(1 / unit.perUnit)) : amount;
    const free = BigInt(available) / BigInt(Math.round(1 / unit.perUnit));
    const [came, left] = [toMsat(flow?.came ?? 0n), toMsat(flow?.left ?? 0n)];
    return [{ network, available: free, came, left, dryIn: dryIn(free, left - came) }];
  });
}

/** Seconds until nothing is free, at what was lost in the window; null where it is not foretold. */
export function dryIn(available: bigint, lostMsat: bigint): number | null {
  if (lostMsat <= 0n) return null;
  const seconds = Number((available * msatPerSat * BigInt(window)) / lostMsat);
  return seconds > farthest ? null : seconds;
}

/** Half of what the richest network has more, of those that a swap of the node's own can come from. */
export function moveFor(pool: Pool, pools: readonly Pool[]): Liquidity['networks'][number]['move'] {
  if (pool.dryIn === null || pool.dryIn > soon) return null;
  const givers = pools.filter(
    (other) =>
      (other.dryIn === null || other.dryIn > soon) &&
      other.available > pool.available &&
      (takerDirections as readonly DirectionName[]).includes(directionOf(other, pool)),
  );
  const [richest] = givers.toSorted((a, b) => Number(b.available - a.available));
  if (richest === undefined) return null;
  return { from: richest.network, amount: Number((richest.available - pool.available) / 2n) };
}

function directionOf(from: Pool, to: Pool): DirectionName {
  return `${kindOf(from.network as Network)}-${kindOf(to.network as Network)}` as DirectionName;
}
