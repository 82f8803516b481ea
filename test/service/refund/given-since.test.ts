import { expect, test } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { givenSince } from '../../../engine/service/refund/given-since.ts';
import { directions } from '../../../engine/service/directions/directions.ts';
import { arkadeBitcoin } from '../../../engine/swap/directions/arkade-bitcoin.ts';
import { arkadeEvm } from '../../../engine/swap/directions/arkade-evm.ts';
import { arkadeLightning } from '../../../engine/swap/directions/arkade-lightning.ts';
import { bitcoinArkade } from '../../../engine/swap/directions/bitcoin-arkade.ts';
import { bitcoinLightning } from '../../../engine/swap/directions/bitcoin-lightning.ts';
import { evmArkade } from '../../../engine/swap/directions/evm-arkade.ts';
import { evmBitcoin } from '../../../engine/swap/directions/evm-bitcoin.ts';
import { evmLightning } from '../../../engine/swap/directions/evm-lightning.ts';
import { arkadeBitcoinTerms as terms } from '../../swap/arkade-bitcoin-cases.ts';
import { arkadeEvmTerms } from '../../swap/arkade-evm-cases.ts';
import { clocksAt, coin } from '../../swap/cases.ts';
import { bitcoinArkadeCase, bitcoinArkadeTerms } from '../../swap/bitcoin-arkade-cases.ts';
import { bitcoinLightningTerms } from '../../swap/bitcoin-lightning-cases.ts';
import type { AnyCase } from '../../swap/every-case.ts';
import { evmArkadeCase, evmArkadeTerms } from '../../swap/evm-arkade-cases.ts';
import { representatives } from '../../swap/table.ts';
import { evmBitcoinTerms } from '../../swap/evm-bitcoin-cases.ts';
import { swapRow } from '../../store/support.ts';

const noting = (noted: boolean) => ({ runtime: { store: { intents: { has: () => noted } } }, directions }) as never;

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
    const of = (noted: boolean) => givenSince(noting(noted), row);
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
    expect(givenSince(noting(true), row)).toBe(true);
  }
  const over = swapRow({ machine, terms: given, progress: { at: 'refunded' }, status: 'clientfundedserverrefunded' });
  expect(givenSince(noting(true), over)).toBe(false);
});

test.each([bitcoinArkadeCase, evmArkadeCase] as unknown as AnyCase[])(
  'fault 5: a copy of $machine.name that calls its lock off before it looked for it signs no refund',
  (of) => {
    const { machine, terms: given } = of as AnyCase & { readonly terms: { readonly lockBefore: number } };
    const funded = representatives(of).get('funded');
    const off = machine.step(given, funded as never, { is: 'clock' }, clocksAt(given.lockBefore + 4 * 3_600));
    if (off === 'stay') return expect.fail('it stays');
    const status = machine.status(off.progress);
    const row = swapRow({ machine: machine.name, terms: given, progress: off.progress, status });
    expect([status, givenSince(noting(true), row), givenSince(noting(false), row)]).toEqual([
      'serverwontfund',
      true,
      false,
    ]);
  },
);

test('what a restored database may have forgotten is noted of every direction whose refund is signed', () => {
  const all = [arkadeBitcoin, arkadeEvm, arkadeLightning, bitcoinArkade, bitcoinLightning, evmArkade];
  for (const { name, notes } of [...all, evmBitcoin, evmLightning])
    expect([name, notes]).toEqual([name, expect.arrayContaining(['payment', 'refund'])]);
});

test('fault 157, bitcoin: of an HTLC that its client takes back by a locktime alone no refund is signed', () => {
  const { htlc } = bitcoinLightningTerms;
  const joint = { ...bitcoinArkadeTerms, htlc };
  expect([bitcoinArkadeTerms, joint].map((of) => bitcoinArkade.signsRefund?.(of))).toEqual([false, true]);
});
