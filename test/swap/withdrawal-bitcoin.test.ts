import { describe, expect, test } from 'vitest';
import { bitcoinWithdrawalCase } from './bitcoin-cases.ts';
import { explore } from './explore.ts';
import { nameOf, representatives, tableOf } from './table.ts';

describe('out of the Bitcoin wallet', () => {
  /** Every state, and every event that moves it. */
  const moves: Record<string, Record<string, string>> = {
    choosing: {
      'chain.final': 'sent, books',
      'send.prepared': 'sending, chain.broadcast',
      'send.prepared better': 'sending, chain.broadcast',
      'send.prepared without change': 'sending, chain.broadcast',
      'send.refused': 'failed',
    },
    sending: {
      'chain.stuck 0': 'raising, bitcoin.bump',
      'chain.final': 'sent, books',
      'chain.refused spent': 'choosing, bitcoin.send',
      'chain.refused refused': 'failed',
      'bump.requested': 'raising, bitcoin.bump',
    },
    raising: {
      'send.prepared': 'sending, chain.broadcast',
      'send.prepared better': 'sending, chain.broadcast',
      'send.prepared without change': 'sending, chain.broadcast',
      'send.refused': 'sending, chain.broadcast, FLAG',
      'chain.final': 'sent, books',
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

  test('other coins are chosen only once a stranger took the ones before', () => {
    const strange = explore(bitcoinWithdrawalCase).moves.flatMap(({ from, label, step }) => {
      const sendsAnew = step.effects.some((effect) => effect.do === 'bitcoin.send');
      const gaveUp =
        step.progress.at === 'failed' && from.at !== 'choosing' && 'replaced' in from && from.replaced.length > 0;
      return (sendsAnew && label !== 'chain.refused spent') || gaveUp ? [`${from.at}, ${label}`] : [];
    });
    expect(strange).toEqual([]);
  });

  test('every replacement spends the coins of what it replaces', () => {
    const wrong = explore(bitcoinWithdrawalCase).moves.flatMap(({ from, label, step }) =>
      step.effects.flatMap((effect) => {
        if (effect.do === 'bitcoin.bump')
          return 'payment' in from &&
            effect.replaces.coins === from.payment.coins &&
            effect.replaces.fee === from.payment.fee
            ? []
            : [`${from.at}, ${label}`];
        return effect.do === 'chain.broadcast' && effect.capped && effect.rate !== 0
          ? [`${from.at}, ${label}: ${effect.rate}`]
          : [];
      }),
    );
    expect(wrong).toEqual([]);
  });
});
