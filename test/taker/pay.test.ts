import { afterEach, expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { tokenAmount } from '../../engine/domain/money.ts';
import { anyFailure } from '../support/failure.ts';
import { startPair, type Pair } from './pair.ts';

let pair: Pair;
afterEach(() => pair.stop());

const amount = 50_000n;
const coins = { count: 3, sats: 40_000n };

/** The owner's view of what is open, as far as paying goes. */
async function wallet(id: string): Promise<unknown> {
  const { phase, pay } = await pair.listed(id);
  return { phase, own: pay?.own_wallet ?? null };
}

test('the wallet of the node pays a swap once, and a second time is refused', async () => {
  pair = await startPair({ taker: { coins } });
  const { bolt11, hash } = pair.world.invoice(amount, { hold: true });
  const id = await pair.toLightning(bolt11, amount);
  const { amount_sats, provider_swap_id } = await pair.listed(id);
  await expect.poll(() => wallet(id), { timeout: 60_000 }).toEqual({ phase: 'pay', own: true });
  const both = await Promise.all([pair.taker.taker.pay(id), pair.taker.taker.pay(id)]);
  expect(both.filter((answer) => 'refusal' in answer)).toEqual([
    { refusal: 'forbidden', sentence: expect.stringContaining('it is paid once') },
  ]);
  expect([await wallet(id), pair.taker.at(id) === 'waiting' || pair.taker.at(id) === 'funded']).toEqual([
    { phase: 'wait', own: null },
    true,
  ]);
  await pair.taker.until(id, 'funded');
  await pair.provider.until(provider_swap_id ?? '', 'paying');
  expect([await wallet(id), await pair.taker.taker.pay(id)]).toEqual([
    { phase: 'wait', own: null },
    { refusal: 'forbidden', sentence: expect.stringContaining('does not wait for a payment') },
  ]);
  pair.world.lightning.release(toHex(hash), 'settles');
  await pair.taker.until(id, 'done');
  const { outcome, steps, transactions } = await pair.listed(id);
  expect([outcome, steps.map(({ step, state, time }) => [step, state, time !== null]), await pair.balance()]).toEqual([
    'finished',
    [
      ['create', 'done', true],
      ['pay', 'done', true],
      ['pay-out', 'done', true],
      ['finished', 'done', true],
    ],
    BigInt(coins.count) * coins.sats - BigInt(amount_sats),
  ]);
  expect(transactions.map(({ what, whose }) => [what, whose])).toEqual([
    ['fund', 'you'],
    ['claim', 'provider'],
  ]);
});

test('fault 80: coins that expire before the provider would take them pay nothing, and the owner is told', async () => {
  pair = await startPair({ taker: { coins } });
  const own = (await pair.taker.ports.arkade?.walletCoins()) ?? [];
  const soonest = Math.min(...own.map(({ expiresAt }) => expiresAt));
  await pair.world.advance(soonest - pair.world.now() - 20 * 3_600);
  const id = await pair.toLightning(pair.world.invoice(amount).bolt11, amount);
  await expect.poll(() => wallet(id), { timeout: 60_000 }).toEqual({ phase: 'pay', own: false });
  expect(await pair.taker.taker.pay(id)).toEqual({
    refusal: 'forbidden',
    sentence: expect.stringContaining('0 are free of promises to swaps in coins that live long enough'),
  });
});

test('what the wallet does not hold, and what is paid over Lightning, it does not pay', async () => {
  pair = await startPair();
  const toLightning = await pair.toLightning(pair.world.invoice(amount).bolt11, amount);
  const fromLightning = await pair.fromLightning(amount);
  expect([await wallet(toLightning), await wallet(fromLightning)]).toEqual([
    { phase: 'pay', own: false },
    { phase: 'pay', own: false },
  ]);
  expect([await pair.taker.taker.pay(toLightning), await pair.taker.taker.pay(fromLightning)]).toEqual([
    { refusal: 'forbidden', sentence: expect.stringContaining('0 are free') },
    { refusal: 'forbidden', sentence: expect.stringContaining('does not wait for a payment') },
  ]);
});

/** Pays an invoice from the Lightning wallet of the client's node. */
function withdrawTo(bolt11: string): ReturnType<typeof pair.taker.service.owner.withdraw> {
  return pair.taker.service.owner.withdraw('lightning', { address: bolt11, amount: tokenAmount(amount), asset: null });
}

/** A swap that waits for its coins, whose provider is gone: its own payment would be told apart by nothing here. */
async function waitsAlone(bolt11: string): Promise<string> {
  const id = await pair.toLightning(bolt11, amount);
  await pair.provider.kill();
  await expect.poll(() => wallet(id), { timeout: 60_000 }).toEqual({ phase: 'pay', own: true });
  return id;
}

test('fault 92: an invoice that a swap of ours gave for is not paid from the Lightning wallet as well', async () => {
  pair = await startPair({ taker: { coins, without: [] } });
  const { bolt11, hash } = pair.world.invoice(amount, { hold: true });
  const id = await waitsAlone(bolt11);
  await pair.taker.taker.pay(id);
  await pair.taker.until(id, 'funded');
  expect([await withdrawTo(bolt11), await pair.taker.ports.lightning?.payment(hash)]).toEqual([
    { refusal: 'forbidden', sentence: expect.stringContaining(`Your swap ${id} pays this invoice already`) },
    { is: 'absent' },
  ]);
});

test('fault 271, arkade: an invoice whose swap is being paid from the wallet is paid by nothing else', async () => {
  let isAway = false;
  pair = await startPair({
    taker: {
      coins,
      without: [],
      onBoundary(what, moment) {
        if (isAway && what === 'ark.submitTx' && moment === 'before') throw anyFailure('away', 'safe', 'not there');
      },
    },
  });
  const { bolt11, hash } = pair.world.invoice(amount, { hold: true });
  const id = await waitsAlone(bolt11);
  isAway = true;
  await pair.taker.taker.pay(id);
  expect([pair.taker.at(id), await withdrawTo(bolt11), await pair.taker.ports.lightning?.payment(hash)]).toEqual([
    'waiting',
    { refusal: 'forbidden', sentence: expect.stringContaining(`Your swap ${id} pays this invoice already`) },
    { is: 'absent' },
  ]);
  isAway = false;
  await pair.taker.until(id, 'funded');
});

test('fault 92: an invoice that the Lightning wallet pays is given for by no swap of ours', async () => {
  pair = await startPair({ taker: { coins, without: [] } });
  const { bolt11 } = pair.world.invoice(amount, { hold: true });
  const id = await waitsAlone(bolt11);
  expect(await withdrawTo(bolt11)).toHaveProperty('id');
  expect([await pair.taker.taker.pay(id), await pair.balance()]).toEqual([
    { refusal: 'forbidden', sentence: expect.stringContaining('Your Lightning wallet pays this invoice already') },
    BigInt(coins.count) * coins.sats,
  ]);
});
