import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { asPreimage, type Sha256 } from '../../engine/domain/hash.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { lightningFailure } from '../../engine/legs/lightning/failures.ts';
import type { HoldState, LightningPort } from '../../engine/legs/lightning/port.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { noteBegun, partsToCome } from '../../engine/runtime/networks/lightning/begun.ts';
import { lightningWatching } from '../../engine/runtime/networks/lightning/watch.ts';
import type { WatchOptions } from '../../engine/runtime/networks/watching.ts';
import type { Event } from '../../engine/swap/machine.ts';

const pollMs = 10_000;
const preimageOf = (n: number) => asPreimage(new Uint8Array(32).fill(n));
const hashOf = (n: number): Sha256 => sha256Of(preimageOf(n));
const held: HoldState = { is: 'held', amount: sats(1_000), smallest: sats(1_000), expiryHeight: 900 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Handlers = Parameters<LightningPort['watch']>[0];

/** A watch over a node that answers what `holds` says, and how often it was asked. */
function watching() {
  const holds = new Map<string, HoldState>();
  const questions: string[] = [];
  const events: Event[] = [];
  let handlers: Handlers | null = null;
  const stream = { stands: true };
  const lightning = {
    hold: async (hash: Sha256) => {
      questions.push(`hold ${toHex(hash)}`);
      return holds.get(toHex(hash)) ?? { is: 'open' };
    },
    payment: async (hash: Sha256) => {
      questions.push(`payment ${toHex(hash)}`);
      return { is: 'in-flight' };
    },
    watch(given: Handlers) {
      handlers = given;
      const nothing = () => undefined;
      const follows = { addHold: nothing, removeHold: nothing, addPayment: nothing, removePayment: nothing };
      return { ...follows, followsHold: () => stream.stands, stop: async () => undefined };
    },
  } as unknown as LightningPort;
  const watch = lightningWatching.open({
    ports: { lightning },
    deliver: (_: string, event: Event) => void events.push(event),
    onFailure: () => undefined,
    pollMs,
    wall: () => unix(0),
  } as unknown as WatchOptions);
  if (watch === null) throw new Error('there is a node');
  watch.start();
  const rounds = async (count: number): Promise<number> => {
    questions.length = 0;
    await vi.advanceTimersByTimeAsync(count * pollMs);
    return questions.length;
  };
  return { watch, holds, questions, events, stream, rounds, lightning, tell: () => handlers as unknown as Handlers };
}

test('sixty unpaid invoices are asked for in six rounds while their streams stand, ten in each', async () => {
  const { watch, rounds, stream } = watching();
  for (let n = 1; n <= 60; n++) watch.add(`swap ${n}`, { on: 'hold', hash: hashOf(n) });
  const perRound = [];
  for (let round = 0; round < 12; round++) perRound.push(await rounds(1));
  stream.stands = false;
  const without = await rounds(1);
  await watch.stop();
  expect({ perRound, without }).toEqual({ perRound: new Array(12).fill(10), without: 60 });
});

test('what is held, and a payment in flight, are asked for in every round', async () => {
  const { watch, holds, rounds } = watching();
  watch.add('held', { on: 'hold', hash: hashOf(1) });
  watch.add('paying', { on: 'payment', hash: hashOf(2) });
  holds.set(toHex(hashOf(1)), held);
  await rounds(6);
  const then = await rounds(6);
  await watch.stop();
  expect(then).toBe(12);
});

test('fault 337, lightning: a payment counts as one that may still be sent until it is over', async () => {
  const { watch, rounds, tell, lightning } = watching();
  const hashes = [1, 2, 3].map(hashOf);
  const left = () => partsToCome(lightning, [hashOf(3), hashOf(3)], hashOf(9));
  for (const hash of hashes) {
    watch.add(toHex(hash), { on: 'payment', hash });
    noteBegun(lightning, hash, 16);
  }
  await rounds(1);
  const before = left();
  tell().onPayment(hashOf(1), { is: 'settled', preimage: preimageOf(1), feeMsat: 0n });
  const settled = left();
  vi.spyOn(lightning, 'payment').mockResolvedValue({ is: 'failed', reason: 'no route' });
  await rounds(1);
  await watch.stop();
  expect([before, settled, left()]).toEqual([16 + 16 + 14, 16 + 14, 0]);
});

test('a hold of which the stream spoke is asked for in every round from then on', async () => {
  const { watch, holds, rounds, tell, lightning } = watching();
  watch.add('swap', { on: 'hold', hash: hashOf(1) });
  await rounds(6);
  const answers = vi.spyOn(lightning, 'hold');
  answers.mockRejectedValueOnce(lightningFailure('lightning-away', 'safe', 'the node is away'));
  tell().onHold(hashOf(1));
  answers.mockRejectedValueOnce(lightningFailure('lightning-away', 'safe', 'the node is away'));
  await rounds(1);
  holds.set(toHex(hashOf(1)), held);
  await rounds(3);
  await watch.stop();
  expect(answers).toHaveBeenCalledTimes(5);
});

test('a payment that the stream calls settled is believed where its preimage fits, and else asked for', async () => {
  const { watch, questions, events, tell } = watching();
  for (const n of [1, 2, 3]) watch.add(`swap ${n}`, { on: 'payment', hash: hashOf(n) });
  await vi.advanceTimersByTimeAsync(0);
  questions.length = events.length = 0;
  tell().onPayment(hashOf(1), { is: 'settled', preimage: preimageOf(1), feeMsat: 7n });
  tell().onPayment(hashOf(2), { is: 'settled', preimage: preimageOf(1), feeMsat: 7n });
  tell().onPayment(hashOf(3));
  tell().onPayment(hashOf(4), { is: 'settled', preimage: preimageOf(4), feeMsat: 7n });
  expect(events).toEqual([{ is: 'payment.seen', state: { is: 'settled', preimage: preimageOf(1), feeMsat: 7n } }]);
  await vi.advanceTimersByTimeAsync(0);
  await watch.stop();
  expect({ questions, told: events.length }).toEqual({
    questions: [`payment ${toHex(hashOf(2))}`, `payment ${toHex(hashOf(3))}`],
    told: 3,
  });
});
