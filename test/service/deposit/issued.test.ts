import { expect, test } from 'vitest';
import { unix, type Unix } from '../../../engine/domain/time.ts';
import { createIssued } from '../../../engine/service/deposit/issued.ts';

const start = 1_760_000_000;
const calls = (of: number) => ({
  hash: Uint8Array.of(of % 256, Math.floor(of / 256), ...new Uint8Array(30)),
  sourceAmount: BigInt(of),
});

function memory() {
  const clock: { now: Unix } = { now: unix(start) };
  return { issued: createIssued(() => clock.now), clock };
}

test('fault 62, evm: whatever strangers fetch, what a client was told to sign counts for its ten minutes', () => {
  const { issued, clock } = memory();
  issued.issue('client', calls(1));
  for (let i = 2; i < 200; i++) issued.issue('client', calls(i));
  for (let i = 0; i < 3_000; i++) issued.issue(`stranger ${i}`, calls(i));
  clock.now = unix(start + 600);
  expect(issued.with('client', calls(1).hash)).toMatchObject([calls(1)]);
});

test('what is over counts no more, and is kept no longer than until something else is issued', () => {
  const { issued, clock } = memory();
  for (let i = 0; i < 50; i++) issued.issue(`swap ${i}`, calls(1));
  clock.now = unix(start + 601);
  expect([issued.with('swap 1', calls(1).hash), issued.size]).toEqual([[], 50]);
  issued.issue('another', calls(2));
  expect(issued.size).toBe(1);
});

test('the same calls again count from then on, and two prices of them both', () => {
  const { issued, clock } = memory();
  const dearer = { ...calls(1), sourceAmount: 2n };
  issued.issue('swap', calls(1));
  issued.issue('swap', dearer);
  clock.now = unix(start + 500);
  issued.issue('swap', calls(1));
  expect(issued.with('swap', calls(1).hash)).toMatchObject([dearer, calls(1)]);
  clock.now = unix(start + 1_000);
  expect(issued.with('swap', calls(1).hash)).toMatchObject([calls(1)]);
});

test('fault 109: what was issued before the wall was set back by a day counts no more, and goes', () => {
  const { issued, clock } = memory();
  for (let i = 0; i < 50; i++) issued.issue(`swap ${i}`, calls(1));
  clock.now = unix(start - 86_400);
  expect(issued.with('swap 1', calls(1).hash)).toEqual([]);
  issued.issue('another', calls(2));
  expect(issued.size).toBe(1);
});
