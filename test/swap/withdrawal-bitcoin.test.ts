import { describe, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import type { SavedSend } from '../../engine/legs/onchain/wallet-port.ts';
import { bitcoinWithdrawal, type BitcoinWithdrawalProgress, type BitcoinWithdrawalTerms } from '../../engine/swap/withdrawal-bitcoin.ts';
import { clocksAt, start, txid, type Case, type Told } from './cases.ts';
import { explore } from './explore.ts';
import { nameOf, representatives, tableOf } from './table.ts';

const coin = { outpoint: { txid: txid.lock, vout: 1 }, amount: sats(90_000), key: { branch: 'bitcoin-deposit', index: 3 } } as const;

function payment(id: string, fee: number, change: boolean): SavedSend {
  return {
    txid: id,
    coins: [coin],
    change: change ? { amount: sats(40_000 - fee), key: { branch: 'bitcoin-change', index: 0 } } : null,
    fee: sats(change ? fee : 40_000),
    rate: fee / 154,
    capped: !change,
  };
}

const first = payment(txid.claim, 200, true);
const better = payment(txid.refund, 400, true);
const last = payment(txid.batch, 0, false);

function told(label: string, event: Told['event']): Told {
  return { label, event, now: clocksAt(start) };
}

const bitcoinWithdrawalCase: Case<BitcoinWithdrawalTerms, BitcoinWithdrawalProgress> = {
  machine: bitcoinWithdrawal,
  terms: { script: new Uint8Array(34), address: 'bcrt1elsewhere', amount: sats(50_000) },
  first: { at: 'choosing' },
  events: [
    told('clock', { is: 'clock' }),
    told('abandoned', { is: 'abandoned', reason: 'nobody waits' }),
    told('vhtlc.refused', { is: 'vhtlc.refused', purpose: 'lock', txid: null, why: 'refused', reason: 'not ours' }),
    told('send.prepared', { is: 'send.prepared', payment: first, height: 100 }),
    told('send.prepared better', { is: 'send.prepared', payment: better, height: 107 }),
    told('send.prepared without change', { is: 'send.prepared', payment: last, height: 114 }),
    told('send.refused', { is: 'send.refused', reason: 'no coins' }),
    ...[first, better, last].map(({ txid: id }, i) => told(`chain.stuck ${i}`, { is: 'chain.stuck', txid: id, leastRate: 3 })),
    told('chain.final', { is: 'chain.final', txid: first.txid, fee: first.fee }),
    told('chain.refused spent', { is: 'chain.refused', txid: first.txid, why: 'spent', reason: 'somebody else' }),
    told('chain.refused refused', { is: 'chain.refused', txid: first.txid, why: 'refused', reason: 'never relayed' }),
    told('bump.requested', { is: 'bump.requested' }),
  ],
};

describe('out of the Bitcoin wallet', () => {
  /** Every state, and every event that moves it. */
  const moves: Record<string, Record<string, string>> = {
    choosing: {
      'send.prepared': 'sending, chain.broadcast',
      'send.prepared better': 'sending, chain.broadcast',
      'send.prepared without change': 'sending, chain.broadcast',
      'send.refused': 'failed',
    },
    sending: {
      'chain.stuck 0': 'raising, bitcoin.bump',
      'chain.final': 'sent',
      'chain.refused spent': 'choosing, bitcoin.send',
      'chain.refused refused': 'failed',
      'bump.requested': 'raising, bitcoin.bump',
    },
    raising: {
      'send.prepared': 'sending, chain.broadcast',
      'send.prepared better': 'sending, chain.broadcast',
      'send.prepared without change': 'sending, chain.broadcast',
      'send.refused': 'sending, chain.broadcast',
      'chain.final': 'sent',
      'chain.refused spent': 'choosing, bitcoin.send',
      'chain.refused refused': 'failed',
    },
    sent: {},
    failed: {},
  };

  const states = representatives(bitcoinWithdrawalCase);

  test.each(Object.entries(moves))('%s moves on these events alone', (name, expected) => {
    const progress = states.get(name);
    expect(progress === undefined ? 'unreachable' : tableOf(bitcoinWithdrawalCase, progress)).toEqual(expected);
  });

  test('has no other states', () => {
    expect(new Set(explore(bitcoinWithdrawalCase).states.map(nameOf))).toEqual(new Set(Object.keys(moves)));
  });

  test('other coins are chosen only once a stranger took the ones before, and a payment fails only while none of its kind was let out', () => {
    const strange = explore(bitcoinWithdrawalCase).moves.flatMap(({ from, label, step }) => {
      const sendsAnew = step.effects.some((effect) => effect.do === 'bitcoin.send');
      const gaveUp = step.progress.at === 'failed' && from.at !== 'choosing' && 'replaced' in from && from.replaced.length > 0;
      return (sendsAnew && label !== 'chain.refused spent') || gaveUp ? [`${from.at}, ${label}`] : [];
    });
    expect(strange).toEqual([]);
  });

  test('every replacement spends the coins of what it replaces, and what can pay no higher fee is never prepared again', () => {
    const wrong = explore(bitcoinWithdrawalCase).moves.flatMap(({ from, label, step }) =>
      step.effects.flatMap((effect) => {
        if (effect.do === 'bitcoin.bump') return 'payment' in from && effect.replaces.coins === from.payment.coins && effect.replaces.fee === from.payment.fee ? [] : [`${from.at}, ${label}`];
        return effect.do === 'chain.broadcast' && effect.capped && effect.rate !== 0 ? [`${from.at}, ${label}: ${effect.rate}`] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });
});
