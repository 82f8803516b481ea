import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { outpointKey } from '../../engine/domain/outpoint.ts';
import { unix } from '../../engine/domain/time.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import { judgePaidOut, type MinedCoin } from '../../engine/runtime/networks/onchain/judge.ts';
import { createShallow } from '../../engine/runtime/networks/shallow.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { isAtStake } from '../../engine/swap/provider/direction.ts';
import { fundPoint } from '../swap/bitcoin-arkade-cases.ts';
import { bitcoinLightningCase, bitcoinLightningTerms as terms, calledOf } from '../swap/bitcoin-lightning-cases.ts';
import { clocksAt, start } from '../swap/cases.ts';
import { explore } from '../swap/explore.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { newWorld, ours } from './onchain/scene.ts';
import { clientPublic, scriptOf, termsOf } from './onchain/support.ts';

/* Coins of clients that are deep enough by themselves, and together are much. */

const confirmations = 3;
function coins(stakes: (swap: string) => boolean = () => true) {
  const shallow = createShallow<MinedCoin>('coin', () => ({ much: sats(100n), confirmations }), stakes);
  return { ...shallow, admit: (one: MinedCoin, tip: number) => shallow.admit(outpointKey(one.outpoint), one, tip) };
}
/** Of so much, each at an output of its own. */
const coin = (vout: number, amount: bigint, height = 10) => ({
  swap: `swap ${vout}`,
  outpoint: { ...fundPoint, vout },
  amount: sats(amount),
  height,
});
/** A chain that has every coin in this block. */
const minedAt = (height: number | null) => async () => height;
const waits = expect.objectContaining({ unsafe: 'wait' });

test('fault 241, bitcoin: coins of few blocks are one amount, until they are as deep as much has to be', async () => {
  const shallow = coins();
  expect([shallow.admit(coin(0, 60n), 10), shallow.admit(coin(1, 40n), 10)]).toEqual([null, null]);
  const more = {
    unsafe: 'wait',
    sentence:
      'The coin has 1 confirmations, and with other new coins it comes to 101 sats; above 100 sats 3 are ' + 'needed.',
  };
  expect(shallow.admit(coin(2, 1n), 10)).toEqual(more);
  // What was given for goes on, and what is deep by itself waits for no other.
  expect([shallow.admit(coin(0, 60n), 10), shallow.admit(coin(3, 900n, 8), 10)]).toEqual([null, null]);
  await shallow.settle(minedAt(10), 11);
  expect(shallow.admit(coin(2, 1n), 11)).toEqual(waits);
  await shallow.settle(minedAt(10), 12);
  expect(shallow.admit(coin(2, 1n, 11), 12)).toBeNull();
  // The first two are out of reach now; the third is not.
  expect([shallow.admit(coin(4, 100n, 12), 12), shallow.admit(coin(4, 99n, 12), 12)]).toEqual([waits, null]);
});

test('fault 241, bitcoin: one coin that is much by itself, whatever its swap was made for', () => {
  expect([coins().admit(coin(0, 101n), 10), coins().admit(coin(0, 101n), 12)]).toEqual([waits, null]);
});

test('fault 241, bitcoin: a coin that is mined again higher counts until it is deep there', async () => {
  const shallow = coins();
  const next = (height: number) => shallow.admit(coin(1, 50n, height), height);
  expect(shallow.admit(coin(0, 60n), 10)).toBeNull();
  // Its block is replaced, and it is in none for a while.
  await shallow.settle(minedAt(null), 12);
  expect(next(12)).toEqual(waits);
  await shallow.settle(minedAt(13), 14);
  expect(next(14)).toEqual(waits);
  await shallow.settle(minedAt(13), 15);
  expect(next(15)).toBeNull();
});

test('fault 241, bitcoin: a coin that is judged again counts by the block that it is in then', async () => {
  const shallow = coins();
  expect([shallow.admit(coin(0, 60n), 10), shallow.admit(coin(0, 60n, 12), 12)]).toEqual([null, null]);
  await shallow.settle(minedAt(10), 12);
  expect(shallow.admit(coin(1, 50n, 12), 12)).toEqual(waits);
});

test('fault 241, bitcoin: a client whose payments fail keeps no other from being given for', () => {
  const { machine } = bitcoinLightningCase;
  const { states } = explore(bitcoinLightningCase);
  const named = (name: string) => {
    const state = states.find((one) => calledOf(one) === name);
    if (state === undefined) throw new Error(`no state is called ${name}`);
    return state;
  };
  let progress = named('funded');
  const shallow = coins((swap) => swap !== 'swap 0' || isAtStake(progress));
  const happens = (event: Event) => {
    const step = machine.step(terms, progress, event, clocksAt(start + 60));
    if (step === 'stay') throw new Error(`${event.is} changes nothing`);
    ({ progress } = step);
  };
  expect(shallow.admit(coin(0, 100n), 10)).toBeNull();
  happens({ is: 'payment.started' });
  expect(shallow.admit(coin(1, 100n), 10)).toEqual(waits);
  happens({ is: 'payment.seen', state: { is: 'failed', reason: 'the invoice is refused' } });
  expect(shallow.admit(coin(1, 100n), 10)).toBeNull();
});

test('fault 241, bitcoin: a payment that was called off and may still settle counts', () => {
  const at = 'stopped';
  expect([isAtStake({ at }), isAtStake({ at, doubt: { late: 'maybe' } }), isAtStake({ at: 'claimed' })]).toEqual([
    false,
    true,
    true,
  ]);
});

/** Coins of a provider in one block, each for an order of its own, and what is said of a secret for each. */
function providersCoins(count: number) {
  const world = newWorld();
  const bitcoin = createBitcoinPort(world);
  const targetAmount = sats(60_000n);
  const shallow = createShallow<MinedCoin>(
    'coin',
    () => ({ much: sats(100_000n), confirmations }),
    () => true,
  );
  const orders = Array.from({ length: count }, (_, i) => {
    const { refundLocktime, ...terms } = termsOf(ours, clientPublic, world.tip().mtp + 12 * 3_600 + i);
    const script = scriptOf({ ...terms, refundLocktime });
    const outpoint = world.faucet(script, targetAmount);
    if (outpoint === null) throw new Error('the faucet has no coin');
    return { script, outpoint, targetAmount, refundLocktime, policy };
  });
  const judged = (i: number) => {
    const facts = orders[i];
    if (facts === undefined) throw new Error('there is no such order');
    const { mtp, height } = world.tip();
    const clock = { now: () => ({ wall: unix(mtp), bitcoin: { mtp: unix(mtp), height } }) };
    const ceilings = () => ({ claimBps: 5_000 });
    return judgePaidOut(facts, { ports: { bitcoin }, clock, ceilings, shallow, swap: `order ${i}` });
  };
  return { world, judged };
}

test('fault 359, bitcoin: secrets for coins of one block leave while those are small together', async () => {
  const { world, judged } = providersCoins(2);
  world.mine(1);
  expect(await judged(0)).toEqual({ unsafe: 'wait', sentence: 'The coin has 1 confirmations; 2 are needed.' });
  world.mine(1);
  world.setFeeRate(490);
  expect((await judged(0))?.sentence).toMatch(/^A claim would cost/);
  world.setFeeRate(1);
  // Of what is not shown nothing counts.
  expect([await judged(1), await judged(1), await judged(0)]).toEqual([
    null,
    null,
    {
      unsafe: 'wait',
      sentence:
        'The coin has 2 confirmations, and with other new coins it comes to 120000 sats; above 100000 sats 3 are needed.',
    },
  ]);
  world.mine(1);
  expect(await judged(0)).toBeNull();
});
