import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import type { SeenLock } from '../../engine/legs/evm/events.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { preimage, start } from '../swap/cases.ts';
import { leftBy } from '../swap/driver.ts';
import { account, evmClocksAt, network } from '../swap/evm-cases.ts';
import { lock, lockOf, terms as gasless, tx, waiting } from './evm-lightning-cases.ts';
import { takeEvmLightning as machine } from './taken.ts';

/*
 * A provider that relays our signature when it likes and how often it likes, pays and claims when it likes, says
 * anything, and signs or does not; strangers who lock the same or make ours dearer; blocks that go away. What is signed
 * is what was verified; a swap is never over while our lock stands or may still be made; and in the end the tokens are
 * back, or the payee's preimage is here.
 */

type Mine = { amount: bigint; at: number; state: 'active' | 'redeemed' | 'refunded'; since: number };
const buried = 600;

function play(numbers: readonly number[], terms: typeof gasless): string {
  let next = 0;
  const roll = (sides: number): number => (numbers[next++] ?? 0) % sides;
  let wall: number = start + 60;
  let held = 0n;
  let mine = null as Mine | null;
  let stranger = null as SeenLock | null;
  const signatures: number[] = [];
  let progress = waiting;
  let effects: Effect[] = [];
  const story: string[] = [];

  const chainTime = (): number => wall - 2;
  const fail = (sentence: string): never => {
    throw new Error(`${sentence}\n${story.join('\n')}`);
  };
  const canRelay = (): boolean =>
    mine === null && held >= lock.amount && signatures.some((until) => until >= chainTime());

  function judge(): void {
    if (machine.open(terms, progress)) return;
    if (mine?.state === 'active' && progress.at !== 'claimed') fail('it is over while our lock stands');
    if (mine === null && signatures.some((until) => until >= chainTime()) && progress.at !== 'claimed')
      fail('it is over while our signature can be used');
  }

  function signedIs(effect: Effect): void {
    const funding =
      effect.do === 'provider.fund-evm'
        ? effect.funding
        : effect.do === 'evm.send' && effect.act.is === 'taker-fund'
          ? effect.act
          : null;
    if (funding === null) return;
    const { amount, ...agreed } = lock;
    const nonce = BigInt(`0x${Buffer.from(terms.hash).toString('hex')}`);
    expect(funding).toMatchObject({ lock: agreed, amount, nonce, key: terms.evmKey });
    const until = Number(funding.deadline);
    // The node sends what the provider declined, or says so: it is the same signature.
    if (held < amount && !signatures.includes(until)) fail('it signs for tokens that are not there');
    signatures.push(until);
  }

  function hear(event: Event, done?: Effect): void {
    if (done !== undefined) effects = effects.filter((effect) => effect !== done);
    const step = machine.step(terms, progress, event, evmClocksAt(wall));
    story.push(`${wall - start} ${progress.at}: ${event.is} => ${step === 'stay' ? 'stay' : step.progress.at}`);
    if (step === 'stay') return judge();
    step.effects.forEach(signedIs);
    effects = [...leftBy(step, effects), ...step.effects];
    progress = step.progress;
    judge();
  }

  function made(extra: bigint): void {
    held -= lock.amount;
    mine = { amount: lock.amount + extra, at: wall, state: 'active', since: wall };
  }

  function over(state: 'redeemed' | 'refunded'): void {
    if (mine?.state !== 'active') return;
    if (state === 'refunded') held += mine.amount;
    mine = { ...mine, state, since: wall };
  }

  function picture(): SeenLock[] {
    const blocks = (since: number): number => 1 + Math.floor((wall - since) / 2);
    if (mine === null) return stranger === null ? [] : [stranger];
    const confirmations = blocks(mine.since);
    const state: SeenLock['state'] =
      mine.state === 'active'
        ? { is: 'active' }
        : mine.state === 'redeemed'
          ? { is: 'redeemed', preimage, txid: tx.claim, confirmations }
          : { is: 'refunded', txid: tx.refund, confirmations };
    const own = lockOf({ confirmations: blocks(mine.at), state }, { amount: mine.amount });
    return stranger === null ? [own] : [stranger, own];
  }

  const look = (): void =>
    hear({ is: 'evm.seen', network, height: 1, time: unix(chainTime()), asked: unix(wall), locks: picture() });
  const balance = (): void =>
    hear({ is: 'evm.balance', network, token: account.token, account: account.client, amount: held });

  function run(effect: Effect, luck: number): void {
    if (effect.do === 'provider.fund-evm') {
      if (luck === 0) return hear({ is: 'provider.declined', reason: 'no' }, effect);
      if (luck === 1 && canRelay()) made(0n);
      return hear({ is: 'provider.relayed', txid: tx.lock }, effect);
    }
    if (effect.do === 'provider.refund-evm') {
      if (luck === 0) return hear({ is: 'provider.declined', reason: 'no' }, effect);
      if (luck === 1 && effect.lock.amount === mine?.amount) over('refunded');
      return hear({ is: 'provider.relayed', txid: tx.refund }, effect);
    }
    if (effect.do !== 'evm.send') return fail(`nobody expects ${effect.do}`);
    const isRefund = effect.act.is === 'taker-refund';
    const purpose = isRefund ? 'taker-refund' : 'relay-fund';
    if (!isRefund && luck === 0) return hear({ is: 'evm.refused', purpose: 'taker-approve', reason: 'no' }, effect);
    if (!isRefund && luck === 1) return hear({ is: 'evm.refused', purpose, reason: 'no' }, effect);
    hear({ is: 'evm.prepared', purpose, txid: tx.sent }, effect);
    const works = isRefund
      ? effect.act.is === 'taker-refund' && effect.act.lock.amount === mine?.amount && chainTime() >= lock.timelock
      : canRelay();
    if (luck === 2 || !works) {
      const state = { is: 'mined', by: tx.sent, ok: false, confirmations: 1, cost: 1n } as const;
      return hear({ is: 'evm.sent', purpose, txid: tx.sent, state });
    }
    if (isRefund) over('refunded');
    else made(0n);
  }

  const acts: (() => void)[] = [
    balance,
    look,
    () => hear({ is: 'clock' }),
    () => void (wall += 60 + roll(30) * 60),
    () => void (wall += roll(5) * 3_600),
    () => void (held += lock.amount),
    () => {
      const first = effects[0];
      if (first !== undefined) run(first, roll(4));
    },
    () => (canRelay() ? made(BigInt(roll(2))) : undefined),
    () => (roll(3) === 0 ? over('redeemed') : undefined),
    () =>
      hear({
        is: 'provider.seen',
        status:
          (['pending', 'clientfunded', 'serverwontfund', 'expired', 'serverredeemed'] as const)[roll(5)] ?? 'pending',
      }),
    () => hear({ is: 'refund.requested' }),
    () => {
      // A block that goes away takes the lock with it: the same transaction may come again.
      if (mine?.state === 'active' && wall - mine.at < buried && roll(2) === 0) {
        held += lock.amount;
        mine = null;
      }
    },
    () => {
      const state = (['active', 'refunded'] as const)[roll(2)] ?? 'active';
      const end = state === 'active' ? { is: state } : { is: state, txid: tx.refund, confirmations: 99 };
      stranger = lockOf({ depositor: roll(2) === 0 ? account.service : null, state: end, txid: tx.claim });
    },
  ];

  held = roll(3) === 0 ? 0n : lock.amount;
  while (next < numbers.length) acts[roll(acts.length)]?.();

  // What comes after the game is fair: the RPC says whose the stranger's lock is, and everything is carried out.
  if (stranger !== null) stranger = { ...stranger, depositor: account.service };
  for (let round = 0; round < 100 && machine.open(terms, progress); round++) {
    wall += 1_800;
    hear({ is: 'clock' });
    look();
    for (const effect of [...effects]) if (effects.includes(effect)) run(effect, 3);
  }
  if (machine.open(terms, progress)) fail(`it never ends: ${progress.at}`);
  if (progress.at === 'claimed' && mine?.state !== 'redeemed') fail('it is paid and nobody showed the preimage');
  if (progress.at !== 'claimed' && mine?.state === 'redeemed') fail('the payee was paid, and it says otherwise');
  if (mine?.state === 'active') fail('the tokens are left in the lock');
  return progress.at;
}

test.each([gasless, { ...gasless, gasless: false }])(
  'in whatever order things happen, the tokens come back or the payee was paid',
  (terms) => {
    const ends = new Set<string>();
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 5_039 }), { minLength: 5, maxLength: 160 }), (numbers) => {
        ends.add(play(numbers, terms));
      }),
      { numRuns: 2_000 },
    );
    expect([...ends].toSorted()).toEqual(['claimed', 'done', 'lapsed']);
  },
  60_000,
);
