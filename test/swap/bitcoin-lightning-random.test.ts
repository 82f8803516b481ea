import { expect, test } from 'vitest';
import { sameOutpoint, type Outpoint } from '../../engine/domain/outpoint.ts';
import { height as heightOf, unix, type Clocks } from '../../engine/domain/time.ts';
import type { PaymentState } from '../../engine/legs/lightning/port.ts';
import { locktimeOf } from '../../engine/legs/onchain/locktime.ts';
import type { Effect, Event, Watch } from '../../engine/swap/machine.ts';
import { bitcoinLightningCase as one, bitcoinLightningTerms as t } from './bitcoin-lightning-cases.ts';
import { preimage, start } from './cases.ts';
import { diceOf, endings, type Games, gamesLimit } from './dice.ts';
import { drive } from './driver.ts';
import { theirCoinsIn } from './their-coins-world.ts';

/*
 * The chain of the client's coin beside an honest Lightning node, which answers late, twice or not at all. The client
 * pays what it likes, replaces it, asks for our signature on its refund whenever it likes, and takes every refund.
 */

const games: Games = { runs: 6_000, throws: [40, 300], seed: 20_262 };
const refundHeight = locktimeOf(t.htlc);

function play(numbers: readonly number[]): string {
  const dice = diceOf(numbers);
  const { roll, left } = dice;
  const rumours: Event[] = [];
  let wall: number = start;
  let payment = 'absent' as PaymentState['is'];
  let begun = false;
  /** A call that starts the payment is still on its way to the Lightning node. */
  let onItsWay = false;
  /** It arrived after the client's refund had been signed, or its coin could be taken back alone. */
  let isPaidInVain = false;
  const cosigned: Outpoint[] = [];

  const swap = drive(one.machine, t, one.first, [], (from, step) => {
    const isOver = from.at === 'claiming' || from.at === 'claimed';
    if (isOver && step.effects.some((effect) => effect.do === 'pay')) return 'a claiming swap pays';
    return null;
  });
  const isCosigned = (point: Outpoint): boolean => cosigned.some((of) => sameOutpoint(of, point));
  const bitcoin = theirCoinsIn({
    terms: t,
    dice,
    wall: () => wall,
    fail: swap.fail,
    mayClaim: () => (payment === 'settled' ? null : 'the bitcoin is claimed although nothing was paid'),
    isPromised: (point) => begun && 'coin' in swap.progress && sameOutpoint(swap.progress.coin, point),
  });
  const now = (): Clocks => ({
    wall: unix(wall),
    bitcoin: { mtp: unix(wall - 1_800), height: heightOf(bitcoin.height()) },
  });

  function paymentState(): PaymentState {
    if (payment === 'settled') return { is: 'settled', preimage, feeMsat: 1_000n };
    return payment === 'failed' ? { is: 'failed', reason: 'no route' } : { is: payment };
  }

  function lookOf(watch: Watch): Event {
    if (watch.on === 'htlc') return bitcoin.look();
    return watch.on === 'payment'
      ? { is: 'payment.seen', state: paymentState() }
      : swap.fail(`nobody keeps the watch ${watch.on}`);
  }

  function pay({ onlyIf }: Effect & { do: 'pay' }): Event | null {
    const coin = onlyIf.fundedForPayment?.outpoint ?? swap.fail('a payment without the coin that it is for');
    const late = wall - 1_800 > onlyIf.notAfter || bitcoin.height() + t.finalCltv + 3 > t.maxTimeoutHeight;
    if (late && !begun) return { is: 'payment.refused', reason: 'late' };
    if (payment !== 'absent') return { is: 'payment.seen', state: paymentState(), unsure: true };
    if (late || bitcoin.isShort(coin)) return begun ? { is: 'payment.started', unsure: true } : null;
    if (isCosigned(coin)) swap.fail('a payment is started for a coin whose refund was signed');
    const answer: Event = { is: 'payment.started', ...(begun ? { unsure: true } : {}) };
    begun = true;
    if (left() && roll(3) === 0) {
      onItsWay = true;
      return null;
    }
    payment = 'in-flight';
    return answer;
  }

  function act(effect: Effect): Event | null {
    switch (effect.do) {
      case 'pay':
        return pay(effect);
      case 'htlc.spend':
        if (isCosigned(effect.coin)) return null; // what was signed for is fenced outside of the machine
        return bitcoin.spend(effect);
      case 'onchain.broadcast':
        return bitcoin.keep(effect.txid);
      default:
        return swap.fail(`nobody asked for ${effect.do}`);
    }
  }

  function work(answerArrives: boolean): void {
    const effect = swap.next(roll);
    if (effect === undefined) return;
    const answer = act(effect);
    // A lost answer, or a node that died before its commit: the effect is still owed.
    if (answer !== null && answerArrives) swap.deliver(answer, now(), effect);
  }

  /** As a client asks over HTTP: what was noted counts as given, whether or not the answer arrives. */
  function askForRefund(): void {
    const look = bitcoin.look();
    const coins = look.is === 'htlc.seen' ? look.coins : [];
    const coin = coins[roll(Math.max(1, coins.length))];
    if (coin === undefined) return;
    const ask = { purpose: 'refund', coin: coin.outpoint, preimage: null } as const;
    // Whoever signs looks at the payment first, where it may still come.
    if (swap.progress.at === 'stopped') swap.deliver({ is: 'payment.seen', state: paymentState() }, now());
    if (one.machine.step(t, swap.progress, { is: 'cosign.asked', ...ask }, now()) === 'stay') return;
    const promised = 'coin' in swap.progress && sameOutpoint(swap.progress.coin, coin.outpoint);
    if (promised && begun && payment !== 'failed') swap.fail(`a refund is signed while the payment is ${payment}`);
    cosigned.push(coin.outpoint);
    swap.deliver({ is: 'cosign.given', ...ask, txid: 'ab'.repeat(32), bytes: new Uint8Array(60) }, now());
    if (roll(3) > 0) bitcoin.takeTogether(coin.outpoint);
  }

  /** The Lightning node tries a payment anew that it does not know, or that failed. */
  function arriveLate(): void {
    onItsWay = false;
    if (payment !== 'absent' && payment !== 'failed') return;
    payment = 'in-flight';
    isPaidInVain ||= cosigned.length > 0 || bitcoin.height() >= refundHeight || bitcoin.lostToLocktime();
  }

  function pass(seconds: number): void {
    wall += seconds;
    bitcoin.pass(seconds);
  }

  function lookAtAll(): void {
    for (const event of swap.watches.map(lookOf)) swap.deliver(event, now());
  }

  while (left()) {
    switch (roll(14)) {
      case 0:
        pass([1, 30, 600, 1_800, 14_400, roll(3) === 0 ? 86_400 : 600][roll(6)] ?? 1);
        break;
      case 1:
        if (roll(2) === 0) bitcoin.pay();
        break;
      case 2:
        rumours.push(...swap.watches.map(lookOf));
        break;
      case 3:
        swap.deliver({ is: 'clock' }, now());
        break;
      case 4:
        if (roll(3) === 0) askForRefund();
        break;
      case 5:
        if (roll(2) === 0) bitcoin.clientRefunds();
        break;
      case 6: {
        const event = rumours.at(-1 - roll(Math.min(6, Math.max(1, rumours.length))));
        if (event !== undefined) swap.deliver(event, now());
        break;
      }
      case 7:
        bitcoin.mine();
        break;
      case 8:
        if (payment === 'in-flight') payment = roll(2) === 0 ? 'settled' : 'failed';
        else if (onItsWay && bitcoin.height() + t.finalCltv < t.maxTimeoutHeight && roll(2) === 0) arriveLate();
        break;
      case 9:
        if (roll(3) === 0) bitcoin.reorganise();
        else if (roll(3) === 0) bitcoin.evict();
        break;
      case 10:
        lookAtAll();
        break;
      default:
        work(roll(4) > 0);
    }
  }
  for (let i = 0; i < 120 && swap.open(); i++) {
    pass(i > 20 ? 14_400 : 600);
    if (payment === 'in-flight') payment = 'settled';
    work(true);
    bitcoin.calm();
    bitcoin.mine();
    lookAtAll();
    swap.deliver({ is: 'clock' }, now());
    if (i > 30) bitcoin.clientRefunds();
  }
  if (swap.open()) swap.fail(`the swap never ended, it is ${swap.progress.at}`);
  const ours = bitcoin.claimed();
  if (ours > 1) swap.fail('more than one coin of the client was claimed');
  if (ours === 1 && payment !== 'settled') swap.fail('both legs are ours');
  if (ours === 0 && payment === 'settled' && !bitcoin.lostToLocktime() && !isPaidInVain)
    swap.fail('the payment settled and no coin was claimed: the client has both legs');
  return swap.progress.at;
}

test('bitcoin to lightning: no run ends with both legs in one hand, and every ending is reached', gamesLimit, () => {
  expect(endings(play, games)).toEqual(['claimed', 'lapsed', 'lost', 'refunded', 'stopped']);
});
