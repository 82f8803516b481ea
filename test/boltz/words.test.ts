import { expect, test } from 'vitest';
import { chain, reverse, submarine } from '../../engine/boltz/pair.ts';
import { wordOf } from '../../engine/boltz/words.ts';

test('once our lock is back, a client that locked bitcoin hears that, one on Arkade to take its own', () => {
  const back = ['clientfundedserverrefunded', 'clientrefundedserverrefunded'] as const;
  const words = [chain.BTC, chain.ARK, reverse.BTC, submarine.ARK].map((pair) =>
    back.map((status) => wordOf(pair, status)),
  );
  expect(words).toEqual([
    ['transaction.refunded', 'transaction.refunded'],
    ['swap.expired', 'swap.expired'],
    ['transaction.refunded', 'transaction.refunded'],
    ['invoice.failedToPay', 'swap.expired'],
  ]);
});
