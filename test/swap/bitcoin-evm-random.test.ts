import { expect, test } from 'vitest';
import { sameOutpoint } from '../../engine/domain/outpoint.ts';
import type { Effect, Event, Watch } from '../../engine/swap/machine.ts';
import { bitcoinEvmCase, bitcoinEvmTerms as t } from './bitcoin-evm-cases.ts';
import { diceOf, endings, type Games, gamesLimit } from './dice.ts';
import { drive } from './driver.ts';
import { ourLockIn } from './our-lock-world.ts';
import { theirCoinsIn } from './their-coins-world.ts';

/*
 * The chain of the client's coin beside the chain of our lock. The client pays what it likes, replaces it, claims by
 * itself and through us, and takes every refund it can get.
 */

const games: Games = { runs: 6_000, throws: [40, 300], seed: 20_262 };

function play(numbers: readonly number[]): string {
  const dice = diceOf(numbers);
  const { roll, left } = dice;
  const rumours: Event[] = [];
  let mayReveal = false;
  let isLocked = false;

  const chain = ourLockIn({
    terms: t,
    dice,
    swap: () => swap,
    isGone: () => null,
    isUnsure({ onlyIf }) {
      const coin = onlyIf?.fundedForLock?.outpoint;
      return coin === undefined ? swap.fail('a lock without the coin that it is for') : bitcoin.isShort(coin);
    },
    onSigned(purpose) {
      if (purpose === 'lock') isLocked = true;
    },
  });
  const { now } = chain;
  const swap = drive(bitcoinEvmCase.machine, t, bitcoinEvmCase.first, [], (from, step) => {
    const isOver = from.at === 'claiming' || from.at === 'lost';
    if (isOver && step.effects.some((effect) => effect.do === 'evm.send'))
      return 'a claiming swap acts on the EVM chain';
    return null;
  });
  const bitcoin = theirCoinsIn({
    terms: t,
    dice,
    wall: chain.wall,
    fail: swap.fail,
    mayClaim: () => (mayReveal ? null : 'the bitcoin is claimed although nobody saw the client claim'),
    isPromised: (point) => isLocked && 'coin' in swap.progress && sameOutpoint(swap.progress.coin, point),
  });

  function hear(event: Event): void {
    const before = swap.progress.at;
    swap.deliver(event, now());
    const { progress: to } = swap;
    if (to.at === before) return;
    if ((to.at === 'claimed' || to.at === 'lost') && !bitcoin.isOver(to.coin))
      swap.fail(`it is ${to.at} although nothing that takes the coin is buried`);
    if (to.at === 'funded' && (before === 'pending' || before === 'seen') && rumours.at(-1) !== event)
      if (bitcoin.isShort(to.coin)) swap.fail('a lock is made for a coin that is not there, in a block and whole');
  }

  function lookOf(watch: Watch): Event {
    if (watch.on === 'htlc') return bitcoin.look();
    return chain.lookOf(watch) ?? swap.fail(`nobody keeps the watch ${watch.on}`);
  }

  /** Everything that could be told now; some of it is heard late, twice or never. */
  function look(): void {
    rumours.push(...swap.watches.map(lookOf));
    mayReveal ||= chain.state() === 'redeemed';
  }

  function lookAtAll(): void {
    look();
    for (const event of swap.watches.map(lookOf)) hear(event);
  }

  function act(effect: Effect): Event | null {
    switch (effect.do) {
      case 'htlc.spend':
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
    if (effect.do === 'evm.send') return chain.send(effect, answerArrives);
    const answer = act(effect);
    // A lost answer, or a node that died before its commit: the effect is still owed.
    if (answer !== null && answerArrives) swap.deliver(answer, now(), effect);
  }

  function pass(seconds: number): void {
    chain.pass(seconds);
    bitcoin.pass(seconds);
  }

  while (left()) {
    switch (roll(14)) {
      case 0:
        pass([1, 30, 600, 1_800, 14_400, 43_200][roll(6)] ?? 1);
        break;
      case 1:
        if (roll(2) === 0) bitcoin.pay();
        break;
      case 2:
        look();
        break;
      case 3:
        swap.deliver({ is: 'clock' }, now());
        break;
      case 4:
        if (roll(2) === 0) chain.requestClaim();
        else if (chain.state() === 'created' && roll(2) === 0) chain.claimAlone();
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
        chain.mine();
        break;
      case 9:
        if (roll(3) === 0) bitcoin.reorganise();
        else if (roll(3) === 0) bitcoin.evict();
        break;
      case 10:
        if (roll(3) === 0) chain.reorganise();
        else if (roll(6) === 0) chain.giveUp();
        break;
      case 11:
        lookAtAll();
        break;
      default:
        work(roll(4) > 0);
    }
  }
  for (let i = 0; i < 90 && swap.open(); i++) {
    pass(i > 20 ? 7_200 : 60);
    work(true);
    bitcoin.calm();
    bitcoin.mine();
    chain.mine();
    lookAtAll();
    swap.deliver({ is: 'clock' }, now());
    if (i > 50) bitcoin.clientRefunds();
    // What a reorganisation took is asked for once more, and where relays fail claimed by the client itself.
    if (swap.progress.at === 'claimed') chain.requestClaim();
    if (swap.progress.at === 'claimed' && i > 60) chain.claimAlone();
  }
  if (swap.open()) swap.fail(`the swap never ended, it is ${swap.progress.at}`);
  for (let i = 0; i < 20; i++) chain.mine();
  const ours = bitcoin.claimed();
  if (ours > 1) swap.fail('more than one coin of the client was claimed');
  if (ours === 1 && chain.state() !== 'redeemed') swap.fail(`the bitcoin is ours, and the lock ${chain.state()}`);
  if (ours === 0 && chain.state() === 'redeemed' && !bitcoin.lostToLocktime()) swap.fail('the client has both legs');
  if (chain.state() === 'created' && ours === 0) swap.fail('our lock is left lying');
  return swap.progress.at;
}

test('bitcoin to evm: no run ends with both legs in one hand, and every ending is reached', gamesLimit, () => {
  expect(endings(play, games)).toEqual(['claimed', 'lapsed', 'lost', 'refunded', 'returned', 'stopped']);
});
