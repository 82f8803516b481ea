import { afterEach, expect, test, vi } from 'vitest';
import { PortFailure, type Retry } from '../../engine/domain/errors.ts';
import type { Sha256 } from '../../engine/domain/hash.ts';
import { type Sats, sats } from '../../engine/domain/money.ts';
import { lightningFailure } from '../../engine/legs/lightning/failures.ts';
import type { ClosingFunds, LightningPort } from '../../engine/legs/lightning/port.ts';
import type { OnlyIf } from '../../engine/legs/only-if.ts';
import { dropBegun } from '../../engine/runtime/networks/lightning/begun.ts';
import type { LightningContext } from '../../engine/runtime/networks/lightning/context.ts';
import { partTooDear } from '../../engine/runtime/networks/lightning/part-cost.ts';
import { pay } from '../../engine/runtime/networks/lightning/pay.ts';
import { NotYet } from '../../engine/runtime/not-yet.ts';
import type { Ports } from '../../engine/runtime/ports.ts';
import { clocksAt, start } from '../swap/cases.ts';

/* Payments that are held or begun while the channels are read, or before they have an HTLC of it. */

afterEach(() => void vi.restoreAllMocks());

const hashOf = (byte: number) => new Uint8Array(32).fill(byte) as Sha256;
/** Sats for a channel and its payment at 1 sat/vB. */
const one = 2 * 462 + 2 * 320;
const whole = sats(100_000);

/** A node whose wallet has coins for so many payments. */
function nodeWith(payments: number, { rate = 1, coins = sats(payments * one) } = {}) {
  const htlcs: { hash: Sha256; amount: Sats }[] = [];
  const theirs: ClosingFunds['theirs'][number][] = [];
  const sent: (number | undefined)[] = [];
  const answers: unknown[] = [];
  const noted = new Set<string>();
  let fails: Retry | 'behind' | null = null;
  const lightning = {
    hold: async () => ({ is: 'held', amount: whole, smallest: whole, expiryHeight: 900_000 }),
    payment: async () => ({ is: 'absent' }),
    info: async () => ({ height: clocksAt(start).bitcoin.height, synced: fails !== 'behind' }),
    closingFunds: async () => ({
      ...{ coins, channels: htlcs.length, theirs: [...theirs] },
      ...{ htlcs: htlcs.map(({ amount }) => amount), hashes: htlcs.map(({ hash }) => hash) },
    }),
    pay: async ({ maxParts }: { maxParts?: number }) => {
      sent.push(maxParts);
      if (fails !== null && fails !== 'behind') throw lightningFailure('lightning-unclear', fails, 'as it is to fail');
    },
  };
  const ports = { lightning, bitcoin: { feeRate: async () => rate } } as unknown as Ports;
  return {
    ...{ sent, answers, theirs, lightning: lightning as unknown as LightningPort },
    fail: (as: typeof fails) => void (fails = as),
    arrives: (byte: number) => void htlcs.push({ hash: hashOf(byte), amount: whole }),
    held: (byte: number) => partTooDear({ hash: hashOf(byte) }, { ports }),
    /** Why it waits, or null. */
    async pays(byte: number, reason: string | null = null): Promise<string | null> {
      const context = {
        ...{ ports, row: { subject: String(byte) }, clock: { now: () => clocksAt(start) } },
        ...{ answer: (news: unknown) => void answers.push(news), together: (act: () => void) => act() },
        store: {
          intents: {
            has: (_: string, subject: string) => noted.has(subject),
            note: (_: string, subject: string) => void noted.add(subject),
            drop: (_: string, subject: string) => void noted.delete(subject),
          },
        },
        judge: { forbidden: async () => reason },
      } as unknown as LightningContext;
      const payment = { bolt11: 'lnbcrt1', hash: hashOf(byte), amount: whole, maxFeeMsat: 1n, maxTimeoutHeight: 1_000 };
      const onlyIf = { notAfter: start + 1_000_000, fundedForPayment: {} } as unknown as OnlyIf;
      return pay({ do: 'pay', payment, onlyIf }, context).then(
        () => null,
        (cause: unknown) => {
          if (!(cause instanceof NotYet || cause instanceof PortFailure)) throw cause;
          return cause.message;
        },
      );
    },
  };
}

const waits = expect.stringMatching(/own wallet on the chain has .* to an address of it/);

test('fault 336, lightning: a payment that came to be held after a reading counts, with all its parts', async () => {
  const node = nodeWith(2);
  node.arrives(1);
  expect(await node.held(1)).toBeNull();
  node.arrives(2);
  expect(await node.held(2)).toEqual(waits);
  // Those that come while the node is asked have one reading, which begins after them.
  const funds = vi.spyOn(node.lightning, 'closingFunds');
  expect(await Promise.all([3, 4, 5, 6].map((byte) => node.held(byte)))).toEqual([waits, waits, waits, waits]);
  expect(funds.mock.calls.length).toBeLessThanOrEqual(2);
});

test('fault 337, lightning: a payment goes in no more parts than its node could close channels for', async () => {
  const [eight, rich] = [nodeWith(8), nodeWith(1_000)];
  expect([await eight.pays(1), await rich.pays(1), eight.sent, rich.sent]).toEqual([null, null, [2], [16]]);
});

test('fault 337, lightning: a payment that its node sent in no part yet counts with what is given since', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const node = nodeWith(8);
  expect(await node.pays(1)).toBeNull();
  now.mockReturnValue(2_100);
  for (let i = 0; i < 6; i++) node.arrives(9);
  expect([await node.pays(2), await node.held(3), node.sent]).toEqual([waits, waits, [2]]);
  // One of two parts is in a channel, and the other may come.
  node.arrives(1);
  now.mockReturnValue(60_000);
  expect(await node.pays(2)).toEqual(waits);
  // By then lnd looks for no route any more.
  now.mockReturnValue(122_000);
  expect([await node.pays(2), node.sent]).toEqual([null, [2, 1]]);
});

test('lightning: a payment that is over, or was refused before it was sent, keeps nobody waiting', async () => {
  const node = nodeWith(1);
  expect([await node.pays(1, 'too late'), await node.pays(2), await node.pays(3)]).toEqual([null, null, waits]);
  dropBegun(node.lightning, hashOf(2));
  expect([await node.pays(3), node.sent]).toEqual([null, [1, 1]]);
});

test('fault 366, lightning: busy channels of peers hold up payments over such a channel alone', async () => {
  const rich = { coins: sats(100_000_000) };
  const busy = (byte: number) => ({ perKw: 253, hashes: [hashOf(byte)] });
  const [cheap, dear] = [nodeWith(0, rich), nodeWith(0, { ...rich, rate: 2 })];
  for (const node of [cheap, dear]) node.theirs.push(...[1, 2, 3, 4, 5, 6].map(busy));
  const byTurns = expect.stringContaining('close 5 channels before the last of this payment');
  expect([await cheap.held(6), await dear.held(6), await dear.held(7)]).toEqual([null, byTurns, null]);
  expect([await cheap.pays(8), await dear.pays(8), dear.sent]).toEqual([null, null, [16]]);
  // In six parts, each over such a channel, it waits for its own.
  const parts = nodeWith(0, { ...rich, rate: 2 });
  parts.theirs.push(...Array.from({ length: 6 }, () => busy(6)));
  expect(await parts.held(6)).toEqual(byTurns);
  // One turn fewer.
  dear.theirs.shift();
  expect(await dear.held(6)).toBeNull();
});

test('fault 367, lightning: a payment leaves coins for three others of as many parts', async () => {
  const [few, more] = [nodeWith(3), nodeWith(16)];
  expect([await few.pays(1), await few.held(2), few.sent]).toEqual([null, null, [1]]);
  expect([await more.pays(1), await more.pays(2), await more.held(3), more.sent]).toEqual([null, null, null, [4, 3]]);
});

test.each([['never' as const], ['safe' as const], ['behind' as const]])(
  'fault 370, lightning: parts of a payment that was not sent count for no other: %s',
  async (as) => {
    const node = nodeWith(1);
    node.fail(as);
    await node.pays(1);
    // At once: the client's side goes back, and it is not tried again.
    const refused = { is: 'payment.refused', reason: 'as it is to fail' };
    expect(node.answers).toEqual(as === 'never' ? [refused] : []);
    node.fail(null);
    expect(await node.pays(2)).toBeNull();
    // That one was begun.
    expect(await node.pays(3)).toEqual(waits);
  },
);

test('fault 370, lightning: parts that may be on their way count for their own time, tried again or not', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const node = nodeWith(1);
  node.fail('ask-first');
  await node.pays(1);
  for (const at of [60_000, 100_000]) {
    now.mockReturnValue(at);
    node.fail('never');
    await node.pays(1);
    node.fail(null);
    expect(await node.pays(2)).toEqual(waits);
  }
  now.mockReturnValue(122_000);
  expect(await node.pays(2)).toBeNull();
});
