import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { amendedSince } from '../../engine/service/amend.ts';
import { directions } from '../../engine/service/directions/directions.ts';
import { arkadeBitcoin } from '../../engine/swap/directions/arkade-bitcoin/machine.ts';
import { arkadeBitcoinTerms as terms } from '../swap/arkade-bitcoin-cases.ts';
import { clocksAt, coin } from '../swap/cases.ts';
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
    const of = (noted: boolean) =>
      amendedSince({ directions, runtime: { store: { intents: { has: () => noted } } } } as never, row);
    expect([progress.at, of(true), of(false)]).toEqual(['stopped', true, false]);
  },
);
