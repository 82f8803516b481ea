import { expect, test } from 'vitest';
import type { Lane } from '../../engine/runtime/networks/act.ts';
import { createSlots } from '../../engine/runtime/slots.ts';

const arkade: Lane = { side: 'arkade', begins: false };
const bitcoin: Lane = { side: 'bitcoin', begins: false };

/** Queues with the lane of what each would do next, and the places that they take. */
function crowd(isFree = true) {
  const slots = createSlots(() => isFree);
  const lanes = new Map<string, Lane>();
  return {
    slots,
    wait(queue: string, lane: Lane): void {
      lanes.set(queue, lane);
      slots.wait(queue, lane);
    },
    takeAll(): { queue: string; lane: Lane }[] {
      const places: { queue: string; lane: Lane }[] = [];
      for (let next = take(); next !== null; next = take()) places.push(next);
      return places;
    },
  };

  function take() {
    const next = slots.take((queue) => lanes.get(queue) ?? null);
    if (next !== null) lanes.delete(next.queue);
    return next;
  }
}

test('what is dropped while two networks hang, and asked for at the other, keeps no place for ever', () => {
  const { slots, wait, takeAll } = crowd();
  for (let round = 0; round < 40; round++) {
    for (let i = 0; i < 32; i++) for (const lane of [arkade, bitcoin]) wait(`${lane.side} ${i}`, lane);
    const hanging = takeAll();
    expect(hanging).toHaveLength(64);
    wait('a swap', arkade);
    wait('a swap', bitcoin);
    for (const { lane } of hanging) {
      slots.leave(lane);
      for (const one of takeAll()) slots.leave(one.lane);
    }
  }
});

test('what needs a wallet by now does not start from a place where it needed none', () => {
  const { wait, takeAll } = crowd(false);
  wait('a swap', arkade);
  wait('a swap', { side: 'arkade', begins: true, wallet: 'arkade' });
  expect(takeAll()).toEqual([]);
});

const finishing: Lane = { ...arkade, finishes: true };
const beginning: Lane = { side: 'arkade', begins: true };

function kinds(places: readonly { lane: Lane }[]): string[] {
  return places.map(({ lane }) => (lane.finishes === true ? 'finishes' : lane.begins ? 'begins' : 'ends'));
}

test('what is not safe yet goes before what is, and that before what begins', () => {
  const { slots, wait, takeAll } = crowd();
  for (let i = 0; i < 4; i++) wait(`own ${i}`, finishing);
  expect(takeAll()).toHaveLength(4);
  for (let i = 0; i < 3; i++) {
    wait(`begins ${i}`, beginning);
    wait(`finishes ${i}`, finishing);
    wait(`ends ${i}`, arkade);
  }
  expect(kinds(takeAll())).toEqual([...three('ends'), ...three('finishes'), ...three('begins')]);
  expect(slots.crowded).toBe(false);
});

function three(kind: string): string[] {
  return [kind, kind, kind];
}

test('claims that hang, without end, leave what finishes its share, and that leaves claims theirs', () => {
  const { slots, wait, takeAll } = crowd();
  for (let i = 0; i < 100; i++) wait(`ends ${i}`, arkade);
  expect(takeAll()).toHaveLength(32);
  expect(slots.crowded).toBe(true);
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 6; i++) wait(`finishes ${round} ${i}`, finishing);
    const places = takeAll();
    expect(kinds(places)).toEqual(Array.from({ length: 4 }, () => 'finishes'));
    for (const { lane } of places) slots.leave(lane);
    for (const { lane } of takeAll()) slots.leave(lane);
  }
  expect(slots.crowded).toBe(true);
});

test('what finishes and hangs, however much of it, leaves eight places to claims', () => {
  const { wait, takeAll } = crowd();
  for (let i = 0; i < 100; i++) wait(`finishes ${i}`, finishing);
  expect(takeAll()).toHaveLength(28);
  for (let i = 0; i < 100; i++) wait(`ends ${i}`, arkade);
  expect(kinds(takeAll())).toEqual(Array.from({ length: 8 }, () => 'ends'));
});
