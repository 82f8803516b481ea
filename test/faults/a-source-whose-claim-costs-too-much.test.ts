import { afterEach, expect, test, vi } from 'vitest';
import type { TakerDirection } from '../../engine/domain/chain.ts';
import { sats } from '../../engine/domain/money.ts';
import type { SwapStatus } from '../../engine/domain/status.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import { evmNetworkOfWorld } from '../support/node-evm.ts';
import type { TestNode } from '../support/node.ts';
import { hour, openSwap, pay, stageOf, within, type Stage } from '../taker/by-half.ts';

/* A client paid, and blocks have become so dear meanwhile that our claim of what it paid would cost too much of it. */

vi.setConfig({ testTimeout: 180_000 });

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.stop();
  stage = undefined;
});

interface Dear {
  readonly client: () => string;
  readonly provider: () => string;
  readonly status: () => string | undefined;
  readonly falls: () => void;
}

/** What its client pays is there, and no block takes a claim of it for less than it holds. */
async function paidWhileDear(way: TakerDirection): Promise<Dear> {
  stage = await stageOf([way], { untilMs: 60_000 });
  const { taker, provider, world } = stage.pair;
  const opened = await openSwap(stage, way);
  const { id, deal } = opened;
  const falls = way.startsWith('evm')
    ? gasIsDear(provider, deal.swapId)
    : way.startsWith('lightning')
      ? partsAreSmall(provider, world)
      : blocksAreDear(world);
  await pay(stage, opened);
  const waits = () => provider.store.effects.of(deal.swapId).some(({ attempts }) => attempts > 2);
  await within(stage, way, [waits, 'what it paid is sure, and ours is not given']);
  return {
    ...{ client: () => taker.at(id), provider: () => provider.at(deal.swapId), falls },
    status: () => provider.store.swaps.byId(deal.swapId)?.status,
  };
}

function blocksAreDear({ bitcoin }: Stage['pair']['world']): () => void {
  bitcoin.setFeeRate(490);
  return () => void bitcoin.setFeeRate(2);
}

/** Whatever is held came in the smallest parts that count, and blocks ask for a little more than these are worth. */
function partsAreSmall({ ports }: TestNode, { bitcoin }: Stage['pair']['world']): () => void {
  const { lightning } = ports;
  if (lightning === null) throw new Error('it has a Lightning node');
  const honest = lightning.hold.bind(lightning);
  vi.spyOn(lightning, 'hold').mockImplementation(async (hash) => {
    const state = await honest(hash);
    return state.is === 'held' ? { ...state, smallest: sats(3_870) } : state;
  });
  bitcoin.setFeeRate(12);
  return () => void bitcoin.setFeeRate(2);
}

/** Once the lock of a client is sure: its funding was relayed before. */
function gasIsDear({ ports, store }: TestNode, id: string): () => void {
  const port = evmOf(ports, evmNetworkOfWorld);
  const honest = port.gasFees.bind(port);
  const isSure = () => store.journal.of(id).some(({ to }) => to === 'funded');
  const spy = vi.spyOn(port, 'gasFees');
  spy.mockImplementation(async () => (isSure() ? { is: 'dynamic', most: 10n ** 16n, tip: 1n } : honest()));
  return () => void spy.mockImplementation(honest);
}

async function givesNothing(way: TakerDirection, refusal: SwapStatus): Promise<void> {
  const { client, provider, status, falls } = await paidWhileDear(way);
  const before = provider();
  await stage!.pair.world.advance(60 * hour);
  await within(stage!, way, [() => provider() !== before, 'the provider gives up']);
  // On a busy machine its client has its own back before the provider looks.
  expect(['stopped refused', 'refunded clientrefunded']).toContain(
    `${provider()} ${status() === refusal ? 'refused' : status()}`,
  );
  falls();
  await within(stage!, way, [() => client() === 'done', 'its client has it back']);
}

async function givesLater(way: TakerDirection): Promise<void> {
  const { client, provider, status, falls } = await paidWhileDear(way);
  // Nobody tells a client that its payment over Lightning is held.
  expect([client(), status()]).toEqual([way.startsWith('lightning') ? 'waiting' : 'funded', 'clientfunded']);
  falls();
  await within(stage!, way, [() => provider() === 'claimed', 'the provider has what was paid']);
}

test('fault 184, bitcoin: nothing is given for a coin whose claim costs too much, and it goes back', () =>
  givesNothing('bitcoin-arkade', 'serverwontfund'));

test('fault 184, bitcoin: what is bought with such a coin is given once its claim costs less', () =>
  givesLater('bitcoin-arkade'));

test.each(['lightning-arkade', 'lightning-bitcoin', 'lightning-evm'] as const)(
  'fault 274, lightning: %s, ours is given once blocks ask less than its parts are worth',
  givesLater,
);

test.each([
  ['evm-arkade', 'serverwontfund'],
  ['evm-bitcoin', 'clientfundedtoolate'],
] as const)(
  'fault 184, evm: %s, nothing is given for a lock whose claim costs too much, and it goes back',
  givesNothing,
);

test('fault 184, evm: what is bought with such a lock is given once its claim costs less', () =>
  givesLater('evm-arkade'));
