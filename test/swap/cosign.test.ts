import { describe, expect, test } from 'vitest';
import { asPreimage } from '../../engine/domain/hash.ts';
import type { Clocks } from '../../engine/domain/time.ts';
import type { SeenHtlcCoin } from '../../engine/legs/onchain/events.ts';
import { evmBitcoin, type EvmBitcoinProgress, type EvmBitcoinTerms } from '../../engine/swap/directions/evm-bitcoin.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { preimage, start } from './cases.ts';
import { clocksOf, evmBitcoinTerms, lookAtHtlc, output, refundedBy, seenCoin } from './evm-bitcoin-cases.ts';
import { jointTerms, lockedCoin, overdueAt } from './cosign-cases.ts';
import { lookAt, refunded, seenLock } from './evm-lightning-cases.ts';

const t = jointTerms(evmBitcoinTerms);
const spend = { txid: '5e'.repeat(32), bytes: new Uint8Array(90).fill(5) };
const ask: Event = { is: 'cosign.asked', purpose: 'claim', coin: output, preimage };
const given: Event = { ...ask, is: 'cosign.given', ...spend };
const early = clocksOf(start, start);
const locktime = evmBitcoinTerms.htlc.refundLocktime;
const overdue = overdueAt(locktime + 3_600, locktime + 1);

const step = (p: EvmBitcoinProgress, event: Event, now: Clocks = early, terms: EvmBitcoinTerms = t) =>
  evmBitcoin.step(terms, p, event, now);
function moved(p: EvmBitcoinProgress, event: Event, now: Clocks = early) {
  const outcome = step(p, event, now);
  return outcome === 'stay' ? expect.fail(`${p.at} stays at ${event.is}`) : outcome;
}
const doing = (effects: readonly { readonly do: string }[]): string[] => effects.map((effect) => effect.do);
const claimed = () => moved(lockedCoin, given).progress;
type Spend = NonNullable<SeenHtlcCoin['spend']>;
const whole = new Uint8Array(150).fill(6);
const byKey = (purpose: 'claim' | null, height: number | null): Spend => ({
  txid: spend.txid,
  height,
  by: 'key',
  purpose,
  bytes: whole,
});

describe('a partial signature for the claim of our coin', () => {
  test('is the claim: the secret is learned and the source opened by the step that it is answered after', () => {
    expect(step(lockedCoin, ask)).not.toBe('stay');
    const outcome = moved(lockedCoin, given);
    expect(outcome.progress).toMatchObject({ at: 'claiming', cosign: true, redeem: { unsigned: true } });
    expect(outcome.learned).toEqual(preimage);
    expect(doing(outcome.effects)).toEqual(['evm.send', 'onchain.broadcast']);
  });

  test.each<[string, EvmBitcoinProgress, Event, Clocks]>([
    ['without its secret', lockedCoin, { ...ask, preimage: null } as Event, early],
    ['with another secret', lockedCoin, { ...ask, preimage: asPreimage(new Uint8Array(32).fill(1)) } as Event, early],
    ['of another coin', lockedCoin, { ...ask, coin: { ...output, vout: 7 } } as Event, early],
    ['while a refund of ours is asked for', moved(lockedCoin, { is: 'clock' }, overdue).progress, ask, early],
    [
      'so late that what was given may be gone',
      lockedCoin,
      ask,
      clocksOf(Number(evmBitcoinTerms.lock.timelock), start),
    ],
  ])('is not given %s', (_, p, event, now) => {
    expect(step(p, event, now)).toBe('stay');
  });

  test('is never given by other forms', () => {
    for (const event of [ask, given]) expect(step(lockedCoin, event, early, evmBitcoinTerms)).toBe('stay');
  });

  test('closes our refund for ever, its timeout and the loss of what was given included', () => {
    const p = claimed();
    expect(step(p, { is: 'clock' }, overdue)).toBe('stay');
    expect(step(p, lookAtHtlc(seenCoin()), overdue)).toBe('stay');
    const back = lookAt([seenLock({}, { state: refunded(200) })]);
    const lost = moved(p, back, overdue);
    expect(lost.progress).toMatchObject({ at: 'lost', cosign: true });
    expect(doing(lost.effects)).not.toContain('htlc.spend');
    for (const event of [{ is: 'clock' }, lookAtHtlc(seenCoin()), ask] as const) {
      const outcome = step(lost.progress, event, overdue);
      expect(outcome === 'stay' ? [] : doing(outcome.effects)).not.toContain('htlc.spend');
    }
    expect(step(lost.progress, ask, overdue)).toBe('stay');
    expect(evmBitcoin.rescue?.(t, lost.progress)).toBeNull();
  });

  test('is asked for again, until something has the coin for good', () => {
    const p = claimed();
    expect(step(p, ask)).not.toBe('stay');
    const end = moved(p, lookAtHtlc(seenCoin({ spend: byKey('claim', 899_000) }))).progress;
    expect(end).toMatchObject({ end: 'claimed' });
    expect(step(end, ask)).toBe('stay');
  });

  test('closes the refund also where the claim was seen by its script before', () => {
    const alone: Spend = { txid: '2b'.repeat(32), height: null, by: 'claim', preimage, bytes: new Uint8Array(3) };
    const p = moved(lockedCoin, lookAtHtlc(seenCoin({ spend: alone }))).progress;
    expect(p).not.toHaveProperty('cosign');
    expect(moved(p, given).progress).toMatchObject({ cosign: true });
  });

  test('is nothing that we could send: only the whole claim is sent again, once it shows', () => {
    const p = claimed();
    expect(evmBitcoin.rescue?.(t, p)).not.toHaveProperty('resend');
    const shown = moved(p, lookAtHtlc(seenCoin({ spend: byKey('claim', null) }))).progress;
    expect(shown).not.toHaveProperty('redeem.unsigned');
    expect(evmBitcoin.rescue?.(t, shown)).toHaveProperty('resend');
  });

  test('fault 14, bitcoin: is kept on the chain once it shows whole, and stops nothing', () => {
    const look = lookAtHtlc(seenCoin({ spend: byKey('claim', null) }));
    const outcome = moved(claimed(), look);
    expect(outcome.effects).toEqual([{ do: 'htlc.resend', coin: output, bytes: whole }]);
    expect(outcome).not.toHaveProperty('interrupts');
    expect(step(outcome.progress, look)).toBe('stay');
  });

  test('counts as given in whatever state a copy of the database finds its note', () => {
    const states: EvmBitcoinProgress[] = [
      lockedCoin,
      { ...lockedCoin, at: 'funding' } as EvmBitcoinProgress,
      moved(lockedCoin, { is: 'clock' }, overdue).progress,
    ];
    for (const p of states)
      expect(moved(p, given, overdue).progress, p.at).toMatchObject({ at: 'claiming', cosign: true });
  });
});

describe('a spend by the key of both', () => {
  test('that we never signed for is an alarm, told once', () => {
    for (const p of [lockedCoin, claimed()]) {
      const look = lookAtHtlc(seenCoin({ spend: byKey(null, null) }));
      const outcome = moved(p, look);
      expect(outcome.flag).toMatch(/never signed/);
      expect(doing(outcome.effects)).toEqual([]);
      const again = step(outcome.progress, look);
      expect(again === 'stay' || again.flag === undefined).toBe(true);
    }
  });

  test('is no refund of ours, however deep', () => {
    const outcome = step(claimed(), lookAtHtlc(seenCoin({ spend: byKey('claim', 899_000) })));
    expect(outcome).toMatchObject({ progress: { end: 'claimed' } });
    expect(step(lockedCoin, lookAtHtlc(seenCoin({ spend: refundedBy(899_000) })))).toMatchObject({
      progress: { at: 'returned' },
    });
  });
});
