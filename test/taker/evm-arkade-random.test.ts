import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import type { SeenCoin } from '../../engine/legs/arkade/events.ts';
import type { SeenLock } from '../../engine/legs/evm/events.ts';
import { safeToReveal } from '../../engine/legs/safety/reveal.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { coin, preimage, start, txid } from '../swap/cases.ts';
import { leftBy } from '../swap/driver.ts';
import { account, evmClocksAt, network } from '../swap/evm-cases.ts';
import { deal, terms as gasless, waiting } from './evm-arkade-cases.ts';
import { lock, lockOf, tx } from './evm-lightning-cases.ts';
import { takeEvmArkade as machine, type TakeEvmArkadeProgress } from './taken.ts';

/*
 * A provider that locks what it likes when it likes, takes its VHTLC back when it can, says anything, signs or does
 * not, and takes our lock as soon as the secret is out; a node that sleeps for hours between deciding and acting. The
 * secret leaves for a good VHTLC alone, never beside a refund of ours; and in the end the bitcoin is here, or the
 * tokens are back.
 */

type State = 'active' | 'redeemed' | 'refunded';
type Target = 'none' | 'locked' | 'accepted' | 'claimed' | 'back';

function play(numbers: readonly number[], terms: typeof gasless): string {
  let next = 0;
  const roll = (sides: number): number => (numbers[next++] ?? 0) % sides;
  let wall: number = start + 60;
  let held = 0n;
  let mine = null as { state: State; since: number } | null;
  let vhtlc = null as SeenCoin | null;
  let target = 'none' as Target;
  let isOut = false;
  let refunds = false;
  const signatures: number[] = [];
  let progress: TakeEvmArkadeProgress = waiting;
  let effects: Effect[] = [];
  const story: string[] = [];

  const chainTime = (): number => wall - 2;
  const mtp = (): number => wall - 1_800;
  const fail = (sentence: string): never => {
    throw new Error(`${sentence}\n${story.join('\n')}`);
  };
  const canRelay = (): boolean =>
    mine === null && held >= lock.amount && signatures.some((until) => until >= chainTime());

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
    if (isRefund && isOut && target !== 'back') fail('a refund is asked for with the secret out');
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

  function coins(): SeenCoin[] {
    if (vhtlc === null) return [];
    const spent = (leaf: SeenCoin['spend'], by: string) => ({ spent: true, spentIn: by, spentBy: by, spend: leaf });
    if (target === 'claimed') return [{ ...vhtlc, ...spent({ leaf: 'claim', preimage }, txid.claim) }];
    if (target === 'back') return [{ ...vhtlc, ...spent({ leaf: 'refund-without-receiver' }, txid.client) }];
    return [vhtlc];
  }

  const look = (): void =>
    hear({ is: 'evm.seen', network, height: 1, time: unix(chainTime()), asked: unix(wall), locks: picture() });
  const lookAtCoins = (): void => hear({ is: 'vhtlc.seen', coins: coins() });
  const balance = (): void =>
    hear({ is: 'evm.balance', network, token: account.token, account: account.client, amount: held });

  function submit(effect: Effect & { do: 'vhtlc.submit' }): Event {
    const answer = { purpose: 'claim', txid: effect.txid } as const;
    if (target === 'accepted' || target === 'claimed') return { is: 'vhtlc.accepted', ...answer };
    if (vhtlc === null) return fail('a claim of a VHTLC that is not there');
    const { reveal } = effect.onlyIf ?? {};
    if (reveal === undefined && !isOut) fail('the secret leaves without a last look');
    const at = { ...vhtlc, spent: target === 'back' };
    if (reveal !== undefined && safeToReveal({ ...reveal, coin: at }, evmClocksAt(wall), terms.policy) !== null)
      return { is: 'vhtlc.refused', ...answer, why: 'late', reason: 'late' };
    if (target === 'back') return { is: 'vhtlc.refused', ...answer, why: 'spent', reason: 'spent' };
    if (refunds) fail('the secret is shown beside a refund of ours');
    if (mtp() > deal.target.vhtlc.refundLocktime) fail('the secret is shown too late');
    if (vhtlc.amount < deal.target.amount) fail('the secret is shown for too little');
    isOut = true;
    target = 'accepted';
    return { is: 'vhtlc.accepted', ...answer };
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
      case 'vhtlc.claim': {
        const output = { txid: txid.claim, vout: 0 };
        return hear({ is: 'vhtlc.prepared', purpose: 'claim', txid: txid.claim, output }, effect);
      }
      case 'vhtlc.submit': {
        const answer = submit(effect);
        return luck === 0 ? undefined : hear(answer, effect);
      }
      case 'vhtlc.finalize':
        target = 'claimed';
        return luck === 0 ? undefined : hear({ is: 'vhtlc.final', purpose: 'claim', txid: effect.txid }, effect);
      case 'evm.send': {
        const isRefund = effect.act.is === 'taker-refund';
        const purpose = isRefund ? 'taker-refund' : 'relay-fund';
        if (!isRefund && luck === 0) return hear({ is: 'evm.refused', purpose, reason: 'no' }, effect);
        hear({ is: 'evm.prepared', purpose, txid: tx.sent }, effect);
        refunds ||= isRefund;
        const works = isRefund ? chainTime() >= lock.timelock : canRelay();
        const state = { is: 'mined', by: tx.sent, ok: false, confirmations: 1, cost: 1n } as const;
        if (works && isRefund) end('refunded');
        else if (works) made();
        else hear({ is: 'evm.sent', purpose, txid: tx.sent, state });
        return;
      }
      default:
        return fail(`nobody expects ${effect.do}`);
    }
  }

  function provide(): void {
    if (target !== 'none') return;
    const { amount, script, vhtlc: terms } = deal.target;
    const less = roll(4) === 0 ? amount - 1n : amount;
    vhtlc = coin({ amount: sats(less), script, expiresAt: unix(terms.refundLocktime + 86_400 * roll(2)) });
    target = 'locked';
  }

  function takeBack(): void {
    if (target === 'locked' && mtp() > deal.target.vhtlc.refundLocktime) target = 'back';
  }

  const words = ['pending', 'clientfunded', 'serverfunded', 'serverwontfund', 'expired'] as const;
  const acts: (() => void)[] = [
    balance,
    look,
    lookAtCoins,
    lookAtCoins,
    () => hear({ is: 'clock' }),
    () => void (wall += 60 + roll(30) * 60),
    () => void (wall += roll(5) * 3_600),
    () => void (held += lock.amount),
    ...Array.from({ length: 3 }, () => () => {
      const effect = effects[roll(Math.max(1, effects.length))];
      if (effect !== undefined) run(effect, roll(4));
    }),
    () => (canRelay() ? made() : undefined),
    provide,
    takeBack,
    () => (isOut ? end('redeemed') : undefined),
    () => hear({ is: 'provider.seen', status: words[roll(words.length)] ?? 'pending' }),
    () => hear({ is: 'refund.requested' }),
  ];

  held = roll(3) === 0 ? 0n : lock.amount;
  while (next < numbers.length) acts[roll(acts.length)]?.();

  // What comes after the game is fair: everything is carried out, and everybody looks.
  for (let round = 0; round < 150 && machine.open(terms, progress); round++) {
    wall += 1_800;
    takeBack();
    hear({ is: 'clock' });
    look();
    lookAtCoins();
    for (const effect of [...effects]) if (effects.includes(effect)) run(effect, 3);
  }
  if (machine.open(terms, progress)) fail(`it never ends: ${progress.at}`);
  if (progress.at === 'claimed' && target !== 'claimed') fail('the bitcoin is not here');
  if (progress.at !== 'claimed' && isOut) fail(`the secret was shown, and it is ${progress.at}`);
  return progress.at;
}

test.each([gasless, { ...gasless, gasless: false }])(
  'in whatever order things happen, the bitcoin arrives on Arkade or the tokens come back',
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
