import { afterEach, expect, test, vi } from 'vitest';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { anyFailure } from '../support/failure.ts';
import { openSwap, pay, stageOf, within, type Stage } from './by-half.ts';

vi.setConfig({ testTimeout: 180_000 });

let stage: Stage;
afterEach(async () => {
  stage.pair.world.operator.faults.back();
  await stage.stop();
});

test('fault 174, arkade: a VHTLC that would be given up on the chain is not brought there at our cost', async () => {
  stage = await stageOf(['bitcoin-arkade'], { untilMs: 60_000 });
  const { pair } = stage;
  const { world } = pair;
  await pair.restartTaker({
    onBoundary(what, moment) {
      if (what === 'arkade.prepareClaim' && moment === 'before') throw anyFailure('away', 'safe', 'nobody answers');
    },
  });
  const { taker } = pair;
  await deposit({ world, node: taker }, 60_000, 60_000, 60_000, 60_000);
  const opened = await openSwap(stage, 'bitcoin-arkade');
  await pay(stage, opened);
  await within(stage, 'bitcoin-arkade', [() => taker.at(opened.id) === 'claiming', 'it is to be claimed']);
  const look = async (): Promise<void> => {
    await taker.networks.refresh();
    await taker.exits.look();
    await taker.unilateralExits.look();
  };
  const { target } = taker.store.swaps.byId(opened.id)?.progress as unknown as { target: { coin: Outpoint } };
  for (let i = 0; i < 20 && !taker.store.exits.has(target.coin); i++) {
    await world.mine(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await look();
  }
  const isSaved = taker.store.exits.has(target.coin);
  world.operator.faults.away();
  for (let minutes = 0; minutes <= 11 * 60; minutes += 10) {
    await world.pass(600);
    await look();
  }
  const jobs = [...taker.runtime.workingSet.all()].filter(({ machine }) => machine.name === 'unroll-arkade');
  expect({ isSaved, jobs: jobs.length }).toEqual({ isSaved: true, jobs: 0 });
});
