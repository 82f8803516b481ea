import { afterEach, expect, test, vi } from 'vitest';
import type { TakerDirection } from '../../engine/domain/chain.ts';
import { noSats } from '../../engine/domain/money.ts';
import { lightningOf } from '../../engine/runtime/ports.ts';
import { hour, openSwap, pay, stageOf, within, type Stage } from '../taker/by-half.ts';

/* The Lightning node of the provider has no coin on the chain when its client has paid: it could close no channel. */

vi.setConfig({ testTimeout: 180_000 });

let stage: Stage | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await stage?.stop();
  stage = undefined;
});

/** What its client pays is there, and nothing follows. */
async function paidWithoutCoins(way: TakerDirection) {
  stage = await stageOf([way], { untilMs: 60_000 });
  const { taker, provider } = stage.pair;
  const opened = await openSwap(stage, way);
  const { id, deal } = opened;
  const lightning = lightningOf(provider.ports);
  const honest = lightning.closingFunds.bind(lightning);
  const funds = vi.spyOn(lightning, 'closingFunds');
  funds.mockImplementation(async () => ({ ...(await honest()), coins: noSats }));
  const paid = vi.spyOn(lightning, 'pay');
  await pay(stage, opened);
  const waits = () => provider.store.effects.of(deal.swapId).some(({ attempts }) => attempts > 2);
  await within(stage, way, [waits, 'what it paid is sure, and nothing follows']);
  expect(paid).not.toHaveBeenCalled();
  return {
    ...{ client: () => taker.at(id), provider: () => provider.at(deal.swapId) },
    comes: () => void funds.mockImplementation(honest),
  };
}

test.each(['lightning-bitcoin', 'bitcoin-lightning'] as const)(
  '%s goes on once the Lightning node has a coin',
  async (way) => {
    const { provider, comes } = await paidWithoutCoins(way);
    comes();
    await within(stage!, way, [() => ['paying', 'claimed'].includes(provider() ?? ''), 'the provider gives or pays']);
  },
);

test.each(['lightning-arkade', 'lightning-evm'] as const)(
  'fault 336, lightning: %s, what could not be claimed goes back, and nothing is given',
  async (way) => {
    const { provider } = await paidWithoutCoins(way);
    const before = provider();
    await stage!.pair.world.advance(60 * hour);
    await within(stage!, way, [() => provider() !== before, 'the provider gives up']);
    expect(provider()).toBe('stopped');
    await within(stage!, way, [() => stage!.pair.world.lightning.inFlight().length === 0, 'the payment goes back']);
  },
);

test.each(['arkade-lightning', 'evm-lightning'] as const)(
  'fault 337, lightning: %s, no payment is begun that could not be taken back',
  async (way) => {
    const { client, provider } = await paidWithoutCoins(way);
    const before = provider();
    await stage!.pair.world.advance(60 * hour);
    await within(stage!, way, [() => provider() !== before, 'the provider gives up']);
    await within(stage!, way, [() => client() === 'done', 'its client has it back']);
  },
);
