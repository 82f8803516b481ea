import type { BitcoinNetwork } from '../../domain/chain.ts';
import { sameBytes } from '../../domain/hash.ts';
import { day, furthest, seconds, type Unix } from '../../domain/time.ts';
import { swapKey } from '../../legs/evm/swap-key.ts';
import { evmOf } from '../../runtime/ports.ts';
import type { EvmLeg } from '../../taker/evm/terms.ts';
import type { Leg, OrderTerms } from '../../taker/terms.ts';
import type { ServiceContext } from '../context.ts';

type Context = Pick<ServiceContext, 'runtime' | 'policy'>;

/**
 * Milliseconds of the fastest blocks of a chain: what was made then is in no block below what they could have made
 * since.
 */
const fastBlockMs: Readonly<Record<number, number>> = { 1: 11_000, 137: 1_500, 42161: 200, 30: 8_000, 31: 5_000 };
/** A clock of the provider's may be that wrong. */
const slack = seconds(2 * 3_600);
/** A lock that is older is looked for only where it stands: its logs lie too far back to read them for nothing. */
const longAgo = seconds(14 * day);

/**
 * Below this height of the Bitcoin chain is nothing of a swap that was made then; null while the chain was not read.
 * Blocks of a test network come as fast as they like.
 */
export function bitcoinSince({ runtime, policy }: Context, network: BitcoinNetwork, created: Unix): number | null {
  const { wall, bitcoin } = runtime.clock.now();
  const { height } = furthest(bitcoin);
  if (height === null || network === 'regtest') return height === null ? null : 0;
  return Math.max(0, height - Math.ceil((Math.max(0, wall - created) + slack) / policy.fastBlock));
}

/** The same of an EVM chain, of which the tip is `height`. */
export function evmSince(
  { runtime }: Pick<Context, 'runtime'>,
  network: BitcoinNetwork,
  at: { readonly chainId: number; readonly height: number; readonly created: Unix },
): number {
  if (network === 'regtest') return 0;
  const { wall } = runtime.clock.now();
  const span = Math.max(0, wall - at.created) + slack;
  return Math.max(0, at.height - Math.ceil((span * 1_000) / (fastBlockMs[at.chainId] ?? 1_000)));
}

function isOnEvm(leg: Leg): leg is EvmLeg {
  return leg.on === 'evm';
}

const transactionId = /^(0x)?([0-9a-f]{64})$/i;

/**
 * Whether a lock stands by the word of those who must agree. Ours may hold more than was agreed, for the coordinator
 * locks whatever it held: the transaction that made it says how much, whoever names that (facts/faults.md 164).
 */
async function stands({ runtime }: Pick<Context, 'runtime'>, leg: EvmLeg, madeIn: unknown): Promise<boolean> {
  const { lock, contracts, network } = leg;
  const port = evmOf(runtime.ports, network);
  if (await port.isActive(contracts.htlc, lock, { agreed: true })) return true;
  const txid = typeof madeIn === 'string' ? transactionId.exec(madeIn)?.[2] : undefined;
  const receipt = txid === undefined ? null : await port.receipt(txid.toLowerCase());
  for (const { what, htlc } of receipt?.events ?? []) {
    if (what.is !== 'created' || what.terms.amount < lock.amount || !sameBytes(htlc, contracts.htlc)) continue;
    if (!sameBytes(swapKey({ ...what.terms, amount: lock.amount }), swapKey(lock))) continue;
    if (await port.isActive(htlc, what.terms, { agreed: true })) return true;
  }
  return false;
}

/**
 * Whether the lock that we make by a deal stands on its chain: to say so of one that was never agreed takes tokens.
 * `madeIn`: by what its record says.
 */
export async function lockStands(
  context: Pick<Context, 'runtime'>,
  { source }: { readonly source: Leg },
  madeIn: unknown,
): Promise<boolean> {
  return isOnEvm(source) && (await stands(context, source, madeIn));
}

/**
 * What the age of a lock on an EVM chain says: `over` where it was ours, is long ago and does not stand; else the terms
 * to go on with, which look for an old one only where it stands.
 */
export async function asFarBack<T extends OrderTerms>(
  context: Pick<Context, 'runtime'>,
  terms: T,
  deal: { readonly source: Leg; readonly target: Leg },
  madeIn: unknown,
): Promise<T | 'over'> {
  const { runtime } = context;
  const leg = [deal.source, deal.target].find(isOnEvm);
  const { wall } = runtime.clock.now();
  if (leg === undefined || wall - terms.createBefore < longAgo) return terms;
  if (await stands(context, leg, madeIn)) return terms;
  return leg === deal.source ? 'over' : { ...terms, since: (await evmOf(runtime.ports, leg.network).tip()).height };
}
