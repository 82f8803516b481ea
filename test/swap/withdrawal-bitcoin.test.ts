import { describe, expect, test } from 'vitest';
import { bitcoinWithdrawalCase } from './withdrawal-bitcoin-cases.ts';
import { explore } from './explore.ts';
import { nameOf, representatives, tableOf } from './table.ts';

describe('out of the Bitcoin wallet', () => {
  /** Every state, and every event that moves it. */
  const moves: Record<string, Record<string, string>> = {
    choosing: {
      'onchain.final': 'sent, books',
      'send.prepared': 'sending, onchain.broadcast',
      'send.prepared better': 'sending, onchain.broadcast',
      'send.prepared without change': 'sending, onchain.broadcast',
      'send.refused': 'failed',
    },
    sending: {
      'onchain.stuck 0': 'raising, onchain.bump',
      'onchain.final': 'sent, books',
      'onchain.refused spent': 'choosing, onchain.send',
      'onchain.refused refused': 'failed',
      'bump.requested': 'raising, onchain.bump',
    },
    raising: {
      'send.prepared': 'sending, onchain.broadcast',
      'send.prepared better': 'sending, onchain.broadcast',
      'send.prepared without change': 'sending, onchain.broadcast',
      'send.refused': 'sending, onchain.broadcast, FLAG',
      'onchain.final': 'sent, books',
      'onchain.refused spent': 'choosing, onchain.send',
      'onchain.refused refused': 'failed',
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
      const sendsAnew = step.effects.some((effect) => effect.do === 'onchain.send');
      const gaveUp =
        step.progress.at === 'failed' && from.at !== 'choosing' && 'replaced' in from && from.replaced.length > 0;
      return (sendsAnew && label !== 'onchain.refused spent') || gaveUp ? [`${from.at}, ${label}`] : [];
    });
    expect(strange).toEqual([]);
  });

  test('how soon its owner wants it goes with every effect, and nothing where that was not said', () => {
    const within = (terms: typeof bitcoinWithdrawalCase.terms) =>
      new Set(
        explore({ ...bitcoinWithdrawalCase, terms }).moves.flatMap(({ step }) =>
          step.effects.map((effect) => ('within' in effect ? effect.within : 'left out')),
        ),
      );
    expect([within({ ...bitcoinWithdrawalCase.terms, within: 144 }), within(bitcoinWithdrawalCase.terms)]).toEqual([
      new Set([144]),
      new Set(['left out']),
    ]);
  });

  test('every replacement spends the coins of what it replaces', () => {
    const wrong = explore(bitcoinWithdrawalCase).moves.flatMap(({ from, label, step }) =>
      step.effects.flatMap((effect) => {
        if (effect.do === 'onchain.bump')
          return 'payment' in from &&
            effect.replaces.coins === from.payment.coins &&
            effect.replaces.fee === from.payment.fee
            ? []
            : [`${from.at}, ${label}`];
        return effect.do === 'onchain.broadcast' && effect.capped && effect.rate !== 0
          ? [`${from.at}, ${label}: ${effect.rate}`]
          : [];
      }),
    );
    expect(wrong).toEqual([]);
  });
});
