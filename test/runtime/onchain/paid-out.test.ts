import { describe, expect, test, vi } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { OnlyIf } from '../../../engine/legs/only-if.ts';
import type { StillPaidOut } from '../../../engine/legs/onchain/conditions.ts';
import type { BitcoinPort, BroadcastAnswer } from '../../../engine/legs/onchain/port.ts';
import { claimUntil } from '../../../engine/legs/timelocks.ts';
import { defaultPolicy as policy } from '../../../engine/legs/timeout-policy.ts';
import { judgePaidOut, type MinedCoin } from '../../../engine/runtime/networks/onchain/judge.ts';
import { createShallow, eachByItself } from '../../../engine/runtime/networks/shallow.ts';
import type { Effect } from '../../../engine/swap/machine.ts';
import { createBitcoinPort } from '../../support/sandbox-ports/bitcoin.ts';
import { bitcoinScene, newWorld, ours, swapKey, type BitcoinScene, type SceneOptions } from './scene.ts';
import { clientPublic, clientSpend, scriptOf, termsOf } from './support.ts';
import { eventually, patience } from './patience.ts';

vi.setConfig(patience);

type Spend = Effect & { do: 'htlc.spend' };
const hour = 3_600;
const agreed = sats(60_000);
const ceilings = () => ({ claimBps: 5_000 });
const aWhile = (ms = 700) => new Promise((resolve) => setTimeout(resolve, ms));

/** The other side's coin for us, as a chain has it whose clock the test sets. */
function paidOut(world: BitcoinScene['world'], held = agreed) {
  const terms = termsOf(ours, clientPublic, world.tip().mtp + 12 * hour);
  const coin = world.faucet(scriptOf(terms), held);
  if (coin === null) throw new Error('the faucet has no coin');
  const { refundLocktime } = terms;
  const facts: StillPaidOut = { script: scriptOf(terms), outpoint: coin, targetAmount: agreed, refundLocktime, policy };
  return { terms, coin, facts };
}

describe('a coin for which a secret is to be shown', () => {
  function judging(held = agreed) {
    const world = newWorld();
    const { terms, coin, facts } = paidOut(world, held);
    const honest = createBitcoinPort(world);
    async function judged(lies: Partial<BitcoinPort> = {}): Promise<string> {
      const { mtp, height } = world.tip();
      const clock = { now: () => ({ wall: unix(mtp), bitcoin: { mtp: unix(mtp), height } }) };
      const ports = { bitcoin: { ...honest, ...lies } };
      const shallow = createShallow<MinedCoin>('coin', eachByItself, () => true);
      const safety = await judgePaidOut(facts, { ports, clock, ceilings, shallow, swap: 'an order' });
      return safety === null ? 'safe' : `${safety.unsafe}: ${safety.sentence}`;
    }
    return { world, terms, coin, judged, facts, honest };
  }

  test('is safe from its second block on', async () => {
    const { world, judged } = judging();
    const waiting = await judged();
    world.mine(1);
    const shallow = await judged();
    world.mine(1);
    expect([waiting, shallow, await judged()]).toEqual([
      'wait: The coin has 0 confirmations; 2 are needed.',
      'wait: The coin has 1 confirmations; 2 are needed.',
      'safe',
    ]);
  });

  test('is not enough when it holds a satoshi less, and is not looked for any more once its line is passed', async () => {
    const short = judging(sats(agreed - 1n));
    short.world.mine(2);
    const { world, judged, facts } = judging();
    world.advance(claimUntil(facts.refundLocktime, policy) - world.tip().mtp + hour);
    expect([await short.judged(), await judged()]).toEqual([
      'never: The coin holds 59999 sats; 60000 were agreed.',
      expect.stringMatching(/^never: A claim must begin before median time past is/),
    ]);
  });

  test('is gone once one source shows its spend, whatever another lists; and while sources differ it waits', async () => {
    const { world, terms, coin, judged, honest } = judging();
    world.mine(2);
    const doubted = await judged({ disagreement: () => 'Two sources differ.' });
    const listed = await honest.coins([scriptOf(terms)]);
    world.include([clientSpend(terms, { ...coin, amount: agreed }, { claim: false }).bytes]);
    world.mine(1);
    const unseen = 'wait: The coin is not seen unspent on the chain now.';
    expect([doubted, await judged(), await judged({ coins: async () => listed })]).toEqual([
      'wait: Two sources differ.',
      unseen,
      unseen,
    ]);
  });

  test('fault 169, bitcoin: waits while its claim costs more than an eighth of it, until its line is passed', async () => {
    const { world, judged, facts } = judging();
    world.mine(2);
    const safeties: string[] = [];
    for (const rate of [46, 47, 490]) {
      world.setFeeRate(rate);
      safeties.push(await judged());
    }
    world.setFeeRate(1);
    safeties.push(await judged());
    world.setFeeRate(490);
    world.advance(claimUntil(facts.refundLocktime, policy) - world.tip().mtp + hour);
    safeties.push(await judged());
    expect(safeties).toEqual([
      'safe',
      'wait: A claim would cost 7520 sats now; it may cost at most 7500 of 60000 before anything is given.',
      'wait: A claim would cost 78400 sats now; it may cost at most 7500 of 60000 before anything is given.',
      'safe',
      expect.stringMatching(/^never: A claim must begin before median time past is/),
    ]);
  });

  test('fault 169, bitcoin: is judged by what blocks asked where nobody gives an estimate to believe', async () => {
    const { world, judged } = judging();
    world.mine(2);
    const blocksAt = (rate: number): Partial<BitcoinPort> => ({
      feeRate: () => Promise.resolve(Number.NaN),
      blockRates: () => Promise.resolve(Array.from({ length: 144 }, (_, height) => ({ height, rate }))),
    });
    expect([await judged(blocksAt(400)), await judged(blocksAt(4))]).toEqual([
      'wait: A claim would cost 64000 sats now; it may cost at most 7500 of 60000 before anything is given.',
      'safe',
    ]);
  });

  test('is the one that was decided for, and no other at the same script', async () => {
    const { world, terms, coin, judged } = judging();
    world.faucet(scriptOf(terms), agreed);
    world.mine(1);
    world.reorg(1, [coin.txid]);
    world.mine(3);
    expect(await judged()).toBe('wait: The coin is not seen unspent on the chain now.');
  });
});

describe('a claim that shows the secret first', () => {
  async function claiming(options: SceneOptions = {}) {
    const world = newWorld();
    const { terms, coin, facts } = paidOut(world);
    world.mine(1);
    const scene = await bitcoinScene({ ...options, world });
    const { script, refundLocktime: deadline } = facts;
    const purpose = 'claim';
    const spend: Spend = { do: 'htlc.spend', purpose, terms, script, key: swapKey, coin, leastRate: 0, deadline };
    const onlyIf: OnlyIf = { notAfter: claimUntil(deadline, policy), paidOut: facts };
    const id = scene.open({ spend, onlyIf }, [spend], 'the secret');
    await eventually(() => scene.rows(id).length === 1, 'it is signed');
    const row = () => scene.rows(id)[0] ?? { txid: '', state: 'none' };
    return { scene, world, coin, id, row, pastLine: () => world.advance(8 * hour) };
  }

  test('is kept back while the coin is shallow, and sent once it is deep', async () => {
    const { world, coin, row } = await claiming();
    await aWhile();
    expect([row().state, world.spend(coin)]).toEqual(['prepared', undefined]);
    world.mine(1);
    await eventually(() => world.spend(coin)?.txid === row().txid, 'it is sent');
    expect(row().state).toBe('accepted');
  });

  test('is called off for good where it was never sent and its line is passed', async () => {
    const { scene, world, coin, id, row, pastLine } = await claiming();
    pastLine();
    await eventually(() => scene.at(id) === 'over: onchain.refused', 'it is called off');
    await aWhile(200);
    expect([scene.heard(id, 'onchain.refused')[0], row().state, world.spend(coin)]).toEqual([
      expect.objectContaining({ why: 'late' }),
      'dead',
      undefined,
    ]);
  });

  test('counts as sent before it leaves, and is sent again for ever, though its line is passed', async () => {
    const states: string[] = [];
    let stateNow = () => '';
    const later: BroadcastAnswer = { is: 'later', reason: 'nobody takes it now' };
    const { scene, world, id, row, pastLine } = await claiming({
      lying: () => ({
        async broadcast() {
          states.push(stateNow());
          return later;
        },
        broadcastPackage: async () => ({ parent: later, child: later }),
      }),
    });
    stateNow = () => row().state;
    world.mine(1);
    await eventually(() => states.length > 0, 'it is sent');
    pastLine();
    const before = states.length;
    await eventually(() => states.length > before, 'it is sent again');
    expect([new Set(states), scene.heard(id, 'onchain.refused')]).toEqual([new Set(['accepted']), []]);
  });

  test('is not kept back once a mempool has it, for another life of this node sent it', async () => {
    const { scene, world, coin, row } = await claiming();
    const bytes = scene.store.transactions.bytes(row().txid);
    world.submit(bytes ?? new Uint8Array());
    await eventually(() => row().state === 'accepted', 'it counts as sent');
    world.evict(row().txid);
    await eventually(() => world.spend(coin)?.txid === row().txid, 'it is sent again');
  });
});
