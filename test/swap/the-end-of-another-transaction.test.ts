import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { bitcoinArkade } from '../../engine/swap/directions/bitcoin-arkade.ts';
import { bitcoinArkadeTerms as t, fundPoint } from './bitcoin-arkade-cases.ts';
import { clocksAt, coinPoint, otherPoint, start, txid } from './cases.ts';

/* Our lock on Arkade goes by its own transaction, and a refund that races its claim by the coin that both take. */

const step = (state: object, event: Event) => bitcoinArkade.step(t, state as never, event, clocksAt(start + 60));
const their = { coin: fundPoint, surplus: sats(0), extras: [] };

test('fault 334, arkade: our lock is on its way until the end of its own transaction is told', () => {
  const locking = { at: 'locking', lock: coinPoint, ...their };
  const of = (id: string): Event[] => [
    { is: 'vhtlc.accepted', purpose: 'lock', txid: id },
    { is: 'vhtlc.final', purpose: 'lock', txid: id },
    { is: 'vhtlc.refused', purpose: 'lock', txid: id, why: 'spent', reason: 'an input was spent' },
    { is: 'vhtlc.refused', purpose: 'lock', txid: id, why: 'refused', reason: 'the operator says no' },
  ];
  expect(of(otherPoint.txid).map((event) => step(locking, event))).toEqual(['stay', 'stay', 'stay', 'stay']);
  const own = of(coinPoint.txid).map((event) => step(locking, event));
  expect(own.map((one) => (one === 'stay' ? one : one.progress.at))).toEqual([
    'locking',
    'locked',
    'funded',
    'stopped',
  ]);
});

test('fault 334, arkade: a refund over another coin settles no race for our lock', () => {
  const racing = { at: 'claiming', ...their, spends: [], mined: null, lock: coinPoint, redeemTxid: null, racing: true };
  const of = (coin: typeof coinPoint): Event[] => [
    { is: 'vhtlc.final', purpose: 'refund', txid: txid.refund, coin },
    { is: 'onchain.final', leg: 'arkade', txid: txid.refund, coin, fee: sats(300) },
    { is: 'vhtlc.accepted', purpose: 'refund', txid: txid.refund, coin },
  ];
  expect(of(otherPoint).map((event) => step(racing, event))).toEqual(['stay', 'stay', 'stay']);
  const own = of(coinPoint).map((event) => step(racing, event));
  expect(own.map((one) => (one === 'stay' ? one : (one.flag ?? one.effects[0]?.do)))).toEqual([
    expect.stringContaining('Both legs of this swap are ours'),
    expect.stringContaining('Both legs of this swap are ours'),
    'vhtlc.finalize',
  ]);
});
