import { describe, expect, test } from 'vitest';
import { arkadeWithdrawalCase, lightningWithdrawalCase } from './cases.ts';
import { representatives, tableOf } from './table.ts';

describe('out of the Arkade wallet', () => {
  /** Every state, and every event that moves it. */
  const moves: Record<string, Record<string, string>> = {
    choosing: {
      'vhtlc.prepared lock': 'sending, vhtlc.submit lock',
      'vhtlc.refused lock spent': 'failed',
      'vhtlc.refused lock unrolled': 'failed',
      'vhtlc.refused lock recoverable': 'failed',
      'vhtlc.refused lock late': 'failed',
      'vhtlc.refused lock refused': 'failed',
      'vhtlc.prepared claim': 'sending, vhtlc.submit lock',
      'vhtlc.refused claim spent': 'failed',
      'vhtlc.refused claim unrolled': 'failed',
      'vhtlc.refused claim recoverable': 'failed',
      'vhtlc.refused claim late': 'failed',
      'vhtlc.refused claim refused': 'failed',
      'vhtlc.prepared refund': 'sending, vhtlc.submit lock',
      'vhtlc.refused refund spent': 'failed',
      'vhtlc.refused refund unrolled': 'failed',
      'vhtlc.refused refund recoverable': 'failed',
      'vhtlc.refused refund late': 'failed',
      'vhtlc.refused refund refused': 'failed',
    },
    sending: {
      'vhtlc.accepted lock': 'sending, vhtlc.finalize lock',
      'vhtlc.final lock': 'sent',
      'vhtlc.refused lock spent': 'choosing, vhtlc.lock',
      'vhtlc.refused lock unrolled': 'choosing, vhtlc.lock',
      'vhtlc.refused lock recoverable': 'failed',
      'vhtlc.refused lock late': 'failed',
      'vhtlc.refused lock refused': 'failed',
      'vhtlc.accepted claim': 'sending, vhtlc.finalize lock',
      'vhtlc.final claim': 'sent',
      'vhtlc.refused claim spent': 'choosing, vhtlc.lock',
      'vhtlc.refused claim unrolled': 'choosing, vhtlc.lock',
      'vhtlc.refused claim recoverable': 'failed',
      'vhtlc.refused claim late': 'failed',
      'vhtlc.refused claim refused': 'failed',
      'vhtlc.accepted refund': 'sending, vhtlc.finalize lock',
      'vhtlc.final refund': 'sent',
      'vhtlc.refused refund spent': 'choosing, vhtlc.lock',
      'vhtlc.refused refund unrolled': 'choosing, vhtlc.lock',
      'vhtlc.refused refund recoverable': 'failed',
      'vhtlc.refused refund late': 'failed',
      'vhtlc.refused refund refused': 'failed',
    },
    failed: {},
    sent: {},
  };

  const states = representatives(arkadeWithdrawalCase);

  test.each(Object.entries(moves))('%s moves on these events alone', (name, expected) => {
    const progress = states.get(name);
    expect(progress === undefined ? 'unreachable' : tableOf(arkadeWithdrawalCase, progress)).toEqual(expected);
  });

  test('nothing is sent before the transaction was saved, and nothing is sent twice', () => {
    const sends = Object.entries(moves).flatMap(([name, table]) =>
      Object.entries(table)
        .filter(([, to]) => to.includes('vhtlc.submit'))
        .map(([event]) => `${name}: ${event.split(' ')[0]}`),
    );
    expect([...new Set(sends)]).toEqual(['choosing: vhtlc.prepared']);
  });
});

describe('over Lightning', () => {
  /** Every state, and every event that moves it. */
  const moves: Record<string, Record<string, string>> = {
    starting: {
      'payment.started': 'paying',
      'payment.started after a call without an answer': 'paying late true',
      'payment.refused': 'failed',
      'payment.seen in-flight': 'paying',
      'payment.seen settled': 'paid, books',
      'payment.seen failed': 'failed',
    },
    paying: {
      'payment.seen settled': 'paid, books',
      'payment.seen failed': 'failed',
      'payment.seen absent, every HTLC timed out': 'failed',
    },
    failed: {},
    paid: {},
    'paying late true': {
      'payment.seen settled': 'paid, books',
      'payment.seen failed': 'failed late true',
      'payment.seen absent, every HTLC timed out': 'failed',
    },
    'failed late true': {
      'payment.seen settled': 'paid, books, FLAG',
      'payment.seen absent, every HTLC timed out': 'failed',
    },
  };

  const states = representatives(lightningWithdrawalCase);

  test.each(Object.entries(moves))('%s moves on these events alone', (name, expected) => {
    const progress = states.get(name);
    expect(progress === undefined ? 'unreachable' : tableOf(lightningWithdrawalCase, progress)).toEqual(expected);
  });

  test('a payment that the node carries fails by its own state alone', () => {
    expect(
      Object.entries(moves['paying'] ?? {})
        .filter(([, to]) => to === 'failed')
        .map(([event]) => event),
    ).toEqual(['payment.seen failed', 'payment.seen absent, every HTLC timed out']);
  });
});
