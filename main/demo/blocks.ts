import { setTimeout as pause } from 'node:timers/promises';
import { ask, textOf, type Json } from './http.ts';
import type { DemoNode } from './node.ts';
import { patienceMs, type Tour } from './tour.ts';

const everyMs = 1_000;
/** When the last block of a node's sandbox was asked for. */
const mined = new WeakMap<DemoNode, number>();
/** Waits in which no block is mined. */
const still = new WeakMap<DemoNode, number>();

/**
 * Blocks come until the wait is over, quicker than they come on demand. One each second for all who wait: timeouts of
 * held payments count blocks.
 */
export async function mining<T>(node: DemoNode, wait: Promise<T>): Promise<T> {
  let over = false;
  const end = (): void => void (over = true);
  wait.then(end, end);
  while (!over) {
    const now = performance.now();
    if ((still.get(node) ?? 0) === 0 && now - (mined.get(node) ?? 0) >= everyMs) {
      mined.set(node, now);
      await ask(node, 'POST', '/sandbox/bitcoin/mine', { blocks: 1 });
    }
    await Promise.race([wait, pause(everyMs)]);
  }
  return wait;
}

/**
 * No block is mined for anybody until the wait is over: a payment that is held counts them, and at one a second a slow
 * machine locks too late against it.
 */
export async function withoutBlocks<T>(node: DemoNode, wait: Promise<T>): Promise<T> {
  still.set(node, (still.get(node) ?? 0) + 1);
  try {
    return await wait;
  } finally {
    still.set(node, (still.get(node) ?? 0) - 1);
  }
}

/** Resolves once a Bitcoin transaction with this locktime may be mined (BIP-113). */
export async function medianTimeAbove(node: DemoNode, time: number): Promise<void> {
  const begun = performance.now();
  const passed = async (): Promise<void> => {
    for (;;) {
      const { mtp } = await ask(node, 'GET', '/mtp');
      if (Number(mtp) > time) return;
      if (performance.now() - begun > patienceMs)
        throw new Error(`Median time past is ${String(mtp)}, not above ${time}.`);
      await pause(everyMs / 4);
    }
  };
  await mining(node, passed());
}

/** The client's account on the sandbox's Bitcoin chain. */
export async function bitcoinOf({ node, client }: Tour) {
  const { bitcoin } = await ask(node, 'GET', '/sandbox');
  return client.bitcoin.on(textOf(bitcoin as Json, 'esploraUrl'));
}

/** By when a block of this height has come where time is moved: with it a block comes every ten minutes. */
export async function timeOfHeight(node: DemoNode, height: number): Promise<number> {
  const { clock, bitcoin } = await ask(node, 'GET', '/sandbox');
  return Number(clock) + 600 * Math.max(0, height - Number((bitcoin as Json)['height']));
}
