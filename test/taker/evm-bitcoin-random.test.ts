import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { burialDepth, revealDepth } from '../../engine/legs/onchain/depth.ts';
import type { SeenLock } from '../../engine/legs/evm/events.ts';
import type { SeenHtlcSpend } from '../../engine/legs/onchain/events.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { clocksAt, preimage, start } from '../swap/cases.ts';
import { leftBy } from '../swap/driver.ts';
import { account, evmClocksAt, network } from '../swap/evm-cases.ts';
import { claimed, coinOf, htlc, takenBack, terms as gasless, waiting } from './evm-bitcoin-cases.ts';
import { lock, lockOf, tx } from './evm-lightning-cases.ts';
import { takeEvmBitcoin as machine, type TakeEvmBitcoinProgress } from './taken.ts';

/*
 * A provider that pays when it likes, double-spends what is shallow, takes back what it may, says anything, signs or
 * does not, and takes our lock as soon as the secret is out; a node that sleeps for hours between deciding and acting.
 * The secret is never shown for a coin that is shallow or late, never beside a refund of ours; and in the end the
 * bitcoin is here, or the tokens are back.
 */

type State = 'active' | 'redeemed' | 'refunded';
interface Coin {
  height: number | null;
  spend: SeenHtlcSpend | null;
}

/** Miners take a claim that pays enough within this many seconds. */
const minedWithin = 3_000;

function play(numbers: readonly number[], terms: typeof gasless): string {
  let next = 0;
  const roll = (sides: number): number => (numbers[next++] ?? 0) % sides;
  let wall: number = start + 60;
  let held = 0n;
  let mine = null as { state: State; since: number } | null;
  let coin = null as Coin | null;
  let sentAt = null as number | null;
  let refunds = false;
  let signed = 0;
  const signatures: number[] = [];
  let progress: TakeEvmBitcoinProgress = waiting;
  let effects: Effect[] = [];
  const story: string[] = [];

  const chainTime = (): number => wall - 2;
  const mtp = (): number => wall - 1_800;
  const tip = (): number => clocksAt(wall).bitcoin.height;
  const depth = (height: number | null): number => (height === null ? 0 : Math.max(0, tip() - height + 1));
  const fail = (sentence: string): never => {
    throw new Error(`${sentence}\n${story.join('\n')}`);
  };
  const canRelay = (): boolean =>
    mine === null && held >= lock.amount && signatures.some((until) => until >= chainTime());

  function later(seconds: number): void {
    wall += seconds;
    if (coin?.spend?.by === 'claim' && coin.spend.height === null && sentAt !== null && wall >= sentAt + minedWithin)
      coin.spend = claimed(tip() - Math.floor((wall - sentAt - minedWithin) / 600), coin.spend.txid);
  }

  function judge(): void {
    if (machine.open(terms, progress)) return;
    if (mine?.state === 'active' && progress.at !== 'claimed') fail(`it is ${progress.at} while our lock stands`);
    if (mine === null && signatures.some((until) => until >= chainTime())) fail('our signature can still be used');
  }

  function given(effect: Effect): void {
    if (effect.do === 'provider.fund-evm') signatures.push(Number(effect.funding.deadline));
    if (effect.do === 'evm.send' && effect.act.is === 'taker-fund') signatures.push(Number(effect.act.deadline));
    const isRefund =
      effect.do === 'provider.refund-evm' || (effect.do === 'evm.send' && effect.act.is === 'taker-refund');
    const isBack = 'takenBack' in progress && progress.takenBack;
    if (isRefund && sentAt !== null && !isBack) fail('a refund is asked for with the secret out');
  }

  function hear(event: Event, done?: Effect): void {
    if (done !== undefined) effects = effects.filter((effect) => effect !== done);
    const step = machine.step(terms, progress, event, evmClocksAt(wall));
    story.push(`${wall - start} ${progress.at}: ${event.is} => ${step === 'stay' ? 'stay' : step.progress.at}`);
    if (step === 'stay') return judge();
    effects = [...leftBy(step, effects), ...step.effects];
    progress = step.progress;
    step.effects.forEach(given);
    judge();
  }

  function end(state: State): void {
    if (mine?.state !== 'active') return;
    if (state === 'refunded') held += lock.amount;
    mine = { state, since: wall };
  }

  function made(): void {
    held -= lock.amount;
    mine = { state: 'active', since: wall };
  }

  function picture(): SeenLock[] {
    if (mine === null) return [];
    const confirmations = 1 + Math.floor((wall - mine.since) / 2);
    if (mine.state === 'active') return [lockOf({ confirmations })];
    const state: SeenLock['state'] =
      mine.state === 'redeemed'
        ? { is: 'redeemed', preimage, txid: tx.claim, confirmations }
        : { is: 'refunded', txid: tx.refund, confirmations };
    return [lockOf({ state })];
  }

  const look = (): void =>
    hear({ is: 'evm.seen', network, height: 1, time: unix(chainTime()), asked: unix(wall), locks: picture() });
  const lookAtCoin = (): void => {
    const coins = coin === null ? [] : [coinOf(coin)];
    hear({ is: 'htlc.seen', coins, height: tip(), mtp: unix(mtp()), asked: unix(wall) });
  };
  const balance = (): void =>
    hear({ is: 'evm.balance', network, token: account.token, account: account.client, amount: held });

  function broadcast(effect: Effect & { do: 'onchain.broadcast' }): void {
    const { txid, onlyIf } = effect;
    if (coin?.spend?.by === 'refund') {
      if (depth(coin.spend.height) >= burialDepth)
        hear({ is: 'onchain.refused', leg: 'bitcoin', txid, why: 'spent', reason: 'spent' }, effect);
      return;
    }
    if (coin?.spend?.by === 'claim') {
      if (depth(coin.spend.height) >= burialDepth)
        hear({ is: 'onchain.final', leg: 'bitcoin', txid: coin.spend.txid, fee: 1n as never }, effect);
      return;
    }
    if (sentAt === null) {
      if (onlyIf === undefined) return fail('the secret would be shown without a last look');
      if (mtp() > onlyIf.notAfter)
        return hear({ is: 'onchain.refused', leg: 'bitcoin', txid, why: 'late', reason: 'late' }, effect);
      if (coin === null || depth(coin.height) < revealDepth) return;
    }
    if (refunds) fail('the secret is shown beside a refund of ours');
    if (coin === null) return;
    if (mtp() > htlc.refundLocktime - minedWithin) fail('the secret is shown too late');
    sentAt ??= wall;
    coin.spend = claimed(null, txid);
  }

  function run(effect: Effect, luck: number): void {
    switch (effect.do) {
      case 'provider.fund-evm':
        if (luck === 0) return hear({ is: 'provider.declined', reason: 'no' }, effect);
        if (luck > 1 && canRelay()) made();
        return hear({ is: 'provider.relayed', txid: tx.lock }, effect);
      case 'provider.refund-evm':
        if (luck === 0) return hear({ is: 'provider.declined', reason: 'no' }, effect);
        refunds = true;
        if (luck > 1) end('refunded');
        return hear({ is: 'provider.relayed', txid: tx.refund }, effect);
      case 'htlc.spend':
        if (coin === null) return;
        signed += 1;
        return hear(
          {
            is: 'onchain.prepared',
            leg: 'bitcoin',
            purpose: 'claim',
            txid: String(signed).padStart(64, '5'),
            amount: coinOf().amount,
            rate: 2,
            capped: false,
            height: tip(),
          },
          effect,
        );
      case 'onchain.broadcast':
        if (luck === 0 && sentAt !== null && coin?.spend?.height === null)
          return hear({ is: 'onchain.stuck', leg: 'bitcoin', txid: effect.txid, leastRate: 4 }, effect);
        return broadcast(effect);
      case 'evm.send': {
        const isRefund = effect.act.is === 'taker-refund';
        const purpose = isRefund ? 'taker-refund' : 'relay-fund';
        if (!isRefund && luck === 0) return hear({ is: 'evm.refused', purpose, reason: 'no' }, effect);
        hear({ is: 'evm.prepared', purpose, txid: tx.sent }, effect);
        refunds ||= isRefund;
        const works = isRefund ? chainTime() >= lock.timelock : canRelay();
        if (works && isRefund) end('refunded');
        else if (works) made();
        else
          hear({
            is: 'evm.sent',
            purpose,
            txid: tx.sent,
            state: { is: 'mined', by: tx.sent, ok: false, confirmations: 1, cost: 1n },
          });
        return;
      }
      default:
        return fail(`nobody expects ${effect.do}`);
    }
  }

  const words = ['pending', 'clientfunded', 'serverfunded', 'serverwontfund', 'expired'] as const;
  const acts: (() => void)[] = [
    balance,
    look,
    lookAtCoin,
    lookAtCoin,
    () => hear({ is: 'clock' }),
    () => later(60 + roll(30) * 60),
    () => later(roll(5) * 3_600),
    () => void (held += lock.amount),
    ...Array.from({ length: 3 }, () => () => {
      const effect = effects[roll(Math.max(1, effects.length))];
      if (effect !== undefined) run(effect, roll(4));
    }),
    () => (canRelay() ? made() : undefined),
    () => void (coin ??= { height: null, spend: null }),
    () => {
      if (coin !== null) coin.height ??= tip();
    },
    () => {
      // What is shallow may be replaced by whoever paid it.
      if (coin !== null && coin.spend === null && depth(coin.height) < revealDepth) coin = null;
    },
    () => {
      if (coin?.spend === null && coin.height !== null && mtp() > htlc.refundLocktime) coin.spend = takenBack(tip());
    },
    () => (sentAt === null ? undefined : end('redeemed')),
    () => hear({ is: 'provider.seen', status: words[roll(words.length)] ?? 'pending' }),
    () => hear({ is: 'refund.requested' }),
  ];

  held = roll(3) === 0 ? 0n : lock.amount;
  while (next < numbers.length) acts[roll(acts.length)]?.();

  // What comes after the game is fair: everything is carried out, and everybody looks.
  for (let round = 0; round < 150 && machine.open(terms, progress); round++) {
    later(1_800);
    hear({ is: 'clock' });
    look();
    lookAtCoin();
    for (const effect of [...effects]) if (effects.includes(effect)) run(effect, 3);
  }
  if (machine.open(terms, progress)) fail(`it never ends: ${progress.at}`);
  if (progress.at === 'claimed' && coin?.spend?.by !== 'claim') fail('the bitcoin is not here');
  if (progress.at !== 'claimed' && sentAt !== null) fail(`the secret was shown, and it is ${progress.at}`);
  return progress.at;
}

test.each([gasless, { ...gasless, gasless: false }])(
  'in whatever order things happen, the bitcoin arrives or the tokens come back',
  (terms) => {
    const ends = new Set<string>();
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 5_039 }), { minLength: 5, maxLength: 160 }), (numbers) => {
        ends.add(play(numbers, terms));
      }),
      { numRuns: 1_500 },
    );
    expect([...ends].toSorted()).toEqual(['claimed', 'done', 'lapsed']);
  },
  90_000,
);
