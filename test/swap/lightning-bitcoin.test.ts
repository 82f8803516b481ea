import { describe, expect, test } from 'vitest';
import { decode, encode } from '../../engine/store/codec.ts';
import { safeToFundForHeld } from '../../engine/legs/safety/lock.ts';
import type { LightningBitcoinProgress } from '../../engine/swap/directions/lightning-bitcoin.ts';
import type { Event, SwapStep } from '../../engine/swap/machine.ts';
import { clocksAt, preimage, start, startHeight } from './cases.ts';
import { bitcoinTx, claimedBy, height, lookAtHtlc, prepared, refundedBy, seenCoin } from './evm-bitcoin-cases.ts';
import { explore } from './explore.ts';
import {
  calledOf,
  clocksAtHeight,
  expiryHeight,
  lightningBitcoinCase,
  lightningBitcoinTerms as t,
  stopHeight,
} from './lightning-bitcoin-cases.ts';
import { moves } from './lightning-bitcoin-moves.ts';
import { movesTo, nameOf } from './table.ts';

type P = LightningBitcoinProgress;
const { machine, events } = lightningBitcoinCase;
const { states } = explore(lightningBitcoinCase);
const { refundHeight } = t.htlc;

function inWords(step: SwapStep<P>): string {
  return movesTo(step).replace(nameOf(step.progress), calledOf(step.progress));
}

const first = new Map<string, P>();
for (const p of states) if (!first.has(calledOf(p))) first.set(calledOf(p), p);

function state(name: string): P {
  const p = first.get(name);
  if (p === undefined) throw new Error(`no state is called ${name}`);
  return p;
}

function stepFrom(p: P, event: Event, now = clocksAtHeight(height)): SwapStep<P> {
  const step = machine.step(t, p, event, now);
  if (step === 'stay') throw new Error(`${event.is} changes nothing in ${p.at}`);
  return step;
}

test('these are all states', () => expect([...first.keys()].sort()).toEqual(Object.keys(moves).sort()));

test.each(Object.entries(moves))('%s', (name, expected) => {
  const table: Record<string, string> = {};
  const of = states.filter((p) => calledOf(p) === name);
  // States of one name differ by their transactions: what any of them does is in the table, the last of them counts.
  for (const p of of)
    for (const { label, event, now } of events) {
      const step = machine.step(t, p, event, now);
      if (step !== 'stay') table[label] = inWords(step);
    }
  expect(table).toEqual(expected);
});

test('terms and every state can be kept and read back', () => {
  expect(machine.shape.terms.read(decode(encode(t)), machine.shape.terms.version)).toEqual(t);
  const { version, read } = machine.shape.progress;
  for (const p of states) expect(read(decode(encode(p)), version)).toEqual(p);
});

const held = events.find(({ label }) => label === 'hold.seen held')!;
const does = ({ effects }: SwapStep<P>) => effects.map((effect) => effect.do);
const locked = () => stepFrom(stepFrom(state('funded'), prepared).progress, lookAtHtlc(seenCoin())).progress;

describe('the coin is funded for a payment that is held, by heights alone', () => {
  test('the funding hangs on the payment and on the height of its own refund', () => {
    const { hash, sourceAmount, policy, lockBefore: notAfter } = t;
    const heldForCoin = { hash, sourceAmount, htlcRefundLocktime: refundHeight, policy };
    expect(stepFrom(stepFrom(state('pending'), held.event).progress, prepared).effects).toMatchObject([
      { do: 'onchain.broadcast', onlyIf: { notAfter, heldForCoin }, cancel: { by: t.back } },
    ]);
  });

  test('whatever the clocks of time say, sixteen blocks lie between both ends', () => {
    const judge = (expires: number, now = clocksAt(start)) =>
      safeToFundForHeld(
        {
          held: { amount: t.sourceAmount, expiryHeight: expires },
          sourceAmount: t.sourceAmount,
          htlcRefundLocktime: refundHeight as never,
        },
        now,
        t.policy,
      )?.unsafe ?? 'safe';
    const least = refundHeight + 16 + 24;
    expect([least - 1, least, least + 1].map((at) => judge(at))).toEqual(['never', 'safe', 'safe']);
    const slow = { ...clocksAt(start + 90_000), bitcoin: { ...clocksAt(start).bitcoin, height: startHeight + 3 } };
    expect([judge(least - 1, slow), judge(least, slow)]).toEqual(['never', 'safe']);
    expect(expiryHeight - least).toBeGreaterThanOrEqual(16);
  });

  test('it is taken back once the tip is at the height, hurried by a height as well', () => {
    expect(machine.deadline(t, locked())).toBe(refundHeight);
    expect(machine.step(t, locked(), { is: 'clock' }, clocksAtHeight(refundHeight - 1))).toBe('stay');
    const { effects } = stepFrom(locked(), { is: 'clock' }, clocksAtHeight(refundHeight));
    expect(effects).toMatchObject([{ do: 'htlc.spend', purpose: 'refund', deadline: t.back }]);
    expect(t.back).toBe(refundHeight + 32);
    expect(stopHeight(expiryHeight)).toBeGreaterThanOrEqual(t.back as number);
  });
});

describe('the payment goes back once nothing of ours can be claimed any more, and not before', () => {
  test('our refund that is not buried keeps it', () => {
    const refunding = stepFrom(locked(), { is: 'clock' }, clocksAtHeight(refundHeight)).progress;
    for (const at of [null, height + 1]) {
      const step = machine.step(t, refunding, lookAtHtlc(seenCoin({ spend: refundedBy(at) })), clocksAtHeight(height));
      expect(step === 'stay' ? [] : does(step)).not.toContain('hold.cancel');
    }
    const back = stepFrom(refunding, lookAtHtlc(seenCoin({ spend: refundedBy(height) })));
    expect([back.progress.at, does(back)]).toEqual(['returned', expect.arrayContaining(['hold.cancel'])]);
  });

  test('a claim beside our signed refund waits for a block until the payment is surely ours no more', () => {
    const refunding = stepFrom(locked(), { is: 'clock' }, clocksAtHeight(refundHeight)).progress;
    const signed = stepFrom(refunding, {
      is: 'onchain.prepared',
      leg: 'bitcoin',
      purpose: 'refund',
      txid: bitcoinTx.refund,
      amount: t.targetAmount,
      rate: 2,
      capped: false,
      height,
    }).progress;
    const claimed = lookAtHtlc(seenCoin({ spend: claimedBy(null) }));
    const raced = stepFrom(signed, claimed);
    expect([raced.progress.at, raced.learned]).toEqual(['refunding', preimage]);
    expect(machine.deadline(t, raced.progress)).toBe(stopHeight(expiryHeight));
    const tick = (tip: number) => machine.step(t, raced.progress, { is: 'clock' }, clocksAtHeight(tip));
    expect(tick(stopHeight(expiryHeight) - 1)).toBe('stay');
    expect(tick(stopHeight(expiryHeight))).toMatchObject({
      progress: { at: 'claiming' },
      effects: [{ do: 'hold.settle' }, { do: 'htlc.resend' }, { do: 'onchain.broadcast' }],
    });
  });

  test('a funding that may be known elsewhere keeps it until a day after our refund would open', () => {
    const refused: Event = {
      is: 'onchain.refused',
      leg: 'bitcoin',
      txid: bitcoinTx.fund,
      why: 'refused',
      reason: 'bad-txns',
    };
    const doubtful = stepFrom(stepFrom(state('funded'), prepared).progress, refused);
    expect([calledOf(doubtful.progress), does(doubtful), machine.open(t, doubtful.progress)]).toEqual([
      'stopped wont doubtful',
      [],
      true,
    ]);
    expect(doubtful.flag).toContain(`from block ${expiryHeight - t.policy.lndCancelBlocks} on`);
    const look = (tip: number) =>
      machine.step(t, doubtful.progress, { ...lookAtHtlc(), height: tip }, clocksAtHeight(tip));
    expect(look(refundHeight + 143)).toBe('stay');
    expect(look(refundHeight + 144)).toMatchObject({ progress: { at: 'stopped' }, effects: [{ do: 'hold.cancel' }] });
    const cancelled = stepFrom(doubtful.progress, { is: 'hold.seen', state: { is: 'cancelled' } }).progress;
    expect([calledOf(cancelled), machine.open(t, cancelled)]).toEqual(['stopped wont cancelled doubtful', true]);
    const over = stepFrom(cancelled, { ...lookAtHtlc(), height: refundHeight + 144 }).progress;
    expect([calledOf(over), machine.open(t, over)]).toEqual(['stopped wont cancelled', false]);
  });
});

test('the fees stay on Lightning, a coin that is lost was of the chain', () => {
  const claiming = stepFrom(locked(), lookAtHtlc(seenCoin({ spend: claimedBy(null) }))).progress;
  expect(stepFrom(claiming, { is: 'hold.settled' }).ledger?.map(({ network }) => network)).toEqual([
    'lightning',
    'lightning',
  ]);
  expect(stepFrom(claiming, { is: 'hold.seen', state: { is: 'cancelled' } }).ledger).toMatchObject([
    { kind: 'loss', network: 'bitcoin', amount: -t.targetAmount * 1_000n },
  ]);
});
