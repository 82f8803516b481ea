import { expect, test } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import type { EvmEvent, SentState } from '../../engine/legs/evm/events.ts';
import {
  forwardEvm as machine,
  forwardEvmEffect,
  type ForwardEvmProgress,
  type ForwardEvmTerms,
} from '../../engine/swap/jobs/forward-evm.ts';
import { clocksAt, start } from './cases.ts';

const terms: ForwardEvmTerms = {
  network: 'evm:137',
  key: { scheme: 'wallet', index: 0 },
  token: asEvmAddress(new Uint8Array(20).fill(1)),
  to: asEvmAddress(new Uint8Array(20).fill(2)),
  amount: 10n ** 20n,
  gas: 100_000n,
  mostWei: 10n ** 15n,
  confirmations: 64,
};
const choosing: ForwardEvmProgress = { at: 'choosing' };
const sending: ForwardEvmProgress = { at: 'sending', txid: 'aa' };
const missing: ForwardEvmProgress = { at: 'missing', txid: 'aa' };

function after(progress: ForwardEvmProgress, event: EvmEvent) {
  return machine.step(terms, progress, event, clocksAt(start));
}

const sent = (progress: ForwardEvmProgress, state: SentState, txid = 'aa') =>
  after(progress, { is: 'evm.sent', purpose: 'taker-pay', txid, state });
const mined = (ok = true): SentState => ({ is: 'mined', by: 'bb', ok, confirmations: 64, cost: 1n });

test('is signed once, sent until a block that stays has it, and over then', () => {
  const { do: _, ...what } = forwardEvmEffect(terms);
  expect(after(choosing, { is: 'evm.prepared', purpose: 'taker-pay', txid: 'aa' })).toEqual({
    progress: sending,
    effects: [{ do: 'evm.forward-send', ...what, lastLook: false }],
  });
  expect(sent(sending, mined())).toEqual({ progress: { at: 'sent', txid: 'bb' }, effects: [] });
  expect(sent(missing, mined(false))).toMatchObject({ progress: { at: 'failed' } });
});

test('once its place was used it is only looked for, and nothing is ever signed anew', () => {
  expect(sent(sending, { is: 'gone' })).toMatchObject({
    progress: missing,
    effects: [{ do: 'evm.forward-send', lastLook: true }],
  });
  expect(sent(missing, mined())).toMatchObject({ progress: { at: 'sent', txid: 'bb' } });
  expect(sent(missing, { is: 'gone' })).toEqual({
    progress: {
      at: 'failed',
      reason:
        'another transaction of the account took its place: look at what the account holds before it is sent again',
    },
    effects: [],
  });
});

test('what was refused has failed with the reason, and what is of another transaction changes nothing', () => {
  expect(after(choosing, { is: 'evm.refused', purpose: 'taker-pay', reason: 'too dear' })).toMatchObject({
    progress: { at: 'failed', reason: 'too dear' },
  });
  expect([
    sent(sending, mined(), 'cc'),
    sent(sending, { is: 'waiting', taken: null }),
    sent(choosing, mined()),
  ]).toEqual(['stay', 'stay', 'stay']);
});
