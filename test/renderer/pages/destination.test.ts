import { expect, test } from 'vitest';
import { recognise } from '../../../renderer/pages/swap/destination.ts';

const invoice = `lnbcrt250u1${'q'.repeat(120)}`;
const is = (text: string) => recognise(text).is;

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
      '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
      '0x7E1cA904b36D5f18C2a0E94d7b1F6c83dA25B9e0',
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
  const bare = recognise(`lnbcrt1${'q'.repeat(120)}`);
  expect([recognise(invoice), bare]).toEqual([
    { is: 'invoice', network: 'lightning', text: invoice, amount: '25000' },
    { is: 'bad-invoice', sentence: expect.stringContaining('carries no amount') },
  ]);
});
