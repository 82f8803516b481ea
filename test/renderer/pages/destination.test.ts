import { expect, test } from 'vitest';
import { recognise } from '../../../renderer/pages/swap/destination.ts';

const invoice = `lnbcrt250u1${'q'.repeat(120)}`;
const is = (text: string) => recognise(text, 'regtest').is;

test('what a wallet gives out is recognised, with or without the scheme of a link', () => {
  expect(
    [
      '',
      invoice,
      `lightning:${invoice.toUpperCase()}`,
      'LNURL1DP68GURN8GHJ7',
      'alice@example.com',
      `tark1${'q'.repeat(60)}`,
      `bitcoin:bcrt1${'q'.repeat(38)}`,
      'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      'hello',
    ].map(is),
  ).toEqual([
    'empty',
    'invoice',
    'invoice',
    'lnurl',
    'lightningAddress',
    'arkade',
    'bitcoin',
    'bitcoin',
    'evm',
    'unreadable',
  ]);
});

test('an invoice says how much, and one that does not is refused with the reason', () => {
  const bare = recognise(`lnbcrt1${'q'.repeat(120)}`, 'regtest');
  expect([recognise(invoice, 'regtest'), bare]).toEqual([
    { is: 'invoice', network: 'lightning', text: invoice, amount: '25000' },
    { is: 'bad-invoice', sentence: expect.stringContaining('carries no amount') },
  ]);
});

test('fault 77: an address with a wrong letter is told, and so is one that nobody has the key of', () => {
  expect(
    [
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
      `0x${'0'.repeat(40)}`,
      '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
      'ethereum:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    ].map(is),
  ).toEqual(['mistyped', 'nobodys', 'evm', 'evm']);
});

test('fault 78, bitcoin: an invoice or address of another network is never called right', () => {
  const body = 'q'.repeat(120);
  const of = {
    mainnet: [
      `lnbc250u1${body}`,
      `bc1q${'q'.repeat(38)}`,
      '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
      `ark1${'q'.repeat(60)}`,
    ],
    signet: [`lntbs250u1${body}`, `tb1q${'q'.repeat(38)}`, `tark1${'q'.repeat(60)}`],
    regtest: [invoice, `bcrt1q${'q'.repeat(38)}`, `tark1${'q'.repeat(60)}`],
  } as const;
  for (const [here, own] of Object.entries(of) as [keyof typeof of, readonly string[]][]) {
    const other = Object.values(of)
      .flat()
      .filter((text) => !own.includes(text));
    expect(own.map((text) => recognise(text, here).is === 'foreign')).toEqual(own.map(() => false));
    expect(other.map((text) => recognise(text, here).is)).toEqual(other.map(() => 'foreign'));
  }
  expect(recognise(`bc1q${'q'.repeat(38)}`, 'regtest')).toEqual({ is: 'foreign', of: ['mainnet'] });
  expect(recognise(`lntb250u1${body}`, 'regtest')).toEqual({ is: 'foreign', of: [] });
});
