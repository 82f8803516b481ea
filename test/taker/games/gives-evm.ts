import { expect } from 'vitest';
import { unix } from '../../../engine/domain/time.ts';
import type { SeenLock } from '../../../engine/legs/evm/events.ts';
import type { Effect } from '../../../engine/swap/machine.ts';
import type { EvmLeg } from '../../../engine/taker/evm/terms.ts';
import type { EvmFundTerms } from '../../../engine/taker/halves/evm/fund/terms.ts';
import { preimage } from '../../swap/cases.ts';
import { account } from '../../swap/evm-lightning-cases.ts';
import { lockOf, tx } from '../evm-lightning-cases.ts';
import type { Given, Ground, Luck } from './ground.ts';

interface Mine {
  readonly amount: bigint;
  readonly at: number;
  state: 'active' | 'redeemed' | 'refunded';
  since: number;
}

/** Seconds after which no block with it goes away. */
const buried = 600;

/**
 * Tokens that somebody brings, a signature that its provider relays when it likes and how often it likes, strangers who
 * lock the same or make ours dearer, and blocks that go away. What is signed is what was verified.
 */
export function givesOnEvm(ground: Ground): Given {
  const { roll, secret, hear, fail } = ground;
  const { network, lock } = ground.legOn<EvmLeg>('source');
  const terms = ground.terms as unknown as EvmFundTerms;
  let held = roll(3) === 0 ? 0n : lock.amount;
  let mine = null as Mine | null;
  let stranger = null as SeenLock | null;
  let refunds = false;
  const signatures: number[] = [];

  const isUsable = (): boolean => mine === null && signatures.some((until) => until >= ground.evmTime());
  const canRelay = (): boolean => isUsable() && held >= lock.amount;

  function made(extra: bigint): void {
    held -= lock.amount;
    mine = { amount: lock.amount + extra, at: ground.wall(), state: 'active', since: ground.wall() };
  }

  function over(state: 'redeemed' | 'refunded'): void {
    if (mine?.state !== 'active') return;
    if (state === 'refunded') held += mine.amount;
    mine = { ...mine, state, since: ground.wall() };
  }

  function locks(): SeenLock[] {
    const others = stranger === null ? [] : [stranger];
    if (mine === null) return others;
    const depth = (since: number): number => 1 + Math.floor((ground.wall() - since) / 2);
    const confirmations = depth(mine.since);
    const state: SeenLock['state'] =
      mine.state === 'active'
        ? { is: 'active' }
        : mine.state === 'redeemed'
          ? { is: 'redeemed', preimage, txid: tx.claim, confirmations }
          : { is: 'refunded', txid: tx.refund, confirmations };
    return [...others, lockOf({ confirmations: depth(mine.at), state }, { ...lock, amount: mine.amount })];
  }

  const balance = (): void =>
    hear({ is: 'evm.balance', network, token: account.token, account: account.client, amount: held });

  function owes(effect: Effect): void {
    const isRefund =
      effect.do === 'provider.refund-evm' || (effect.do === 'evm.send' && effect.act.is === 'taker-refund');
    if (isRefund && ground.isExposed()) fail('a refund is asked for with the secret out');
    const funding =
      effect.do === 'provider.fund-evm'
        ? effect.funding
        : effect.do === 'evm.send' && effect.act.is === 'taker-fund'
          ? effect.act
          : null;
    if (funding === null) return;
    const { amount, ...agreed } = lock;
    const nonce = BigInt(`0x${Buffer.from(ground.terms.hash).toString('hex')}`);
    expect(funding).toMatchObject({ lock: agreed, amount, nonce, key: terms.evmKey });
    const until = Number(funding.deadline);
    // The node sends what the provider declined, or says so: it is the same signature.
    if (held < amount && !signatures.includes(until)) fail('it signs for tokens that are not there');
    signatures.push(until);
  }

  function send(effect: Effect & { do: 'evm.send' }, luck: Luck): void {
    const { act } = effect;
    const isRefund = act.is === 'taker-refund';
    const purpose = isRefund ? 'taker-refund' : 'relay-fund';
    if (!isRefund && luck < 2)
      return hear({ is: 'evm.refused', purpose: luck === 0 ? 'taker-approve' : purpose, reason: 'no' }, effect);
    hear({ is: 'evm.prepared', purpose, txid: tx.sent }, effect);
    refunds ||= isRefund;
    const works = isRefund ? act.lock.amount === mine?.amount && ground.evmTime() >= Number(lock.timelock) : canRelay();
    if (luck === 2 || !works) {
      const state = { is: 'mined', by: tx.sent, ok: false, confirmations: 1, cost: 1n } as const;
      return hear({ is: 'evm.sent', purpose, txid: tx.sent, state });
    }
    if (isRefund) over('refunded');
    else made(0n);
  }

  function run(effect: Effect, luck: Luck): boolean {
    switch (effect.do) {
      case 'provider.fund-evm':
        if (luck > 1 && canRelay()) made(0n);
        hear(
          luck === 0 ? { is: 'provider.declined', reason: 'no' } : { is: 'provider.relayed', txid: tx.lock },
          effect,
        );
        return true;
      case 'provider.refund-evm':
        refunds ||= luck > 0;
        if (luck > 1 && effect.lock.amount === mine?.amount) over('refunded');
        hear(
          luck === 0 ? { is: 'provider.declined', reason: 'no' } : { is: 'provider.relayed', txid: tx.refund },
          effect,
        );
        return true;
      case 'evm.send':
        if (effect.act.is !== 'taker-fund' && effect.act.is !== 'taker-refund') return false;
        send(effect, luck);
        return true;
      default:
        return false;
    }
  }

  return {
    acts: [
      balance,
      balance,
      balance,
      () => void (held += lock.amount),
      () => (canRelay() ? made(BigInt(roll(2))) : undefined),
      () => {
        // A block that goes away takes the lock with it: the same transaction may come again.
        if (mine?.state !== 'active' || ground.wall() - mine.at >= buried || roll(2) === 0) return;
        held += lock.amount;
        mine = null;
      },
      () => {
        const state = (['active', 'refunded'] as const)[roll(2)] ?? 'active';
        const end = state === 'active' ? { is: state } : { is: state, txid: tx.refund, confirmations: 99 };
        const depositor = roll(2) === 0 ? account.service : null;
        stranger = lockOf({ depositor, state: end, txid: tx.claim }, lock);
      },
    ],
    look: () =>
      hear({
        is: 'evm.seen',
        network,
        height: 1,
        time: unix(ground.evmTime()),
        asked: unix(ground.wall()),
        locks: locks(),
      }),
    run,
    owes,
    take() {
      if (secret.isOut()) over('redeemed');
    },
    isComingBack: () => refunds,
    over(at) {
      if (mine?.state === 'active' && at !== 'claimed') fail(`it is ${at} while our lock stands`);
      if (isUsable() && at !== 'claimed') fail('it is over while our signature can be used');
    },
    calm() {
      // The RPC says whose the stranger's lock is.
      if (stranger !== null) stranger = { ...stranger, depositor: account.service };
    },
    end: () =>
      mine === null ? 'nowhere' : mine.state === 'active' ? 'there' : mine.state === 'redeemed' ? 'theirs' : 'ours',
  };
}
