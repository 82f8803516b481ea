import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { bundled } from '../../engine/runtime/bundle.ts';
import { NotYet } from '../../engine/runtime/not-yet.ts';
import { sendEffect } from '../../engine/swap/halves/bitcoin/fund/effects.ts';
import type { Effect } from '../../engine/swap/machine.ts';
import { evmBitcoinTerms, height, payment } from '../swap/evm-bitcoin-cases.ts';

/** A bundle that cannot be written. */
const away = { track: () => undefined, holds: async () => false };
const backing = { onlyIf: { notAfter: unix(1_760_003_600) }, back: unix(1_760_086_400) };

const waits = (effect: Effect) =>
  bundled(away, 'a swap', effect).then(
    () => false,
    (cause: unknown) => cause instanceof NotYet,
  );

test.each([
  ['with change', payment],
  ['without change, which is never pushed', { ...payment, change: null }],
])('our funding %s waits for the bundle that brings it back', async (_, of) => {
  expect(await waits(sendEffect(evmBitcoinTerms, { payment: of, height }, backing))).toBe(true);
});

test('what takes our own waits for nothing', async () => {
  const claim: Effect = {
    do: 'onchain.broadcast',
    leg: 'bitcoin',
    txid: 'ab'.repeat(32),
    spends: { txid: 'cd'.repeat(32), vout: 0 },
    amount: evmBitcoinTerms.targetAmount,
    rate: 2,
    capped: false,
    since: height,
  };
  expect(await waits(claim)).toBe(false);
});
