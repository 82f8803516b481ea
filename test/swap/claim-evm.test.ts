import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import type { EvmEvent, SeenLock, SentState } from '../../engine/legs/evm/events.ts';
import { evmClaim as machine, evmClaimEffect, type EvmClaimTerms } from '../../engine/swap/jobs/claim-evm.ts';
import { clocksAt, preimage, start } from './cases.ts';
import { evmLightningTerms, network, seenLock } from './evm-lightning-cases.ts';

const { contracts, lock } = evmLightningTerms;
const terms: EvmClaimTerms = {
  ...{ network, contracts, lock: { ...lock, amount: 100_260n }, height: 7, value: sats(100_260), confirmations: 64 },
};
const claiming = { at: 'claiming', txid: 'aa' } as const;

function after(event: EvmEvent) {
  return machine.step(terms, claiming, event, clocksAt(start));
}

function sent(state: SentState) {
  return after({ is: 'evm.sent', purpose: 'claim', txid: 'aa', state });
}

function sight(state: SeenLock['state'] | null, time: number = start) {
  const locks = state === null ? [] : [seenLock({ amount: terms.lock.amount }, { state })];
  return after({ is: 'evm.seen', network, height: 9, time: unix(time), asked: unix(time), locks });
}

test('a claim that comes to nothing is made again, and one that was mined waits for its logs', () => {
  const mined = { is: 'mined', by: 'bb', confirmations: 99, cost: 1n } as const;
  const again = { progress: { at: 'claiming', txid: null }, effects: [evmClaimEffect(terms)] };
  expect(sent({ is: 'gone' })).toMatchObject(again);
  expect(sent({ ...mined, ok: false })).toMatchObject(again);
  expect(sent({ ...mined, ok: true })).toMatchObject({ progress: { at: 'claiming', txid: 'bb' }, effects: [] });
  expect(after({ is: 'evm.sent', purpose: 'claim', txid: 'cc', state: { is: 'gone' } })).toBe('stay');
});

test('its lock ends it once that is buried, and nothing is tried any more', () => {
  const redeemed = { is: 'redeemed', preimage, txid: 'bb' } as const;
  expect(sight({ ...redeemed, confirmations: 63 })).toBe('stay');
  expect(sight({ ...redeemed, confirmations: 64 })).toMatchObject({
    progress: { at: 'claimed', txid: 'bb' },
    supersedes: ['evm'],
  });
  expect(sight({ is: 'refunded', txid: 'bb', confirmations: 64 })).toMatchObject({
    progress: { at: 'lost' },
    supersedes: ['evm'],
  });
});

test('a lock that a reorganisation took is waited for until it could be taken back', () => {
  const end = Number(lock.timelock);
  expect([sight({ is: 'active' }, end), sight(null, end - 1)]).toEqual(['stay', 'stay']);
  expect(sight(null, end)).toMatchObject({ progress: { at: 'lost' } });
});
