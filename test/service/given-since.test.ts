import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { givenSince } from '../../engine/service/given-since.ts';
import { arkadeBitcoin } from '../../engine/swap/directions/arkade-bitcoin.ts';
import { arkadeEvm } from '../../engine/swap/directions/arkade-evm.ts';
import { arkadeLightning } from '../../engine/swap/directions/arkade-lightning.ts';
import { evmArkade } from '../../engine/swap/directions/evm-arkade.ts';
import { evmBitcoin } from '../../engine/swap/directions/evm-bitcoin.ts';
import { evmLightning } from '../../engine/swap/directions/evm-lightning.ts';
import { arkadeBitcoinTerms as terms } from '../swap/arkade-bitcoin-cases.ts';
import { arkadeEvmTerms } from '../swap/arkade-evm-cases.ts';
import { clocksAt, coin } from '../swap/cases.ts';
import { evmArkadeTerms } from '../swap/evm-arkade-cases.ts';
import { evmBitcoinTerms } from '../swap/evm-bitcoin-cases.ts';
import { swapRow } from '../store/support.ts';

test.each([0n, 1_000n])(
  'fault 133: a copy from before the coin that finds it late signs no refund, %s short',
  (less) => {
    const look = { is: 'vhtlc.seen', coins: [coin({ amount: sats(terms.sourceAmount - less) })] } as const;
    const late = arkadeBitcoin.step(terms, { at: 'pending', fenced: false }, look, clocksAt(terms.fundBefore + 60));
    if (late === 'stay') return expect.fail('it stays');
    const { progress } = late;
    const row = swapRow({
      machine: 'arkade-bitcoin',
      terms,
      progress,
      status: arkadeBitcoin.status(progress),
      open: true,
    });
    const of = (noted: boolean) => givenSince({ runtime: { store: { intents: { has: () => noted } } } } as never, row);
    expect([progress.at, of(true), of(false)]).toEqual(['stopped', true, false]);
  },
);

test.each([
  ['arkade-evm', arkadeEvmTerms],
  ['evm-arkade', evmArkadeTerms],
  ['evm-bitcoin', evmBitcoinTerms],
])('fault 5: a copy of %s that finds the coin late signs no refund, for its lock may be out', (machine, given) => {
  for (const status of ['pending', 'clientfundedtoolate', 'expired', 'clientinvalidfunded'] as const) {
    const row = swapRow({ machine, terms: given, progress: { at: 'stopped' }, status });
    expect(givenSince({ runtime: { store: { intents: { has: () => true } } } } as never, row)).toBe(true);
  }
  const over = swapRow({ machine, terms: given, progress: { at: 'refunded' }, status: 'clientfundedserverrefunded' });
  expect(givenSince({ runtime: { store: { intents: { has: () => true } } } } as never, over)).toBe(false);
});

test('what a restored database may have forgotten is noted of every direction whose refund is signed', () => {
  for (const { name, notes } of [arkadeBitcoin, arkadeEvm, arkadeLightning, evmArkade, evmBitcoin, evmLightning])
    expect([name, notes]).toEqual([name, expect.arrayContaining(['payment', 'refund'])]);
});
