import { describe, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import type { Clocks } from '../../engine/domain/time.ts';
import { decode, encode } from '../../engine/store/codec.ts';
import type { BitcoinLightningProgress } from '../../engine/swap/directions/bitcoin-lightning.ts';
import type { Event, SwapStep } from '../../engine/swap/machine.ts';
import { bitcoin, fundPoint, lookAt } from './bitcoin-arkade-cases.ts';
import {
  bitcoinLightningCase,
  bitcoinLightningTerms as t,
  calledOf,
  lastToPay,
  line,
} from './bitcoin-lightning-cases.ts';
import { clocksAt, preimage, start } from './cases.ts';
import { explore } from './explore.ts';
import { clocksAtHeight } from './lightning-bitcoin-cases.ts';
import { movesTo, nameOf } from './table.ts';

type P = BitcoinLightningProgress;
const { machine, events } = bitcoinLightningCase;
const { states } = explore(bitcoinLightningCase);
const { refundHeight } = t.htlc;

function state(name: string): P {
  const p = states.find((one) => calledOf(one) === name);
  if (p === undefined) throw new Error(`no state is called ${name}`);
  return p;
}

function stepFrom(p: P, event: Event, now: Clocks = clocksAt(start + 60)): SwapStep<P> {
  const step = machine.step(t, p, event, now);
  if (step === 'stay') throw new Error(`${event.is} changes nothing in ${p.at}`);
  return step;
}

/** What moves a state, but for what else comes to the address: that is in the cases of bitcoin-arkade. */
function movesOf(p: P): Record<string, string> {
  const table: Record<string, string> = {};
  for (const { label, event, now } of events) {
    if (event.is === 'htlc.seen' && !/right|claimed|refunded|nothing$/.test(label)) continue;
    const step = machine.step(t, p, event, now);
    if (step !== 'stay') table[label] = movesTo(step).replace(nameOf(step.progress), calledOf(step.progress));
  }
  return table;
}

const settled = { is: 'payment.seen', state: { is: 'settled', preimage, feeMsat: 1_000n } } as Event;

describe('bitcoin-lightning: a client that signs our claim', () => {
  const claim = { do: 'htlc.spend', purpose: 'claim' };
  const agreed = { ...t, asksClient: true as const };
  const prepared = (txid: string, more: object) =>
    ({ is: 'onchain.prepared', leg: 'bitcoin', purpose: 'claim', txid, amount: 1n, rate: 2, ...more }) as Event;
  const spent = (purpose: 'claim' | null, height: number) => {
    const spend = { txid: '5f'.repeat(32), height, by: 'key', purpose, bytes: new Uint8Array(60) } as const;
    return lookAt([{ ...bitcoin(), spend }]);
  };
  const takes = (terms: typeof t, p: P, event: Event) => machine.step(terms, p, event, clocksAt(start + 60));

  test('is asked by the first claim alone, and not from where that has to begin', () => {
    const first = takes(agreed, state('paying'), settled);
    expect(first).toMatchObject({ effects: [{ ...claim, asksUntil: line }] });
    const { progress } = first as SwapStep<P>;
    const one = takes(agreed, progress, prepared('aa'.repeat(32), {})) as SwapStep<P>;
    const both = takes(agreed, one.progress, prepared('bb'.repeat(32), { joint: true })) as SwapStep<P>;
    expect(both).toMatchObject({
      progress: { spends: ['aa'.repeat(32), 'bb'.repeat(32)] },
      effects: [{ do: 'onchain.broadcast', txid: 'bb'.repeat(32) }],
    });
    const stuck = { is: 'onchain.stuck', leg: 'bitcoin', txid: 'bb'.repeat(32), leastRate: 9 } as const;
    const again = takes(agreed, both.progress, stuck) as SwapStep<P>;
    expect(again.effects).toEqual([expect.not.objectContaining({ asksUntil: line })]);
    expect(again.effects).toMatchObject([{ ...claim, leastRate: 9 }]);
    for (const txid of ['aa', 'bb'].map((byte) => byte.repeat(32)))
      expect(
        takes(agreed, again.progress, { is: 'onchain.final', leg: 'bitcoin', txid, fee: sats(200n) }),
      ).toMatchObject({ progress: { at: 'claimed', mined: txid } });
    expect(takes(t, state('paying'), settled)).toMatchObject({
      effects: [expect.not.objectContaining({ asksUntil: line })],
    });
    expect(machine.resume?.(agreed, progress, clocksAt(start + 60))?.effects).toEqual([
      expect.not.objectContaining({ asksUntil: line }),
    ]);
  });

  test('takes with us what was noted to be ours, and nothing else by the key of both', () => {
    const claiming = state('claiming signed');
    const { height } = lookAt([bitcoin()]);
    expect(stepFrom(claiming, spent('claim', height))).toMatchObject({ progress: { mined: '5f'.repeat(32) } });
    expect(stepFrom(claiming, spent('claim', height - 5))).toMatchObject({ progress: { at: 'claimed' } });
    const foreign = stepFrom(claiming, spent(null, height - 5));
    expect(foreign).toMatchObject({ progress: { at: 'claiming', mined: null }, effects: [] });
    expect(foreign.flag).toContain('by the MuSig2 key of both');
  });
});

describe('bitcoin-lightning: state by state', () => {
  test('a coin that is deep is paid for as long as the payment can be over in time, by heights', () => {
    const moves = movesOf(state('pending'));
    expect(moves).toMatchObject({
      'htlc.seen right, in a mempool': 'seen',
      'htlc.seen right': 'funded, pay',
      'htlc.seen right, the last height to pay for it': 'funded, pay',
      'htlc.seen right, too few blocks to pay for it': 'stopped late beside others +1',
    });
    expect([t.maxTimeoutHeight, line]).toEqual([refundHeight - 48, refundHeight - 16]);
    expect(t.maxTimeoutHeight - lastToPay).toBe(t.finalCltv + 3);
  });

  test('the payment hangs on the coin, its depth, and the height of its refund', () => {
    const { sourceAmount, confirmations, finalCltv, invoiceExpiresAt, policy, htlcScript: script } = t;
    const facts = { sourceAmount, confirmations, finalCltv, invoiceExpiresAt, policy, script, outpoint: fundPoint };
    expect(stepFrom(state('pending'), lookAt([bitcoin()])).effects).toMatchObject([
      {
        do: 'pay',
        payment: { maxTimeoutHeight: t.maxTimeoutHeight, maxFeeMsat: t.maxFeeMsat },
        onlyIf: { notAfter: t.payBefore, fundedForPayment: { ...facts, refundLocktime: refundHeight } },
      },
    ]);
  });

  test.each(['funded', 'paying'])('%s: the fate of the payment alone decides', (name) => {
    const moves = movesOf(state(name));
    expect(moves['payment.seen settled']).toBe('claiming, htlc.spend claim, supersedes, learns, books');
    expect(moves['payment.seen failed']).toBe('stopped wont beside others +1');
    expect(Object.keys(moves).filter((label) => label.startsWith('clock'))).toEqual([]);
    const { effects } = stepFrom(state(name), settled);
    expect(effects).toMatchObject([{ do: 'htlc.spend', purpose: 'claim', coin: fundPoint, deadline: refundHeight }]);
  });

  test('a payment that its node forgot has failed once every HTLC of it is buried, and not before', () => {
    const moves = movesOf(state('paying'));
    expect([
      moves['payment.seen absent, every HTLC timed out'],
      moves['payment.seen absent, timeouts not buried'],
    ]).toEqual(['stopped wont beside others +1', undefined]);
  });

  test.each([
    'stopped wont late maybe beside others',
    'stopped wont late in-flight beside others',
    'stopped wont late maybe unwatched beside others',
  ])('%s: a payment that settles after all takes the coin that lies there', (name) => {
    const step = stepFrom(state(name), settled);
    expect(step).toMatchObject({
      progress: { at: 'claiming', coin: fundPoint, extras: [] },
      effects: [{ do: 'htlc.spend', purpose: 'claim', coin: fundPoint }],
      learned: preimage,
      flag: 'A payment that had failed settled after all.',
    });
    expect(step.ledger?.map(({ kind }) => kind)).toEqual(['lightning-fee-paid']);
  });

  test('of several coins the largest pays for it, whatever it holds above the price', () => {
    const beside = { outpoint: { txid: '77'.repeat(32), vout: 1 }, amount: sats(t.sourceAmount + 5n), spent: false };
    const before = state('stopped wont late maybe beside others');
    if (before.at !== 'stopped') throw new Error('it is not stopped');
    const { progress } = stepFrom({ ...before, extras: [...before.extras, beside] }, settled);
    expect(progress).toMatchObject({ at: 'claiming', coin: beside.outpoint, surplus: 5n, extras: before.extras });
  });

  test('both legs are in the bundle while a payment that was called off may settle', () => {
    expect(machine.rescue?.(t, state('stopped wont late maybe beside others'))).toMatchObject({
      claim: { on: 'bitcoin', coin: fundPoint, terms: t.htlc },
      refund: { on: 'lightning' },
      shown: false,
    });
  });

  test('what nothing is given for is watched until a day of blocks after its refund opened', () => {
    const late = state('stopped late beside others');
    expect(machine.deadline(t, late)).toBe(refundHeight + 144);
    expect(machine.step(t, late, { is: 'clock' }, clocksAtHeight(refundHeight + 143))).toBe('stay');
    expect(stepFrom(late, { is: 'clock' }, clocksAtHeight(refundHeight + 144)).progress).toMatchObject({
      unwatched: true,
    });
    const empty = state('stopped expired');
    expect(machine.deadline(t, empty)).toBe(refundHeight);
    expect(stepFrom(empty, { is: 'clock' }, clocksAtHeight(refundHeight)).progress).toEqual({ at: 'lapsed' });
  });
});

test('a coin that is signed for before any look is asked after by its name until its end is seen', () => {
  const given = { is: 'cosign.given', purpose: 'refund', coin: fundPoint, preimage: null } as const;
  for (const from of ['pending', 'stopped expired']) {
    const { progress } = stepFrom(state(from), { ...given, txid: '5e'.repeat(32), bytes: new Uint8Array(60) });
    const coins = machine.watches(t, progress).flatMap((watch) => (watch.on === 'htlc' ? watch.coins : []));
    expect(coins).toEqual([{ outpoint: fundPoint, amount: t.sourceAmount }]);
    const over = events.find(({ label }) => label === 'htlc.seen refunded');
    if (over === undefined) throw new Error('nothing of the cases takes the coin back');
    expect(stepFrom(progress, over.event, over.now).progress.at).toBe('refunded');
  }
});

test('terms and every state can be kept and read back', () => {
  expect(machine.shape.terms.read(decode(encode(t)), machine.shape.terms.version)).toEqual(t);
  const { version, read } = machine.shape.progress;
  for (const p of states) expect(read(decode(encode(p)), version)).toEqual(p);
});
