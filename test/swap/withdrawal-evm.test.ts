import { expect, test } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { sats } from '../../engine/domain/money.ts';
import type { EvmEvent, SentState } from '../../engine/legs/evm/events.ts';
import {
  evmWithdrawal as machine,
  evmWithdrawalEffect,
  type EvmWithdrawalProgress,
  type EvmWithdrawalTerms,
} from '../../engine/swap/jobs/withdrawal-evm.ts';
import { clocksAt, start } from './cases.ts';

const address = (byte: number) => asEvmAddress(new Uint8Array(20).fill(byte));
const terms: EvmWithdrawalTerms = {
  network: 'evm:137',
  token: address(1),
  to: address(2),
  amount: 10n ** 20n,
  mostFee: sats(2_000),
  confirmations: 64,
};
const first: EvmWithdrawalProgress = { at: 'choosing' };
const sending: EvmWithdrawalProgress = { at: 'sending', txid: 'aa' };

function after(progress: EvmWithdrawalProgress, event: EvmEvent) {
  return machine.step(terms, progress, event, clocksAt(start));
}

function sent(state: SentState) {
  return after(sending, { is: 'evm.sent', purpose: 'pay', txid: 'aa', state });
}

const mined = (confirmations: number, ok = true): SentState => ({ is: 'mined', by: 'bb', ok, confirmations, cost: 1n });

test('is sent once, and over when the variant that was mined is buried', () => {
  expect(after(first, { is: 'evm.prepared', purpose: 'pay', txid: 'aa' })).toMatchObject({
    progress: sending,
    effects: [],
  });
  expect([sent({ is: 'waiting', taken: null }), sent(mined(63))]).toEqual(['stay', 'stay']);
  expect(sent(mined(64))).toMatchObject({ progress: { at: 'sent', txid: 'bb' } });
});

test('that was refused, or reverted and buried, has failed with the reason', () => {
  expect(after(first, { is: 'evm.refused', purpose: 'pay', reason: 'too little' })).toMatchObject({
    progress: { at: 'failed', reason: 'too little' },
  });
  expect(sent(mined(63, false))).toBe('stay');
  expect(sent(mined(64, false))).toMatchObject({ progress: { at: 'failed' } });
});

test('is sent anew only when its nonce went to something else for good', () => {
  expect(sent({ is: 'gone' })).toMatchObject({ progress: first, effects: [evmWithdrawalEffect(terms)] });
  expect(after(first, { is: 'evm.sent', purpose: 'pay', txid: 'aa', state: { is: 'gone' } })).toBe('stay');
});

test('another transaction of it changes nothing', () => {
  expect(after(sending, { is: 'evm.sent', purpose: 'pay', txid: 'cc', state: mined(64) })).toBe('stay');
});

test('every state of it is read back, and watched while it is on its way', () => {
  const states: EvmWithdrawalProgress[] = [
    first,
    sending,
    { at: 'sent', txid: 'bb' },
    { at: 'failed', reason: 'it was refused' },
  ];
  const { version } = machine.shape.progress;
  expect(states.map((state) => machine.shape.progress.read(state, version))).toEqual(states);
  expect(machine.shape.terms.read(terms, machine.shape.terms.version)).toEqual(terms);
  expect(states.map((state) => machine.watches(terms, state).length)).toEqual([0, 1, 0, 0]);
  expect(states.map((state) => [machine.open(terms, state), machine.reserves(state)])).toEqual([
    [true, true],
    [true, false],
    [false, false],
    [false, false],
  ]);
});
