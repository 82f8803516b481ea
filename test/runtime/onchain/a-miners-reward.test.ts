import { expect, test, vi } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { defaultPolicy as policy } from '../../../engine/legs/timeout-policy.ts';
import { judgeFunded, judgePaidOut } from '../../../engine/runtime/networks/onchain/judge.ts';
import type { MinedCoin } from '../../../engine/runtime/networks/onchain/judge.ts';
import { createShallow, eachByItself } from '../../../engine/runtime/networks/shallow.ts';
import { createBitcoinPort } from '../../support/sandbox-ports/bitcoin.ts';
import { newWorld, ours } from './scene.ts';
import { patience } from './patience.ts';
import { clientPublic, scriptOf, termsOf } from './support.ts';

vi.setConfig(patience);

/* Who mines a block, or is paid by a pool, has an HTLC paid by the reward: nobody spends it for a hundred blocks. */

const hour = 3_600;

/** An HTLC that a block pays, of whatever it brings. */
function rewarded() {
  const world = newWorld();
  const terms = termsOf(ours, clientPublic, world.tip().mtp + 48 * hour);
  const script = scriptOf(terms);
  world.mine(1, script);
  const [coin] = world.coinsOf(script);
  if (coin === undefined) throw new Error('no block pays it');
  const { outpoint, amount } = coin;
  const facts = { script, outpoint, refundLocktime: terms.refundLocktime, policy };
  const now = () => ({
    wall: unix(world.tip().mtp),
    bitcoin: { mtp: unix(world.tip().mtp), height: world.tip().height },
  });
  const asks = {
    ...{ ports: { bitcoin: createBitcoinPort(world) }, clock: { now }, ceilings: () => ({ claimBps: 5_000 }) },
    ...{ swap: 'a swap', shallow: createShallow<MinedCoin>('coin', eachByItself, () => true) },
  };
  return {
    world,
    paidOut: async () => (await judgePaidOut({ ...facts, targetAmount: amount }, asks))?.sentence ?? 'safe',
    funded: async () => {
      const lockRefundLocktime = unix(world.tip().mtp + 12 * hour);
      const lock = { ...facts, sourceAmount: sats(amount), confirmations: 1, lockRefundLocktime };
      return (await judgeFunded(lock, asks))?.sentence ?? 'safe';
    },
  };
}

test('fault 139, bitcoin: nothing is given for it, and no secret shown, before it can be spent', async () => {
  const { world, paidOut, funded } = rewarded();
  world.mine(5);
  const tooEarly = 'The coin is a miner’s reward of 6 confirmations: it cannot be spent before it has 100.';
  expect([await paidOut(), await funded()]).toEqual([tooEarly, tooEarly]);
  world.mine(94);
  expect([await paidOut(), await funded()]).toEqual(['safe', 'safe']);
});
