import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { startNodeOn, type NodeOptions, type TestNode } from '../../support/node.ts';
import type { World } from '../../support/world.ts';

/** A node that dies once, at the boundary it is given, and starts again on what was on its disk. */
export interface Lives {
  /** From here on boundaries count, up to `disarm`. */
  arm(): void;
  disarm(): void;
  /** How many boundaries were passed since `arm`. */
  readonly passed: number;
  /** Where it died, in words. */
  readonly where: string;
  readonly hasDied: boolean;
  /** The node of now, once it is up. */
  alive(): Promise<TestNode>;
  /** The same without waiting: null while it is down. */
  now(): TestNode | null;
  /** Asks the node, which may die meanwhile: then its next life is asked. */
  ask<T>(act: (node: TestNode) => Promise<T>): Promise<T>;
  until(what: string, done: (node: TestNode) => Promise<boolean> | boolean): Promise<void>;
  /** Stops it cleanly and starts it once more. */
  startAgain(): Promise<TestNode>;
  stop(): Promise<void>;
}

export interface LivesOptions {
  readonly world: World;
  readonly folder: string;
  /** Counted from 1. */
  readonly dieAt: number;
  /** For sentences. */
  readonly name: string;
  readonly options?: NodeOptions;
  /** Whether a boundary counts; every one does when left out. */
  readonly counts?: (what: string) => boolean;
  readonly patienceMs?: number;
}

export async function startLives(given: LivesOptions): Promise<Lives> {
  const { world, folder, dieAt, name, options = {}, counts = () => true, patienceMs = 60_000 } = given;
  let passed = 0;
  let armed = false;
  let where = 'nowhere';
  let next: Promise<TestNode> | null = null;
  let died: () => void = () => undefined;
  const death = new Promise<'dead'>((resolve) => (died = () => resolve('dead')));
  const first: TestNode = await startNodeOn(world, folder, { pollMs: 25, ...options, onBoundary });
  let node: TestNode | null = first;

  function onBoundary(what: string, moment: 'before' | 'after'): void {
    if (!armed || !counts(what) || (passed += 1) !== dieAt) return;
    armed = false;
    where = `${moment} ${what}`;
    node = null;
    const dying = first.kill();
    next = (async () => {
      await dying;
      node = await startNodeOn(world, folder, { pollMs: 25, ...options });
      return node;
    })();
    died();
  }

  async function alive(): Promise<TestNode> {
    if (next !== null) await next;
    if (node === null) throw new Error('no node was started');
    return node;
  }

  /** What a life that ended meanwhile says is nothing: the next one is asked. */
  async function isDone(living: TestNode, done: (node: TestNode) => Promise<boolean> | boolean): Promise<boolean> {
    try {
      return await done(living);
    } catch (cause) {
      if (living === first && next !== null) return false;
      throw cause;
    }
  }

  return {
    arm: () => void (armed = true),
    disarm: () => void (armed = false),
    get passed() {
      return passed;
    },
    get where() {
      return where;
    },
    get hasDied() {
      return next !== null;
    },
    alive,
    now: () => node,
    async ask(act) {
      const isFirst = next === null;
      const living = await alive();
      if (!isFirst) return act(living);
      const answer = act(living);
      answer.catch(() => undefined); // Of a node that died meanwhile: nobody hears it.
      const reply = await Promise.race([answer.then((value) => ({ value })), death]).catch((cause: unknown) => {
        if (next === null) throw cause;
        return 'dead' as const;
      });
      return reply === 'dead' ? act(await alive()) : reply.value;
    },
    async until(what, done) {
      for (const deadline = Date.now() + patienceMs; ; await pause(3)) {
        const living = await alive();
        if (await isDone(living, done)) return;
        if (Date.now() > deadline)
          throw new Error(`${name}: no ${what}, died ${where} (${dieAt})\n${living.logged.slice(-12).join('\n')}`);
      }
    },
    async startAgain() {
      await (await alive()).stop();
      next = null;
      node = await startNodeOn(world, folder, { pollMs: 25, ...options });
      return node;
    },
    async stop() {
      armed = false;
      await (await alive().catch(() => null))?.stop();
    },
  };
}

/** A short run dies at one boundary in so many, and another seed at others. */
const every = Number(process.env['CRASH_EVERY'] ?? 1);
const seed = Number(process.env['CRASH_SEED'] ?? 0);

/**
 * Plays a story with a death at its first, second, third ... boundary, until it no longer has that many. `step`: of
 * stories whose looks are many, every so many boundaries. A story that is shorter than that has one death.
 */
export async function atEveryBoundary(name: string, play: (dieAt: number) => Promise<number>, step = 1): Promise<void> {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  const apart = every * step;
  let deaths = 0;
  for (let dieAt = 1 + (seed % apart); ; dieAt += apart) {
    const passed = await play(dieAt);
    if (passed < dieAt) {
      if (deaths === 0 && passed > 0 && (await play(1 + (seed % passed))) > 0) deaths = 1;
      const took = ((performance.now() - begun) / 1_000).toFixed(0);
      const { user, system } = process.cpuUsage(cpu);
      const worked = ((user + system) / 1_000_000).toFixed(1);
      console.log(`${name}: ${passed} boundaries, ${deaths} deaths, ${took} s, ${worked} s of processor`);
      expect(deaths).toBeGreaterThan(0);
      return;
    }
    deaths += 1;
  }
}
