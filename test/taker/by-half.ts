import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import type { NetworkKind, TakerDirection } from '../../engine/domain/chain.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asEvmAddress, type EvmAddress } from '../../engine/domain/evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import type { ArkadeLeg, BitcoinLeg, Deal, TakerProgress } from '../../engine/taker/terms.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { evmNetworkOfWorld } from '../support/node-evm.ts';
import { startWorld } from '../support/world.ts';
import { startPair, type Pair } from './pair.ts';

/* Swaps of a client in any direction, by the halves that the direction is made of. */

/** Sats that are asked for, on the side that the direction prices. */
export const amount = 60_000n;
/** Most that a claim or a refund on the Bitcoin chain may have cost. */
const mostFee = 3_000n;
export const hour = 3_600;

const coin = `0x${'00'.repeat(20)}`;
const addressOf = (text: string) => asEvmAddress(fromHex(text.slice(2).toLowerCase()));

export function endsOf(direction: TakerDirection): { readonly source: NetworkKind; readonly target: NetworkKind } {
  const [source, target] = direction.split('-') as [NetworkKind, NetworkKind];
  return { source, target };
}

export interface Stage {
  readonly pair: Pair;
  readonly chain: EvmWorld | null;
  stop(): Promise<void>;
}

/** Provider and client with what the direction needs, and no more. */
export async function stageOf(
  directions: readonly TakerDirection[],
  options: { readonly untilMs: number; readonly bundle?: true },
): Promise<Stage> {
  const { bundle, ...patience } = options;
  const needs = (network: NetworkKind) => directions.some((direction) => direction.includes(network));
  const world = startWorld();
  const chain = needs('evm') ? await startEvmWorld(() => world.now()) : null;
  const both = {
    ...(chain === null ? {} : { evm: chain }),
    ...(needs('bitcoin') || bundle ? { bitcoinWallet: true as const } : {}),
    ...patience,
  };
  const pair = await startPair({ world, provider: both, taker: { ...both, ...(bundle ? { bundle } : {}) } });
  if (directions.some((direction) => endsOf(direction).target === 'bitcoin'))
    await deposit({ world, node: pair.provider }, 1_000_000);
  return {
    pair,
    chain,
    async stop() {
      await pair.stop();
      await chain?.stop();
    },
  };
}

/** A swap that was opened, with what its provider's record was found to say. */
interface Opened {
  readonly id: string;
  readonly deal: Deal;
  readonly swap: TakerSwap;
  /** Of the payment that its provider makes, where it makes one: a payee's that keeps it until it is told. */
  readonly hash: Uint8Array | null;
}

export async function openSwap(
  { pair }: Stage,
  direction: TakerDirection,
  wish: { readonly destination?: EvmAddress; readonly gasless?: boolean } = {},
): Promise<Opened> {
  const { source, target } = endsOf(direction);
  const { bolt11 = null, hash = null } = target === 'lightning' ? pair.world.invoice(amount, { hold: true }) : {};
  const destination = target === 'evm' ? (wish.destination ?? addressOf(`0x${'11'.repeat(20)}`)) : null;
  const evm = { chainId: 137, token: null, destination, gasless: wish.gasless ?? true };
  const created = await pair.taker.taker.create({
    direction,
    amount: sats(amount),
    invoice: bolt11,
    provider: '',
    ...(source === 'evm' || target === 'evm' ? { evm } : {}),
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  await pair.taker.until(created.id, 'waiting');
  const { deal } = pair.taker.runtime.workingSet.find(created.id)?.row.progress as TakerProgress;
  if (deal === undefined) throw new Error('there is no deal');
  return { id: created.id, deal, swap: swapOf(pair, created.id), hash };
}

export function swapOf(pair: Pair, id: string): TakerSwap {
  const swap = pair.taker.taker.swap(id);
  if (swap === null || isRefusal(swap)) throw new Error('the swap is not listed');
  return swap;
}

/** Gives what was asked for; tokens go to the account that locks them, with gas of its own. */
export async function pay(stage: Stage, { deal, swap }: Opened): Promise<void> {
  const { world } = stage.pair;
  const { text, amount: units } = swap.pay ?? { text: '', amount: '0' };
  const ways: Record<NetworkKind, () => unknown> = {
    lightning: () => world.pay(text),
    arkade: () => world.faucet(text, BigInt(units)),
    async bitcoin() {
      const { script, amount: price } = deal.source as BitcoinLeg;
      world.bitcoin.faucet(script, sats(price));
      await world.mine(1);
    },
    async evm() {
      await evmWorld(stage).give(text, coin, 10n ** 18n);
      await evmWorld(stage).give(text, pegged(stage), BigInt(units));
    },
  };
  await ways[endsOf(swap.direction).source]();
}

function evmWorld({ chain }: Stage): EvmWorld {
  if (chain === null) throw new Error('there is no EVM chain');
  return chain;
}

function pegged(stage: Stage): string {
  return evmWorld(stage).endpoints.tokens[0]?.address ?? '';
}

/** Tokens of the kind that swaps lock. */
export function tokensOf(stage: Stage, account: EvmAddress | string): Promise<bigint> {
  const port = evmOf(stage.pair.taker.ports, evmNetworkOfWorld);
  return port.balance(addressOf(pegged(stage)), typeof account === 'string' ? addressOf(account) : account);
}

/**
 * With a block a second where the direction has a coin on the Bitcoin chain: a provider's ends at a height, and blocks
 * that come as fast as they are asked for would be its end.
 */
export async function within(
  { pair: { world } }: Stage,
  direction: TakerDirection,
  [reached, what]: readonly [() => boolean, string],
): Promise<void> {
  const isOnChain = direction.includes('bitcoin');
  for (const deadline = performance.now() + 90_000; !reached(); await pause(isOnChain ? 1_000 : 20)) {
    if (performance.now() > deadline) throw new Error(`it never came to this: ${what}`);
    if (isOnChain) await world.mine(1);
  }
}

/** Past the moment from which on what was given comes back alone. */
export async function pastLocktime({ pair: { world } }: Stage, { source }: Deal): Promise<void> {
  const ways: Record<NetworkKind, () => Promise<void>> = {
    lightning: async () => undefined,
    arkade: () => world.advance((source as ArkadeLeg).vhtlc.refundLocktime - world.now() + 4 * hour),
    bitcoin() {
      const { htlc } = source as BitcoinLeg;
      return htlc.form === 'musig'
        ? world.mine(htlc.refundHeight - world.bitcoin.clock.height())
        : world.advance(htlc.refundLocktime - world.now() + 4 * hour);
    },
    evm: () => world.advance(60 * hour),
  };
  await ways[source.on]();
  await world.mine(12);
}

/** Sats on the Bitcoin chain that are `whole` but for a fee. */
export function butForFee(came: bigint, whole: bigint): void {
  expect(came > whole - mostFee && came <= whole, `${came} sats came, of ${whole}`).toBe(true);
}
