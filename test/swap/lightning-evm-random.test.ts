import { expect, test } from 'vitest';
import type { HoldState } from '../../engine/legs/lightning/port.ts';
import { stopLine } from '../../engine/legs/lightning/timelocks.ts';
import { openingEffects } from '../../engine/swap/halves/lightning/hold/waiting.ts';
import type { Effect, Event, Watch } from '../../engine/swap/machine.ts';
import { startHeight } from './cases.ts';
import { diceOf, endings, type Games, gamesLimit } from './dice.ts';
import { drive } from './driver.ts';
import { lightningEvmCase, lightningEvmTerms as t } from './lightning-evm-cases.ts';
import { ourLockIn } from './our-lock-world.ts';

/*
 * An honest Lightning node beside the chain of our lock, and a client who pays, claims by itself and through us, or
 * does nothing. The Lightning node gives a payment back by itself once it is about to time out.
 */

const games: Games = { runs: 6_000, throws: [30, 260], seed: 20_262 };

function play(numbers: readonly number[]): string {
  const dice = diceOf(numbers);
  const { roll, left } = dice;
  const rumours: Event[] = [];
  let hold = 'absent' as HoldState['is'];
  let mayReveal = false;
  let isTooLate = false;
  const expiryHeight = startHeight + t.cltvDelta;

  const chain = ourLockIn({
    terms: t,
    dice,
    swap: () => swap,
    isGone({ onlyIf }) {
      if (onlyIf?.hold === undefined) return swap.fail('a lock without the payment that it is for');
      return hold === 'held' ? null : `the payment is ${hold}`;
    },
    onSigned(purpose) {
      if (purpose === 'lock' && hold !== 'held') swap.fail(`a lock is signed for a payment that is ${hold}`);
    },
  });
  const { now } = chain;
  const swap = drive(lightningEvmCase.machine, t, lightningEvmCase.first, openingEffects(t), (from, step) => {
    if (from.at === 'claiming' && step.effects.some((effect) => effect.do === 'evm.send'))
      return 'a claiming swap acts on the EVM chain';
    return null;
  });

  function holdState(): HoldState {
    return hold === 'held'
      ? { is: 'held', amount: t.sourceAmount, smallest: t.sourceAmount, expiryHeight }
      : { is: hold };
  }

  function lookOf(watch: Watch): Event {
    if (watch.on === 'hold') return { is: 'hold.seen', state: holdState() };
    return chain.lookOf(watch) ?? swap.fail(`nobody keeps the watch ${watch.on}`);
  }

  function act(effect: Effect): Event {
    switch (effect.do) {
      case 'hold.create':
        if (hold === 'absent') hold = 'open';
        return { is: 'hold.created', bolt11: 'lnbcrt1', expiresAt: t.fundBefore };
      case 'hold.cancel':
        if (hold === 'settled') swap.fail('a settled invoice was cancelled');
        if (!chain.isClosed()) swap.fail(`the hold invoice was cancelled while our lock is ${chain.state()}`);
        if (hold !== 'absent') hold = 'cancelled';
        return { is: 'hold.cancelled' };
      case 'hold.settle':
        if (!mayReveal) swap.fail('the payment is settled although nobody saw the client claim');
        if (hold === 'held') hold = 'settled';
        return hold === 'settled' ? { is: 'hold.settled' } : { is: 'hold.seen', state: holdState() };
      default:
        return swap.fail(`nobody asked for ${effect.do}`);
    }
  }

  function work(answerArrives: boolean): void {
    const effect = swap.next(roll);
    if (effect === undefined) return;
    if (effect.do === 'evm.send') return chain.send(effect, answerArrives);
    const answer = act(effect);
    if (answerArrives) swap.deliver(answer, now(), effect);
  }

  /** Everything that could be told now; some of it is heard late, twice or never. */
  function look(): void {
    rumours.push(...swap.watches.map(lookOf));
    mayReveal ||= chain.state() === 'redeemed';
  }

  function lookAtAll(): void {
    look();
    for (const event of swap.watches.map(lookOf)) swap.deliver(event, now());
  }

  function pay(): void {
    if (hold === 'open' && chain.wall() < t.fundBefore && 'bolt11' in swap.progress) hold = 'held';
  }

  /** lnd cancels by itself; where the node slept until then, nobody could help. */
  function timeOut(): void {
    if (hold !== 'held' || (now().bitcoin.height ?? 0) < stopLine(expiryHeight, t.policy) + t.policy.reactionBlocks)
      return;
    hold = 'cancelled';
    isTooLate = true;
  }

  while (left()) {
    switch (roll(13)) {
      case 0:
        chain.pass([1, 30, 300, 1_800, 14_400, 43_200][roll(6)] ?? 1);
        timeOut();
        break;
      case 1:
        if (roll(2) === 0) pay();
        break;
      case 2:
      case 3:
        look();
        break;
      case 4:
        swap.deliver({ is: 'clock' }, now());
        break;
      case 5:
        if (roll(12) === 0 && swap.progress.at === 'opening')
          swap.deliver({ is: 'abandoned', reason: 'nobody waits' }, now());
        break;
      case 6: {
        const event = rumours.at(-1 - roll(Math.min(8, Math.max(1, rumours.length))));
        if (event !== undefined) swap.deliver(event, now());
        break;
      }
      case 7:
        chain.mine();
        break;
      case 8:
        if (roll(2) === 0) chain.requestClaim();
        else if (chain.state() === 'created' && roll(2) === 0) chain.claimAlone();
        break;
      case 9:
        if (roll(3) === 0) chain.reorganise();
        else if (roll(6) === 0) chain.giveUp();
        break;
      case 10:
        lookAtAll();
        break;
      default:
        work(roll(4) > 0);
    }
  }
  for (let i = 0; i < 80 && swap.open(); i++) {
    chain.pass(i > 20 ? 7_200 : 60);
    timeOut();
    work(true);
    chain.mine();
    lookAtAll();
    swap.deliver({ is: 'clock' }, now());
    // What a reorganisation took is asked for once more, and where relays fail claimed by the client itself.
    if (swap.progress.at === 'claimed') chain.requestClaim();
    if (swap.progress.at === 'claimed' && i > 60) chain.claimAlone();
  }
  if (swap.open()) swap.fail(`the swap never ended, it is ${swap.progress.at}`);
  for (let i = 0; i < 20; i++) chain.mine();
  if (hold === 'settled' && chain.state() !== 'redeemed')
    swap.fail(`the payment is ours, and the lock ${chain.state()}`);
  if (hold !== 'settled' && chain.state() === 'redeemed' && !isTooLate)
    swap.fail(`the lock is claimed, the payment ${hold}`);
  if (chain.state() === 'created' && hold !== 'settled') swap.fail('our lock is left lying');
  if (hold === 'held') swap.fail('the payment is held for ever');
  return swap.progress.at;
}

test('lightning to evm: no run ends with both legs in one hand, and every ending is reached', gamesLimit, () => {
  expect(endings(play, games)).toEqual(['claimed', 'lapsed', 'lost', 'refunded', 'stopped', 'unopened']);
});
