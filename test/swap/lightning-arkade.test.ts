import { describe, expect, test } from 'vitest';
import { btc, sats } from '../../engine/domain/money.ts';
import { viewLightningArkade, type LightningArkadeProgress } from '../../engine/swap/directions/lightning-arkade.ts';
import type { Effect, Event, SwapStep } from '../../engine/swap/machine.ts';
import {
  clocksAt,
  coin,
  coinPoint,
  lightningArkadeCase,
  lightningArkadeTerms as t,
  preimage,
  spentBy,
  start,
  txid,
} from './cases.ts';
import { representatives, tableOf } from './table.ts';

/** Every state, and every event of the catalogue that moves it. An event that is not listed leaves the state alone. */
const moves: Record<string, Record<string, string>> = {
  opening: {
    abandoned: 'unopened, supersedes',
    'hold.created': 'pending',
    'hold.refused': 'unopened, supersedes',
    'clock, funding window over': 'unopened, supersedes',
    'clock, too late to lock': 'unopened, supersedes',
    'clock, locktime passed by wall time only': 'unopened, supersedes',
    'clock, median time past at the locktime': 'unopened, supersedes',
    'clock, locktime passed': 'unopened, supersedes',
    'clock, locktime passed, clock unread': 'unopened, supersedes',
  },
  pending: {
    'hold.seen held': 'funded, vhtlc.lock',
    'hold.seen held short by one': 'stopped wont, hold.cancel',
    'hold.seen held too briefly': 'stopped wont, hold.cancel',
    'hold.seen cancelled': 'lapsed',
    'hold.seen held, too late': 'stopped wont, hold.cancel',
    'clock, funding window over': 'stopped expired, hold.cancel',
    'clock, too late to lock': 'stopped expired, hold.cancel',
    'clock, locktime passed by wall time only': 'stopped expired, hold.cancel',
    'clock, median time past at the locktime': 'stopped expired, hold.cancel',
    'clock, locktime passed': 'stopped expired, hold.cancel',
    'clock, locktime passed, clock unread': 'stopped expired, hold.cancel',
  },
  unopened: {},
  funded: {
    'vhtlc.prepared lock': 'locking, vhtlc.submit lock',
    'vhtlc.refused lock spent': 'stopped wont, hold.cancel, supersedes',
    'vhtlc.refused lock recoverable': 'stopped wont, hold.cancel, supersedes',
    'vhtlc.refused lock unrolled': 'stopped wont, hold.cancel, supersedes',
    'vhtlc.refused lock late': 'stopped wont, hold.cancel, supersedes',
    'vhtlc.refused lock refused': 'stopped wont, hold.cancel, supersedes',
    'hold.seen cancelled': 'stopped wont cancelled, supersedes',
    'vhtlc.prepared lock, too late': 'stopped wont, hold.cancel, supersedes',
    'vhtlc.prepared lock, clock unread': 'locking, vhtlc.submit lock',
    'vhtlc.seen of our amount': 'locked, supersedes',
    'clock, too late to lock': 'stopped wont, hold.cancel, supersedes',
    'clock, locktime passed by wall time only': 'stopped wont, hold.cancel, supersedes',
    'clock, median time past at the locktime': 'stopped wont, hold.cancel, supersedes',
    'clock, locktime passed': 'stopped wont, hold.cancel, supersedes',
    'clock, locktime passed, clock unread': 'stopped wont, hold.cancel, supersedes',
  },
  'stopped wont': {
    'vhtlc.seen of our amount': 'locked',
    'hold.cancelled': 'stopped wont cancelled',
    'hold.seen cancelled': 'stopped wont cancelled',
  },
  lapsed: {},
  'stopped expired': {
    'hold.seen held': 'stopped expired',
    'hold.seen held short by one': 'stopped expired',
    'hold.seen held too briefly': 'stopped expired',
    'hold.seen held, clock unread': 'stopped expired',
    'hold.seen held, too late': 'stopped expired',
    'hold.cancelled': 'lapsed',
    'hold.seen cancelled': 'lapsed',
  },
  locking: {
    'vhtlc.accepted lock': 'locking, vhtlc.finalize lock',
    'vhtlc.final lock': 'locked',
    'vhtlc.refused lock spent': 'funded, vhtlc.lock',
    'vhtlc.refused lock recoverable': 'stopped wont, hold.cancel, supersedes',
    'vhtlc.refused lock unrolled': 'funded, vhtlc.lock',
    'vhtlc.refused lock late': 'stopped wont, hold.cancel, supersedes',
    'vhtlc.refused lock refused': 'stopped wont, hold.cancel, supersedes',
    'vhtlc.seen claimed by the client': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a queue': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a mempool': 'claiming, hold.settle, supersedes, learns',
    'claim.relayed our coin': 'claiming, hold.settle, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'claiming, hold.settle, supersedes, learns',
  },
  'stopped wont cancelled': {},
  locked: {
    'vhtlc.seen claimed by the client': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen spent by no leaf': 'locked, FLAG, DISTRUST',
    'vhtlc.seen on the chain': 'locked, FLAG',
    'vhtlc.seen on the chain, though its refund was accepted': 'locked, FLAG',
    'vhtlc.seen on the chain, spent by no leaf': 'locked, FLAG, DISTRUST',
    'vhtlc.seen taken by a batch that hides its leaf': 'locked, FLAG',
    'vhtlc.seen claimed in a queue': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a mempool': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen refunded on the chain, not buried': 'locked, FLAG',
    'vhtlc.seen refunded on the chain': 'locked, FLAG',
    'vhtlc.seen unspent, at the stop line': 'locked alarmed, FLAG',
    'clock, at the stop line': 'locked alarmed, FLAG',
    'claim.relayed our coin': 'claiming, hold.settle, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'claiming, hold.settle, supersedes, learns',
    'clock, locktime passed': 'refunding, vhtlc.refund',
  },
  claiming: {
    'onchain.final': 'claiming, FLAG',
    'vhtlc.final refund': 'claiming, FLAG',
    'hold.settled': 'claimed, books',
    'hold.seen absent': 'claiming, FLAG',
    'hold.seen settled': 'claimed, books',
    'hold.seen cancelled': 'lost, supersedes, books, FLAG',
    'hold.seen absent, its timeout buried': 'lost, supersedes, books, FLAG',
  },
  'locked alarmed': {
    'vhtlc.seen claimed by the client': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen spent by no leaf': 'locked alarmed, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'locked alarmed, FLAG, DISTRUST',
    'vhtlc.seen taken by a batch that hides its leaf': 'locked alarmed, FLAG',
    'vhtlc.seen claimed in a queue': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a mempool': 'claiming, hold.settle, supersedes, learns',
    'claim.relayed our coin': 'claiming, hold.settle, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'claiming, hold.settle, supersedes, learns',
    'clock, locktime passed': 'refunding, vhtlc.refund',
  },
  refunding: {
    'vhtlc.prepared refund': 'refunding, vhtlc.submit refund',
    'vhtlc.accepted refund': 'refunding, vhtlc.finalize refund',
    'vhtlc.final refund': 'returned, hold.cancel',
    'vhtlc.refused refund spent': 'refunding',
    'vhtlc.refused refund recoverable': 'refunding, vhtlc.settle refund',
    'vhtlc.refused refund unrolled': 'refunding exit, vhtlc.exit refund',
    'vhtlc.refused refund late': 'refunding, vhtlc.refund, FLAG',
    'vhtlc.refused refund refused': 'refunding, vhtlc.refund, FLAG',
    'vhtlc.seen claimed by the client': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen refunded': 'returned, hold.cancel',
    'vhtlc.seen spent by no leaf': 'refunding, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'refunding exit, vhtlc.exit refund, FLAG, DISTRUST',
    'vhtlc.seen on the chain, though its refund was accepted': 'refunding exit, vhtlc.exit refund',
    'vhtlc.seen refunded on the chain, not buried': 'refunding exit, vhtlc.exit refund',
    'vhtlc.seen claimed in a queue': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a mempool': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen refunded on the chain': 'returned, hold.cancel',
    'vhtlc.seen unspent, at the stop line': 'refunding alarmed, FLAG',
    'clock, at the stop line': 'refunding alarmed, FLAG',
    'claim.relayed our coin': 'claiming, hold.settle, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'refunding, vhtlc.settle refund, learns',
  },
  claimed: {
    'onchain.final': 'claimed, FLAG',
    'vhtlc.final refund': 'claimed, FLAG',
  },
  lost: {
    'onchain.final': 'refunded, supersedes, books, FLAG',
    'vhtlc.final refund': 'refunded, supersedes, books, FLAG',
  },
  'lost exit': {
    'vhtlc.prepared refund': 'lost exit, vhtlc.submit refund',
    'vhtlc.accepted refund': 'lost exit, vhtlc.finalize refund',
    'vhtlc.final refund': 'refunded, supersedes, books, FLAG',
    'onchain.prepared refund': 'lost exit, onchain.broadcast',
    'vhtlc.refused refund spent': 'lost exit',
    'vhtlc.refused refund recoverable': 'lost exit, vhtlc.settle refund',
    'vhtlc.refused refund unrolled': 'lost exit, vhtlc.exit refund',
    'vhtlc.refused refund late': 'lost, vhtlc.refund, FLAG',
    'vhtlc.refused refund refused': 'lost, vhtlc.refund, FLAG',
    'onchain.stuck': 'lost exit, vhtlc.exit refund',
    'onchain.final': 'refunded, supersedes, books, FLAG',
    'onchain.refused spent': 'lost exit',
    'onchain.refused refused': 'lost exit, vhtlc.exit refund, FLAG',
    'vhtlc.seen claimed by the client': 'lost exit',
    'vhtlc.seen claimed in a batch': 'lost exit',
    'vhtlc.seen claimed with a wrong secret': 'lost exit',
    'vhtlc.seen spent by no leaf': 'lost exit, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'lost exit, FLAG, DISTRUST',
    'vhtlc.seen taken by a batch that hides its leaf': 'lost exit, vhtlc.settle refund',
    'vhtlc.seen refunded on the chain': 'refunded, supersedes, books, FLAG',
    'claim.relayed our coin': 'lost exit',
    'claim.relayed with a wrong secret': 'lost exit',
  },
  returned: {
    'hold.cancelled': 'refunded',
    'hold.seen cancelled': 'refunded',
  },
  'refunding exit': {
    'vhtlc.prepared refund': 'refunding exit, vhtlc.submit refund',
    'vhtlc.accepted refund': 'refunding exit, vhtlc.finalize refund',
    'vhtlc.final refund': 'returned, hold.cancel, supersedes',
    'onchain.prepared refund': 'refunding exit, onchain.broadcast',
    'vhtlc.refused refund spent': 'refunding exit',
    'vhtlc.refused refund recoverable': 'refunding exit, vhtlc.settle refund',
    'vhtlc.refused refund unrolled': 'refunding exit, vhtlc.exit refund',
    'vhtlc.refused refund late': 'refunding, vhtlc.refund, FLAG',
    'vhtlc.refused refund refused': 'refunding, vhtlc.refund, FLAG',
    'onchain.stuck': 'refunding exit, vhtlc.exit refund',
    'onchain.final': 'returned, hold.cancel, supersedes, books',
    'onchain.refused spent': 'refunding exit',
    'onchain.refused refused': 'refunding exit, vhtlc.exit refund, FLAG',
    'vhtlc.seen claimed by the client': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen refunded': 'returned, hold.cancel, supersedes',
    'vhtlc.seen spent by no leaf': 'refunding exit, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'refunding exit, FLAG, DISTRUST',
    'vhtlc.seen claimed in a queue': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a mempool': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen refunded on the chain': 'returned, hold.cancel, supersedes',
    'vhtlc.seen unspent, at the stop line': 'refunding exit alarmed, FLAG',
    'clock, at the stop line': 'refunding exit alarmed, FLAG',
    'claim.relayed our coin': 'claiming, hold.settle, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'refunding exit, learns',
  },
  'refunding alarmed': {
    'vhtlc.prepared refund': 'refunding alarmed, vhtlc.submit refund',
    'vhtlc.accepted refund': 'refunding alarmed, vhtlc.finalize refund',
    'vhtlc.final refund': 'returned, hold.cancel',
    'vhtlc.refused refund spent': 'refunding alarmed',
    'vhtlc.refused refund recoverable': 'refunding alarmed, vhtlc.settle refund',
    'vhtlc.refused refund unrolled': 'refunding exit alarmed, vhtlc.exit refund',
    'vhtlc.refused refund late': 'refunding alarmed, vhtlc.refund, FLAG',
    'vhtlc.refused refund refused': 'refunding alarmed, vhtlc.refund, FLAG',
    'vhtlc.seen claimed by the client': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen refunded': 'returned, hold.cancel',
    'vhtlc.seen spent by no leaf': 'refunding alarmed, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'refunding exit alarmed, vhtlc.exit refund, FLAG, DISTRUST',
    'vhtlc.seen on the chain, though its refund was accepted': 'refunding exit alarmed, vhtlc.exit refund',
    'vhtlc.seen refunded on the chain, not buried': 'refunding exit alarmed, vhtlc.exit refund',
    'vhtlc.seen claimed in a queue': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a mempool': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen refunded on the chain': 'returned, hold.cancel',
    'claim.relayed our coin': 'claiming, hold.settle, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'refunding alarmed, vhtlc.settle refund, learns',
  },
  refunded: {},
  'refunding exit alarmed': {
    'vhtlc.prepared refund': 'refunding exit alarmed, vhtlc.submit refund',
    'vhtlc.accepted refund': 'refunding exit alarmed, vhtlc.finalize refund',
    'vhtlc.final refund': 'returned, hold.cancel, supersedes',
    'onchain.prepared refund': 'refunding exit alarmed, onchain.broadcast',
    'vhtlc.refused refund spent': 'refunding exit alarmed',
    'vhtlc.refused refund recoverable': 'refunding exit alarmed, vhtlc.settle refund',
    'vhtlc.refused refund unrolled': 'refunding exit alarmed, vhtlc.exit refund',
    'vhtlc.refused refund late': 'refunding alarmed, vhtlc.refund, FLAG',
    'vhtlc.refused refund refused': 'refunding alarmed, vhtlc.refund, FLAG',
    'onchain.stuck': 'refunding exit alarmed, vhtlc.exit refund',
    'onchain.final': 'returned, hold.cancel, supersedes, books',
    'onchain.refused spent': 'refunding exit alarmed',
    'onchain.refused refused': 'refunding exit alarmed, vhtlc.exit refund, FLAG',
    'vhtlc.seen claimed by the client': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen refunded': 'returned, hold.cancel, supersedes',
    'vhtlc.seen spent by no leaf': 'refunding exit alarmed, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'refunding exit alarmed, FLAG, DISTRUST',
    'vhtlc.seen claimed in a queue': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen claimed in a mempool': 'claiming, hold.settle, supersedes, learns',
    'vhtlc.seen refunded on the chain': 'returned, hold.cancel, supersedes',
    'claim.relayed our coin': 'claiming, hold.settle, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'refunding exit alarmed, learns',
  },
};

const { machine } = lightningArkadeCase;
const states = representatives(lightningArkadeCase);

function state(name: string): LightningArkadeProgress {
  const progress = states.get(name);
  if (progress === undefined) throw new Error(`no state is called ${name}`);
  return progress;
}

function after(name: string, event: Event, now = clocksAt(start + 60)): SwapStep<LightningArkadeProgress> {
  const step = machine.step(t, state(name), event, now);
  if (step === 'stay') throw new Error(`${event.is} does not move ${name}`);
  return step;
}

test('there are sixteen states, some with marks, and no other can be reached', () => {
  expect([...states.keys()].sort()).toEqual(Object.keys(moves).sort());
});

test.each(Object.entries(moves))('%s moves on these events alone', (name, expected) => {
  expect(tableOf(lightningArkadeCase, state(name))).toEqual(expected);
});

test('each state has its wire status, its watches, its deadline and its promise of liquidity', () => {
  const facts = [...states].map(([name, p]) => [
    name,
    machine.status(p),
    machine
      .watches(t, p)
      .map(({ on }) => on)
      .join(' '),
    machine.deadline(t, p),
    machine.open(t, p) ? 'open' : 'ended',
    machine.reserves(p) ? 'reserves' : '',
  ]);
  expect(facts).toEqual([
    ['opening', 'pending', '', t.fundBefore, 'open', 'reserves'],
    ['unopened', 'expired', '', null, 'ended', ''],
    ['pending', 'pending', 'hold', t.fundBefore, 'open', 'reserves'],
    ['funded', 'clientfunded', 'hold', t.lockBefore, 'open', 'reserves'],
    ['stopped wont', 'serverwontfund', 'hold vhtlc', null, 'open', ''],
    ['lapsed', 'expired', '', null, 'ended', ''],
    ['stopped expired', 'pending', 'hold', null, 'open', ''],
    ['locking', 'clientfunded', 'vhtlc', null, 'open', ''],
    ['stopped wont cancelled', 'serverwontfund', '', null, 'ended', ''],
    ['locked', 'serverfunded', 'vhtlc queue', t.vhtlc.refundLocktime, 'open', ''],
    ['claiming', 'clientredeemed', 'hold', null, 'open', ''],
    ['locked alarmed', 'serverfunded', 'vhtlc queue', t.vhtlc.refundLocktime, 'open', ''],
    ['refunding', 'serverfunded', 'vhtlc queue', t.vhtlc.refundLocktime, 'open', ''],
    ['claimed', 'serverredeemed', '', null, 'ended', ''],
    ['lost', 'clientredeemedandclientrefunded', '', null, 'ended', ''],
    ['returned', 'clientfundedserverrefunded', 'hold', null, 'open', ''],
    ['refunding exit', 'serverfunded', 'vhtlc queue', t.vhtlc.refundLocktime, 'open', ''],
    ['refunding alarmed', 'serverfunded', 'vhtlc queue', t.vhtlc.refundLocktime, 'open', ''],
    ['refunded', 'clientrefundedserverrefunded', '', null, 'ended', ''],
    ['refunding exit alarmed', 'serverfunded', 'vhtlc queue', t.vhtlc.refundLocktime, 'open', ''],
    ['lost exit', 'clientredeemedandclientrefunded', 'vhtlc', null, 'open', ''],
  ]);
});

test('every state says who is waited for, and only a swap that nobody was told of frees its hash', () => {
  expect([...states.values()].filter((p) => machine.nextAction(t, p).length < 8)).toEqual([]);
  expect([...states].filter(([, p]) => machine.untold(p)).map(([name]) => name)).toEqual(['unopened']);
});

describe('what loses money when it is wrong', () => {
  const held = {
    is: 'held' as const,
    amount: t.sourceAmount,
    smallest: t.sourceAmount,
    expiryHeight: 900_000 + t.cltvDelta,
  };

  test('nothing is locked for a payment that is held for one sat too little', () => {
    expect(
      after('pending', { is: 'hold.seen', state: { ...held, amount: sats(t.sourceAmount - 1n) } }).effects,
    ).toEqual([{ do: 'hold.cancel', hash: t.hash }]);
  });

  test('fault 25: nothing is locked for a payment that the node could cancel before our refund is over', () => {
    expect(
      after('pending', { is: 'hold.seen', state: { ...held, expiryHeight: held.expiryHeight - 7 } }).progress.at,
    ).toBe('stopped');
  });

  test('a lock that was prepared too late is never sent', () => {
    const late = clocksAt(t.lockBefore + 1_801);
    const step = after('funded', { is: 'vhtlc.prepared', purpose: 'lock', txid: txid.lock, output: coinPoint }, late);
    expect(step.effects.map((effect) => effect.do)).toEqual(['hold.cancel']);
  });

  test('a lock is sent only with the conditions under which it is still safe', () => {
    const step = after('funded', { is: 'vhtlc.prepared', purpose: 'lock', txid: txid.lock, output: coinPoint });
    expect(step.effects).toEqual([
      {
        do: 'vhtlc.submit',
        purpose: 'lock',
        txid: txid.lock,
        onlyIf: {
          notAfter: t.lockBefore,
          held: {
            hash: t.hash,
            sourceAmount: t.sourceAmount,
            vhtlcRefundLocktime: t.vhtlc.refundLocktime,
            policy: t.policy,
          },
        },
      },
    ]);
  });

  test('the held payment goes back only when our refund is final, not prepared, accepted or refused', () => {
    const cancels = [...states.keys()]
      .filter((name) => ['locking', 'locked', 'refunding'].includes(name))
      .flatMap((name) =>
        Object.entries(moves[name] ?? {})
          .filter(([, to]) => to.includes('hold.cancel'))
          .map(([event]) => `${name}: ${event}`),
      );
    expect(cancels).toEqual([
      'locking: vhtlc.refused lock recoverable',
      'locking: vhtlc.refused lock late',
      'locking: vhtlc.refused lock refused',
      'refunding: vhtlc.final refund',
      'refunding: vhtlc.seen refunded',
      'refunding: vhtlc.seen refunded on the chain',
    ]);
  });

  test('a claim is believed only with a secret that opens the hash', () => {
    const forged: Event = { is: 'vhtlc.seen', coins: [coin(spentBy.forgedClaim)] };
    expect(
      ['locking', 'locked', 'refunding'].map((name) => machine.step(t, state(name), forged, clocksAt(start + 60))),
    ).toEqual(['stay', 'stay', 'stay']);
  });

  test('fault 18: our lock taken by a secret of another length is lost, once it surely is, and no more', () => {
    const spend = { leaf: 'off-length' } as const;
    const claim = { is: 'vhtlc.seen', coins: [coin({ ...spentBy.clientClaim, spend })] } as const;
    const unburied = { is: 'vhtlc.seen', coins: [coin({ ...spentBy.claimInMempool, spend })] } as const;
    for (const name of ['locking', 'locked', 'refunding']) {
      const { progress, effects, ledger, flag, supersedes } = after(name, claim);
      expect([progress.at, effects, ledger, supersedes]).toEqual([
        'lost',
        [{ do: 'hold.cancel', hash: t.hash }],
        [{ kind: 'loss', ...btc('arkade', -t.targetAmount) }],
        ['arkade'],
      ]);
      expect([flag, machine.open(t, progress)]).toEqual([
        expect.stringContaining(`${t.targetAmount} sats are lost`) as string,
        true,
      ]);
      // Asked for again by its state alone, and open until the payment is back: what is over asks for nothing.
      expect(machine.resume?.(t, progress, clocksAt(start + 60)).effects).toEqual(effects);
      expect(machine.watches(t, progress)).toEqual([{ on: 'hold', hash: t.hash }]);
      const back = machine.step(t, progress, { is: 'hold.cancelled' }, clocksAt(start + 60));
      expect(back === 'stay' || machine.open(t, back.progress)).toBe(false);
      const next = machine.step(t, state(name), unburied, clocksAt(start + 60));
      expect(next === 'stay' ? name : next.progress.at).not.toBe('lost');
    }
  });

  test('the secret is saved in the commit that first sees it, before anything is settled with it', () => {
    for (const name of ['locking', 'locked', 'refunding']) {
      const step = after(name, { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] });
      expect({ learned: step.learned, effects: step.effects, supersedes: step.supersedes }).toEqual({
        learned: preimage,
        effects: [{ do: 'hold.settle', hash: t.hash }],
        supersedes: ['arkade'],
      });
    }
  });

  test('a record names the transaction that made the coin of the client, and none where a batch did', () => {
    const events: Event[] = [
      { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] },
      { is: 'vhtlc.seen', coins: [coin(spentBy.batchClaim)] },
      { is: 'claim.relayed', preimage, coins: [coinPoint], fact: true },
    ];
    const facts = { id: 'x', createdAt: start, status: 'clientredeemed', network: 'regtest' } as const;
    const named = events.map(
      (event) => viewLightningArkade(facts, t, after('locked', event).progress).arkade_claim_txid,
    );
    expect(named).toEqual([txid.client, undefined, undefined]);
  });

  test('every VHTLC key of a record has 33 bytes, also that of a client who sent 32', () => {
    const facts = { id: 'x', createdAt: start, status: 'pending', network: 'regtest' } as const;
    const keys = ['03'.repeat(33), 'ab'.repeat(32)].map((clientKeyText) => {
      const { receiver_pk, sender_pk } = viewLightningArkade(facts, { ...t, clientKeyText }, state('locked'));
      return [receiver_pk, sender_pk.length];
    });
    expect(keys).toEqual([
      ['03'.repeat(33), 66],
      [`02${'ab'.repeat(32)}`, 66],
    ]);
  });

  test('fault 27: a claim that comes while our refund is on its way wins: the payment is settled', () => {
    const onItsWay = after('refunding', {
      is: 'vhtlc.prepared',
      purpose: 'refund',
      txid: txid.refund,
      output: coinPoint,
    }).progress;
    const step = machine.step(
      t,
      onItsWay,
      { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] },
      clocksAt(start + 60),
    );
    expect(step).toMatchObject({ progress: { at: 'claiming' }, effects: [{ do: 'hold.settle' }] });
  });

  test('our refund, seen at the operator but not final, cancels nothing', () => {
    const prepared = after('refunding', {
      is: 'vhtlc.prepared',
      purpose: 'refund',
      txid: txid.refund,
      output: coinPoint,
    }).progress;
    const sighting: Event = {
      is: 'vhtlc.seen',
      coins: [
        coin({ spent: true, spentIn: txid.refund, spentBy: txid.refund, spend: { leaf: 'refund-without-receiver' } }),
      ],
    };
    expect(machine.step(t, prepared, sighting, clocksAt(start + 60))).toBe('stay');
  });

  describe('fault 40: a claim that waits in the queue while our refund is on its way', () => {
    const now = clocksAt(start + 60);
    const inQueue: Event = { is: 'vhtlc.seen', coins: [coin(spentBy.queuedClaim)] };
    const refunded: Event = {
      is: 'vhtlc.seen',
      coins: [
        coin({ spent: true, spentIn: txid.refund, spentBy: txid.refund, spend: { leaf: 'refund-without-receiver' } }),
      ],
    };
    const debt = `${t.targetAmount} sats are owed to the client: pay them to ${t.targetArkadeAddress}.`;
    const step = (progress: LightningArkadeProgress, event: Event) => machine.step(t, progress, event, now);
    const progressOf = (from: LightningArkadeProgress, ...events: Event[]) =>
      events.reduce((progress, event) => (step(progress, event) as SwapStep<LightningArkadeProgress>).progress, from);
    const claimed = progressOf(state('refunding'), inQueue);
    const settled = progressOf(claimed, { is: 'hold.settled' });

    test.each([
      ['our refund is final', { is: 'vhtlc.final', purpose: 'refund', txid: txid.refund }],
      ['the operator shows it', refunded],
      ['it is buried on the chain', { is: 'onchain.final', leg: 'arkade', txid: txid.refund, fee: sats(1) }],
    ] as [string, Event][])(
      'is owed to the client, and shown with its payout, when %s, before and after the payment is settled',
      (_, event) => {
        for (const progress of [claimed, settled]) {
          const outcome = step(progress, event) as SwapStep<LightningArkadeProgress>;
          expect({
            at: outcome.progress.at,
            bothLegs: 'bothLegs' in outcome.progress,
            flag: outcome.flag,
            open: machine.open(t, progress),
            watched: machine.watches(t, progress).some(({ on }) => on === 'vhtlc'),
          }).toEqual({
            at: progress.at,
            bothLegs: true,
            flag: expect.stringContaining(debt) as string,
            open: true,
            watched: true,
          });
        }
      },
    );

    const hidden: Event = {
      is: 'vhtlc.seen',
      coins: [coin({ spent: true, recoverable: true, settledBy: txid.batch, spend: 'hidden' })],
    };
    const asksWhose = expect.objectContaining({ do: 'vhtlc.settle', purpose: 'refund', taken: true }) as Effect;
    const tell = (fact: boolean): Event => ({ is: 'claim.relayed', preimage, coins: [coinPoint], fact });
    const final: Event = { is: 'vhtlc.final', purpose: 'refund', txid: txid.refund };
    const bare = ({ racing: _, asked: __, ...progress }: LightningArkadeProgress & { racing?: true; asked?: true }) =>
      progress;

    test('is over when the claim took the coin, at the operator or in a batch that is known not to be ours', () => {
      const claimTook = progressOf(settled, { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] });
      const asking = progressOf(settled, hidden);
      const foreign = progressOf(asking, tell(true));
      expect([
        claimTook,
        machine.open(t, claimTook),
        foreign,
        machine.open(t, foreign),
        machine.open(t, asking),
      ]).toEqual([bare(settled), false, bare(settled), false, true]);
    });

    test('asks whose batch took the coin, once, and again when no batch has it after all', () => {
      const asking = step(claimed, hidden) as SwapStep<LightningArkadeProgress>;
      const denied = progressOf(asking.progress, {
        is: 'vhtlc.refused',
        purpose: 'refund',
        txid: null,
        why: 'spent',
        reason: 'no batch has it',
      });
      expect([
        asking.effects,
        step(asking.progress, hidden),
        (step(denied, hidden) as SwapStep<LightningArkadeProgress>).effects,
      ]).toEqual([[asksWhose], 'stay', [asksWhose]]);
      expect((step(asking.progress, final) as SwapStep<LightningArkadeProgress>).flag).toContain(debt);
    });

    test('is none when the batch had the coin before: the secret opens nothing until it is known whose it was', () => {
      const before = step(state('refunding'), tell(false)) as SwapStep<LightningArkadeProgress>;
      expect([before.progress.at, before.effects, before.learned, step(before.progress, tell(false))]).toEqual([
        'refunding',
        [asksWhose],
        preimage,
        'stay',
      ]);
      expect([step(before.progress, final), step(before.progress, tell(true))]).toMatchObject([
        { progress: { at: 'returned' }, effects: [{ do: 'hold.cancel' }] },
        { progress: { at: 'claiming' }, effects: [{ do: 'hold.settle' }], learned: preimage },
      ]);
    });

    test('is one when nobody has said whose batch it was at the stop line: the payment is settled', () => {
      const late = progressOf({ ...state('refunding'), expiryHeight: 1 } as LightningArkadeProgress, tell(false));
      const outcome = step(late, hidden) as SwapStep<LightningArkadeProgress>;
      expect(step(late, final)).toMatchObject({ progress: { at: 'returned' } });
      expect(outcome).toMatchObject({
        progress: { at: 'claiming', racing: true, asked: true },
        effects: [{ do: 'hold.settle' }, { do: 'vhtlc.settle', taken: true }],
      });
      expect((step(outcome.progress, final) as SwapStep<LightningArkadeProgress>).flag).toContain(debt);
    });

    test('is owed to the client as well when it was held for over and our refund is final all the same', () => {
      for (const over of [bare(claimed), bare(settled)])
        expect((step(over as LightningArkadeProgress, final) as SwapStep<LightningArkadeProgress>).flag).toContain(
          debt,
        );
    });

    describe('whose payment goes back', () => {
      const goesBack: Event = { is: 'hold.seen', state: { is: 'cancelled' } };
      const accepted: Event = { is: 'vhtlc.accepted', purpose: 'refund', txid: txid.refund };

      test('fault 68: takes back what lies on the chain, though its claim once waited in a queue', () => {
        const lost = (step(claimed, goesBack) as SwapStep<LightningArkadeProgress>).progress;
        const looked = step(lost, {
          is: 'vhtlc.seen',
          coins: [coin({ unrolled: true })],
        }) as SwapStep<LightningArkadeProgress>;
        const exits = step(looked.progress, {
          is: 'vhtlc.refused',
          purpose: 'refund',
          txid: null,
          why: 'unrolled',
          reason: 'on the chain',
        }) as SwapStep<LightningArkadeProgress>;
        const mined = step(exits.progress, { is: 'onchain.final', leg: 'arkade', txid: txid.refund, fee: sats(300) });
        expect([
          lost.at,
          [looked, exits].map(({ effects }) => effects.map((effect) => effect.do)),
          mined === 'stay' ? null : mined.progress.at,
        ]).toEqual(['lost', [['vhtlc.refund'], ['vhtlc.exit']], 'refunded']);
      });

      test('finishes a refund that the operator has accepted, and then nothing is lost', () => {
        const lost = step(progressOf(claimed, accepted), goesBack) as SwapStep<LightningArkadeProgress>;
        expect([
          lost.progress.at,
          lost.effects.map((effect) => effect.do),
          machine.open(t, lost.progress),
          machine.watches(t, lost.progress).map(({ on }) => on),
        ]).toEqual(['lost', ['vhtlc.refund'], true, ['vhtlc']]);
        const again = progressOf(
          lost.progress,
          { is: 'vhtlc.prepared', purpose: 'refund', txid: txid.refund, output: coinPoint },
          accepted,
        );
        const back = step(again, final) as SwapStep<LightningArkadeProgress>;
        const books = [lost, back].flatMap(({ ledger = [] }) => ledger).reduce((sum, { amount }) => sum + amount, 0n);
        expect([back.progress.at, machine.open(t, back.progress), books, back.flag]).toEqual([
          'refunded',
          false,
          0n,
          expect.stringContaining('nothing is owed'),
        ]);
      });

      test('begins to finish one that shows only then, and ends with the claim when that took the coin', () => {
        const lost = progressOf(claimed, goesBack);
        const recovery = step(lost, refunded) as SwapStep<LightningArkadeProgress>;
        expect([
          recovery.progress.at,
          recovery.effects.map((effect) => effect.do),
          step(recovery.progress, refunded),
        ]).toEqual(['lost', ['vhtlc.refund'], 'stay']);
        const over = progressOf(lost, { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] });
        expect([over.at, machine.open(t, over)]).toEqual(['lost', false]);
      });

      test('owes the client nothing, and says so, when our refund was final before', () => {
        const back = step(progressOf(claimed, final), goesBack) as SwapStep<LightningArkadeProgress>;
        expect([back.progress, back.flag, back.ledger]).toEqual([
          expect.objectContaining({ at: 'refunded', returned: { fundTxid: txid.lock, refundTxid: txid.refund } }),
          expect.stringContaining('nothing is owed'),
          undefined,
        ]);
      });
    });

    test('is no race when the operator has taken the claim, or no refund was begun', () => {
      const [claimTook, early] = [
        progressOf(state('refunding'), { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] }),
        progressOf(state('locked'), inQueue),
      ];
      expect(
        [claimTook, early].map((progress) => [progress.at, 'racing' in progress, step(progress, refunded)]),
      ).toEqual([
        ['claiming', false, 'stay'],
        ['claiming', false, 'stay'],
      ]);
    });
  });

  test('once claimed nothing but settling follows', () => {
    const effects = Object.values(moves['claiming'] ?? {}).filter(
      (to) => to.includes('hold.cancel') || to.includes('vhtlc.'),
    );
    expect(effects).toEqual([]);
  });
});
