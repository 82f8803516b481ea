import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import type { SeenCoin } from '../../engine/legs/arkade/events.ts';
import type { Effect, Event, Watch } from '../../engine/swap/machine.ts';
import { arkadeEvmCase, arkadeEvmTerms as t } from './arkade-evm-cases.ts';
import { coin, spentBy, txid } from './cases.ts';
import { diceOf, endings, type Games, gamesLimit } from './dice.ts';
import { drive } from './driver.ts';
import { ourLockIn } from './our-lock-world.ts';

/*
 * An honest operator and an honest EVM chain, which answer late, twice or not at all, lose blocks that are not buried,
 * and drop what was never sent; and a client who claims by itself and through us, and takes every refund it can get.
 */

const games: Games = { runs: 6_000, throws: [30, 260], seed: 20_261 };

function play(numbers: readonly number[]): string {
  const dice = diceOf(numbers);
  const { roll, left } = dice;

  const rumours: Event[] = [];
  let mayReveal = false;
  let lostToLocktime = false;
  let claim: 'none' | 'accepted' | 'final' = 'none';
  const funded: { outpoint: Outpoint; amount: bigint; spent: 'no' | 'claimed' | 'refunded'; signed: boolean }[] = [];

  const chain = ourLockIn({
    terms: t,
    dice,
    swap: () => swap,
    isGone({ onlyIf }) {
      const backing = onlyIf?.backing;
      if (backing === undefined) return swap.fail('a lock without the coin that it is for');
      const isSpent = funded.some(({ outpoint, spent }) => outpoint.txid === backing.outpoint.txid && spent !== 'no');
      return isSpent ? 'the coin is spent' : null;
    },
    onSigned(purpose) {
      if (purpose === 'lock' && funded.some(({ signed }) => signed))
        swap.fail('a lock is signed after a refund of the client was');
    },
  });
  const { now } = chain;
  const swap = drive(arkadeEvmCase.machine, t, arkadeEvmCase.first, [], (from, step) => {
    if (from.at === 'claiming' && step.effects.some((effect) => effect.do === 'evm.send'))
      return 'a claiming swap acts on the EVM chain';
    if (
      from.at === 'claimed' &&
      step.effects.some((effect) => effect.do !== 'evm.send' || effect.act.is !== 'relay-claim')
    )
      return 'a swap that took the VHTLC does something else than relay the claim';
    return null;
  });

  function coins(): SeenCoin[] {
    return funded.map(({ outpoint, amount, spent, signed }) =>
      coin({
        outpoint,
        amount: sats(amount),
        ...(spent === 'no'
          ? {}
          : spent === 'claimed'
            ? spentBy.ourClaim
            : signed
              ? spentBy.cosignedRefund
              : spentBy.refund),
      }),
    );
  }

  function lookOf(watch: Watch): Event {
    if (watch.on === 'vhtlc') return { is: 'vhtlc.seen', coins: coins() };
    return chain.lookOf(watch) ?? swap.fail(`nobody keeps the watch ${watch.on}`);
  }

  function act(effect: Effect): Event | null {
    const own = 'coin' in swap.progress ? swap.progress.coin : null;
    const theirs = funded.find(({ outpoint }) => outpoint.txid === own?.txid);
    switch (effect.do) {
      case 'vhtlc.claim':
        if (!mayReveal) swap.fail('the VHTLC is claimed although nobody saw the client claim');
        return theirs?.spent === 'no'
          ? { is: 'vhtlc.prepared', purpose: 'claim', txid: txid.claim, output: { txid: txid.claim, vout: 0 } }
          : { is: 'vhtlc.refused', purpose: 'claim', txid: null, why: 'spent', reason: 'spent' };
      case 'vhtlc.submit':
        if (theirs?.spent === 'refunded')
          return { is: 'vhtlc.refused', purpose: 'claim', txid: effect.txid, why: 'spent', reason: 'spent' };
        if (claim === 'none') claim = 'accepted';
        if (theirs !== undefined) theirs.spent = 'claimed';
        return { is: 'vhtlc.accepted', purpose: 'claim', txid: effect.txid };
      case 'vhtlc.finalize':
        claim = 'final';
        return { is: 'vhtlc.final', purpose: 'claim', txid: effect.txid };
      default:
        return swap.fail(`nobody asked for ${effect.do}`);
    }
  }

  function work(answerArrives: boolean): void {
    const effect = swap.next(roll);
    if (effect === undefined) return;
    if (effect.do === 'evm.send') return chain.send(effect, answerArrives);
    const answer = act(effect);
    if (answer !== null && answerArrives) swap.deliver(answer, now(), effect);
  }

  function fund(): void {
    const amount = [t.sourceAmount, t.sourceAmount, t.sourceAmount + 1_002n, t.sourceAmount - 1n][roll(4)] ?? 330n;
    if (funded.length < 3)
      funded.push({
        outpoint: { txid: `${funded.length}`.padStart(64, 'f'), vout: 0 },
        amount,
        spent: 'no',
        signed: false,
      });
  }

  function askForSignature(): void {
    const unspent = funded.filter(({ spent }) => spent === 'no');
    const points = unspent.map(({ outpoint }) => outpoint);
    if (swap.deliver({ is: 'refund.cosign.requested', coins: points }, now()) === 'stayed') return;
    const used = 'coin' in swap.progress ? swap.progress.coin.txid : null;
    if (!chain.isClosed() && unspent.some(({ outpoint }) => outpoint.txid !== used) && used === null)
      swap.fail(`a refund of the client is signed while our lock is ${chain.state()}`);
    for (const one of unspent) one.signed = true;
  }

  function takeRefund(): void {
    const alone = (now().bitcoin.mtp ?? 0) > t.vhtlc.refundLocktime;
    for (const one of funded) {
      if (one.spent !== 'no' || !(one.signed || alone)) continue;
      if (!one.signed) lostToLocktime = true;
      one.spent = 'refunded';
    }
  }

  /** Everything that could be told now; some of it is heard late, twice or never. */
  function look(): void {
    rumours.push(...swap.watches.map(lookOf));
    mayReveal ||= chain.state() === 'redeemed';
  }

  while (left()) {
    switch (roll(14)) {
      case 0:
        chain.pass([1, 30, 300, 1_800, 14_400, 43_200][roll(6)] ?? 1);
        break;
      case 1:
        if (roll(2) === 0) fund();
        break;
      case 2:
      case 3:
        look();
        break;
      case 4:
        swap.deliver({ is: 'clock' }, now());
        break;
      case 5:
        if (roll(3) === 0) askForSignature();
        break;
      case 6:
        if (roll(2) === 0) takeRefund();
        break;
      case 7: {
        const event = rumours.at(-1 - roll(Math.min(8, Math.max(1, rumours.length))));
        if (event !== undefined) swap.deliver(event, now());
        break;
      }
      case 8:
        chain.mine();
        break;
      case 9:
        if (roll(2) === 0) chain.requestClaim();
        else if (chain.state() === 'created' && roll(2) === 0) chain.claimAlone();
        break;
      case 10:
        if (roll(3) === 0) chain.reorganise();
        else if (roll(6) === 0) chain.giveUp();
        break;
      case 11: {
        look();
        for (const event of swap.watches.map(lookOf)) swap.deliver(event, now());
        break;
      }
      default:
        work(roll(4) > 0);
    }
  }
  for (let i = 0; i < 80 && swap.open(); i++) {
    chain.pass(i > 20 ? 7_200 : 60);
    work(true);
    chain.mine();
    look();
    for (const event of swap.watches.map(lookOf)) swap.deliver(event, now());
    swap.deliver({ is: 'clock' }, now());
    // What a reorganisation took is asked for once more, and where relays fail claimed by the client itself.
    if (swap.progress.at === 'claimed') chain.requestClaim();
    if (swap.progress.at === 'claimed' && i > 60) chain.claimAlone();
    if (i > 40) askForSignature();
    if (i > 40) takeRefund();
  }
  if (swap.open()) swap.fail(`the swap never ended, it is ${swap.progress.at}`);
  // What was sent is mined again wherever a block of it was lost, whatever became of the swap.
  for (let i = 0; i < 20; i++) chain.mine();
  const claimed = funded.filter(({ spent }) => spent === 'claimed').length;
  if (claimed > 1) swap.fail('more than one coin of the client was claimed');
  if (claimed === 1 && chain.state() !== 'redeemed') swap.fail('both legs are ours');
  if (claimed === 0 && chain.state() === 'redeemed' && !lostToLocktime) swap.fail('the client has both legs');
  if (chain.state() === 'created' && claimed === 0) swap.fail('our lock is left lying');
  const ended = swap.progress.at;
  askForSignature();
  chain.pass(t.vhtlc.refundWithoutReceiverDelay);
  takeRefund();
  if (funded.some(({ spent }) => spent === 'no')) swap.fail('a coin of the client is left lying');
  return ended;
}

test('arkade to evm: no run ends with both legs in one hand, and every ending is reached', gamesLimit, () => {
  expect(endings(play, games)).toEqual(['claimed', 'lapsed', 'lost', 'refunded', 'returned', 'stopped']);
});
