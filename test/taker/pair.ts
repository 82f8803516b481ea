import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import { takerSwap, type TakerSwap } from '../../engine/contract/taker-swap.ts';
import type { SwapStatus } from '../../engine/domain/status.ts';
import type { ArkadeLeg, Deal, Leg, LightningLeg, TakerProgress } from '../../engine/taker/terms.ts';
import type { ProviderPort } from '../../engine/taker/port.ts';
import { booksApart, judgeBooks, openBooks } from '../support/books.ts';
import { startNodeOn, type NodeOptions, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';
import { providerFailure } from '../../engine/legs/provider/failures.ts';

/** As the wire says it, with what the tests compare it with: both legs wherever they are, and the status of the row. */
export type Listed = TakerSwap & {
  readonly invoice: string | null;
  readonly address: string | null;
  readonly amount_sats: number;
  readonly receive_sats: number;
  readonly status: SwapStatus;
  readonly can_refund: boolean;
};

/** The leg of a deal on a network. */
export function legOn(deal: Deal, on: 'arkade'): ArkadeLeg;
export function legOn(deal: Deal, on: 'lightning'): LightningLeg;
export function legOn(deal: Deal, on: string): Leg {
  const leg = [deal.source, deal.target].find((one) => one.on === on);
  if (leg === undefined) throw new Error(`nothing of the deal is on ${on}`);
  return leg;
}

/**
 * A provider and somebody who swaps with it, each a node of its own with a seed and a disk of its own, in one world.
 */
export interface Pair {
  readonly world: World;
  provider: TestNode;
  taker: TestNode;
  /** What the taker's calls meet instead of the provider's answers; emptied, they reach the provider. */
  readonly tampered: Partial<ProviderPort>;
  fromLightning(amount: bigint): Promise<string>;
  toLightning(bolt11: string, amount: bigint): Promise<string>;
  /** `amount` is what arrives. */
  fromBitcoin(amount: bigint): Promise<string>;
  listed(id: string): Promise<Listed>;
  /** Sats in the taker's Arkade wallet. */
  balance(): Promise<bigint>;
  restartTaker(options?: Partial<NodeOptions>): Promise<void>;
  restartProvider(): Promise<void>;
  /** What keeps the books of one of them and a network apart to the end: `stop` then rejects where they agree. */
  booksDiffer(reason: string): void;
  /** Rejects where the books of either say anything else than the networks, and nobody said why. */
  stop(): Promise<void>;
}

/** The first page, narrowed to nothing. */
export const everything = { text: null, show: 'all', network: null, cursor: null, limit: 200 } as const;

export const takerSeed = 2;

export async function startPair(
  options: {
    taker?: Partial<NodeOptions>;
    provider?: Partial<NodeOptions>;
    config?: Record<string, unknown>;
    world?: World;
  } = {},
): Promise<Pair> {
  const world = options.world ?? startWorld();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-taker-'));
  const tampered: Partial<ProviderPort> = {};
  let why: string | null = null;
  const config = options.config === undefined ? {} : { config: options.config };

  /** The provider of this moment, which may have died and come back since. */
  function asProvider(xpub: string): ProviderPort {
    return new Proxy({} as ProviderPort, {
      get: (_, name: keyof ProviderPort) => {
        const instead = tampered[name];
        return (
          instead ??
          ((...args: never[]) => (pair.provider.asProvider(xpub)[name] as (...given: never[]) => unknown)(...args))
        );
      },
    });
  }

  const startTaker = (changed: Partial<NodeOptions> = {}) =>
    startNodeOn(world, join(folder, 'taker'), {
      seed: takerSeed,
      without: ['lightning'],
      coins: { count: 0, sats: 0n },
      provider: asProvider,
      ...config,
      ...options.taker,
      ...changed,
    });
  const startProvider = () => startNodeOn(world, join(folder, 'provider'), { seed: 1, ...config, ...options.provider });

  async function open(request: Parameters<TestNode['taker']['create']>[0]): Promise<string> {
    const created = await pair.taker.taker.create(request);
    if (isRefusal(created)) throw new Error(created.sentence);
    return created.id;
  }

  const pair: Pair = {
    world,
    tampered,
    provider: await startProvider(),
    taker: await startTaker(),
    fromLightning: (amount) =>
      open({ direction: 'lightning-arkade', amount: sats(amount), invoice: null, provider: '' }),
    toLightning: (bolt11, amount) =>
      open({ direction: 'arkade-lightning', amount: sats(amount), invoice: bolt11, provider: '' }),
    fromBitcoin: (amount) => open({ direction: 'bitcoin-arkade', amount: sats(amount), invoice: null, provider: '' }),
    async listed(id) {
      const all = await pair.taker.taker.swaps(everything);
      const listing = isRefusal(all) ? undefined : all.swaps.find((swap) => swap.id === id);
      const row = pair.taker.store.swaps.byId(id);
      if (listing === undefined || row === null) throw new Error(`no swap ${id} is listed`);
      expect([pair.taker.taker.swap(id), takerSwap.parse(listing)]).toEqual([listing, listing]);
      const { deal } = row.progress as TakerProgress;
      return {
        ...listing,
        invoice: deal === undefined ? null : legOn(deal, 'lightning').bolt11,
        address: deal === undefined ? null : legOn(deal, 'arkade').address,
        amount_sats: listing.give.sats ?? 0,
        receive_sats: listing.get.sats ?? 0,
        status: row.status,
        can_refund: listing.refund.state === 'possible',
      };
    },
    async balance() {
      const { available } = (await pair.taker.ports.arkade?.balance([])) ?? { available: 0n };
      return available;
    },
    async restartTaker(changed) {
      await pair.taker.kill();
      pair.taker = await startTaker(changed);
    },
    async restartProvider() {
      await pair.provider.kill();
      pair.provider = await startProvider();
    },
    booksDiffer(reason) {
      why = reason;
    },
    async stop() {
      const apart: string[] = [];
      try {
        for (const name of ['provider', 'taker'] as const)
          apart.push(...(await booksApart(pair[name])).map((one) => `${name}: ${one}`));
      } finally {
        await pair.taker.stop();
        await pair.provider.stop();
        world.stop();
        rmSync(folder, { recursive: true, force: true });
      }
      judgeBooks(apart, why);
    },
  };
  await openBooks(pair.provider);
  await openBooks(pair.taker);
  return pair;
}

/** A provider that does not answer, whatever it is asked. */
export async function silence(): Promise<never> {
  throw providerFailure('provider-away', 'ask-first', 'the provider does not answer');
}

export const silent: Partial<ProviderPort> = {
  create: silence,
  find: silence,
  status: silence,
  cosign: silence,
  quote: silence,
};
