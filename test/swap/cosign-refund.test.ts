import { describe, expect, test } from 'vitest';
import type { Clocks } from '../../engine/domain/time.ts';
import {
  bitcoinArkade,
  type BitcoinArkadeProgress,
  type BitcoinArkadeTerms,
} from '../../engine/swap/directions/bitcoin-arkade.ts';
import { claimOnBitcoin } from '../../engine/swap/halves/bitcoin/claim/half.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { bitcoinLightningCase } from './bitcoin-lightning-cases.ts';
import { bitcoin, bitcoinArkadeTerms, fresh, fundPoint, lookAt } from './bitcoin-arkade-cases.ts';
import { clocksAt, start, startHeight } from './cases.ts';

const t: BitcoinArkadeTerms = {
  ...bitcoinArkadeTerms,
  htlc: {
    ...bitcoinArkadeTerms.htlc,
    form: 'musig',
    provider: 'claimer',
    sizeGuard: true,
    refundHeight: 901_000,
  } as never,
};
const ask: Event = { is: 'cosign.asked', purpose: 'refund', coin: fundPoint, preimage: null };
const given: Event = { ...ask, is: 'cosign.given', txid: '5e'.repeat(32), bytes: new Uint8Array(90) };
const now = clocksAt(start + 60);

const step = (p: BitcoinArkadeProgress, event: Event, at: Clocks = now, terms = t) =>
  bitcoinArkade.step(terms, p, event, at);
function moved(p: BitcoinArkadeProgress, event: Event, at: Clocks = now) {
  const outcome = step(p, event, at);
  return outcome === 'stay' ? expect.fail(`${p.at} stays at ${event.is}`) : outcome;
}
const pool = moved(fresh, lookAt([bitcoin({ height: null })])).progress;
const funded = moved(fresh, lookAt([bitcoin()])).progress;
const over = (p: BitcoinArkadeProgress) => moved(p, given).progress;

describe('a partial signature for the client’s refund', () => {
  test.each([
    ['nothing came', fresh],
    ['its coin is not deep', pool],
  ])('is given while %s, and closes the swap for every lock of ours', (_, p) => {
    expect(step(p, ask)).not.toBe('stay');
    const closed = over(p);
    expect(closed).toMatchObject({ at: 'stopped', why: 'wont', fenced: true });
    const again = step(closed, lookAt([bitcoin()]));
    expect(again === 'stay' ? [] : again.effects).toEqual([]);
    expect(again === 'stay' ? closed.at : again.progress.at).toBe('stopped');
    expect(step(closed, ask)).not.toBe('stay');
  });

  test('is not given once something of ours is asked for', () => {
    expect(funded.at).toBe('funded');
    expect(step(funded, ask)).toBe('stay');
  });

  test('is given where nothing came in time, and for a coin that comes even later', () => {
    const late = { ...lookAt([]), asked: (t.fundBefore + 1) as typeof t.fundBefore };
    const expired = moved(fresh, late).progress;
    expect(expired).toMatchObject({ at: 'stopped', why: 'expired' });
    expect(over(expired)).toMatchObject({ at: 'stopped', fenced: true });
    const lapsed: BitcoinArkadeProgress = { at: 'lapsed' };
    expect(step(lapsed, ask)).not.toBe('stay');
    expect(over(lapsed)).toMatchObject({ at: 'stopped', fenced: true });
  });

  test('is never given by other forms', () => {
    for (const p of [fresh, pool])
      for (const event of [ask, given]) expect(step(p, event, now, bitcoinArkadeTerms)).toBe('stay');
  });

  test('is read in the spend that it was given for', () => {
    const spend = { txid: '5e'.repeat(32), height: 900_001, by: 'key', bytes: new Uint8Array(9) } as const;
    const back = moved(over(pool), lookAt([bitcoin({ spend: { ...spend, purpose: 'refund' } })]));
    expect(back.progress).toMatchObject({ at: 'refunded' });
    expect(back.flag).toBeUndefined();
    const strange = moved(over(pool), lookAt([bitcoin({ spend: { ...spend, purpose: null } })]));
    expect(strange.flag).toMatch(/never signed/);
  });
});

test('a payment that settles after all takes no coin whose refund was signed', () => {
  const coin = { outpoint: fundPoint, amount: t.sourceAmount, spent: false };
  const left = { at: 'stopped', why: 'wont', reason: '', extras: [coin] } as const;
  expect(claimOnBitcoin.remaining(t, left)).not.toBeNull();
  expect(claimOnBitcoin.remaining(t, { ...left, fenced: true })).toBeNull();
});

test('no payment is begun for a coin whose refund was signed', () => {
  const { machine, terms, first } = bitcoinLightningCase;
  const at = clocksAt(start + 60);
  expect(machine.step(terms, first, ask, at)).not.toBe('stay');
  const outcome = machine.step(terms, first, given, at);
  if (outcome === 'stay') expect.fail('it is closed');
  expect(outcome.progress).toMatchObject({ at: 'stopped', fenced: true });
  const deep = { ...lookAt([bitcoin({ amount: terms.sourceAmount })]), height: startHeight + 100 };
  const later = machine.step(terms, outcome.progress, deep, at);
  expect(later === 'stay' ? [] : later.effects).toEqual([]);
  const paying = machine.step(terms, first, deep, at);
  if (paying === 'stay') expect.fail('it would be paid for');
  expect(machine.step(terms, paying.progress, ask, at)).toBe('stay');
});
