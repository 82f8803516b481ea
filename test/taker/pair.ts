import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import type { TakerSwaps } from '../../engine/contract/taker.ts';
import type { ProviderPort } from '../../engine/taker/port.ts';
import { startNodeOn, type NodeOptions, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';
import { providerFailure } from '../../engine/legs/provider/failures.ts';

export type Listed = TakerSwaps['swaps'][number];

/** A provider and somebody who swaps with it, each a node of its own with a seed and a disk of its own, in one world. */
export interface Pair {
  readonly world: World;
  provider: TestNode;
  taker: TestNode;
  /** What the taker's calls meet instead of the provider's answers; emptied, they reach the provider. */
  readonly tampered: Partial<ProviderPort>;
  fromLightning(amount: bigint): Promise<string>;
  toLightning(bolt11: string, amount: bigint): Promise<string>;
  listed(id: string): Promise<Listed>;
  /** Sats in the taker's Arkade wallet. */
  balance(): Promise<bigint>;
  restartTaker(options?: Partial<NodeOptions>): Promise<void>;
  restartProvider(): Promise<void>;
  stop(): Promise<void>;
}

export const takerSeed = 2;

export async function startPair(
  options: { taker?: Partial<NodeOptions>; config?: Record<string, unknown> } = {},
): Promise<Pair> {
  const world = startWorld();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-taker-'));
  const tampered: Partial<ProviderPort> = {};
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
  const startProvider = () => startNodeOn(world, join(folder, 'provider'), { seed: 1, ...config });

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
    async listed(id) {
      const all = await pair.taker.taker.swaps();
      const listing = isRefusal(all) ? undefined : all.swaps.find((swap) => swap.id === id);
      if (listing === undefined) throw new Error(`no swap ${id} is listed`);
      return listing;
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
    async stop() {
      await pair.taker.stop();
      await pair.provider.stop();
      world.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
