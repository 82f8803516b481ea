import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { booksApart, judgeBooks, openBooks } from './books.ts';
import { openClient, type Client } from './client.ts';
import { quickTime } from './quick-time.ts';
import { startNodeOn, type NodeOptions, type TestNode } from './node.ts';
import { startWorld, type World } from './world.ts';

/** What a client locks for an invoice over 100,000 sats with the default terms. */
export const price = 100_260n;

/** Networks, a client and a node in this process, whose pauses pass quickly; gone with `end`. */
export interface Scene {
  readonly folder: string;
  readonly world: World;
  readonly client: Client;
  node: TestNode;
  /** Dies, unless it did, and starts again on what was on the disk. */
  restart(options?: NodeOptions): Promise<void>;
  /** Copies the database as a backup does, while the node runs. */
  backUp(): void;
  /**
   * Dies, and starts again with the backup in the place of its database; as one that noticed it, unless told otherwise.
   */
  restore(options?: NodeOptions): Promise<void>;
  clientTotal(): Promise<bigint>;
  /** What the node gained or lost over Lightning since the start, in msat. */
  lightning(): bigint;
  walletTotal(): Promise<bigint>;
  /** What keeps the books and a network apart to the end: `end` then rejects where they agree. */
  booksDiffer(reason: string): void;
  /** Rejects where the books say anything else than the networks, and nobody said why. */
  end(): Promise<void>;
}

const channel = 1_000_000_000_000n;

/** In usual time where the test has timers of its own, or a race that only the pace decides. */
export async function openScene(options: NodeOptions = {}, pace: 'quick' | 'usual' = 'quick'): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-fault-'));
  const backup = join(folder, 'backup');
  const usualTime = pace === 'quick' ? quickTime() : null;
  const world = startWorld();
  const client = await openClient(world);
  let why: string | null = null;
  const scene: Scene = {
    folder,
    world,
    client,
    node: await startNodeOn(world, folder, options),
    async restart(changed = options) {
      await scene.node.kill();
      scene.node = await startNodeOn(world, folder, changed);
    },
    backUp: () => copyDatabase(scene.node.folder, backup),
    async restore(changed = { restored: true }) {
      await scene.node.kill();
      copyDatabase(backup, scene.node.nextFolder);
      scene.node = await startNodeOn(world, folder, changed);
    },
    clientTotal: async () => (await client.port.balance([])).available,
    lightning: () => world.balances().node - channel,
    async walletTotal() {
      const { available, pending, recoverable } = await scene.node.ports.arkade!.balance([]);
      return available + pending + recoverable;
    },
    booksDiffer(reason) {
      why = reason;
    },
    async end() {
      let apart: readonly string[];
      try {
        apart = await booksApart(scene.node);
      } finally {
        // Whatever a look comes to, nothing of the scene is left to those after it in the same process.
        await scene.node.stop();
        world.stop();
        await usualTime?.();
        rmSync(folder, { recursive: true, force: true });
      }
      judgeBooks(apart, why);
    },
  };
  try {
    await openBooks(scene.node);
    return scene;
  } catch (cause) {
    await scene.end().catch(() => undefined);
    throw cause;
  }
}

export function copyDatabase(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of ['sluice.db', 'sluice.db-wal']) {
    rmSync(join(to, name), { force: true });
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
  }
}

/** Polls until it is so; the runner's own poll has no say over how a failure reads. */
export async function eventually(is: () => boolean | Promise<boolean>, what: string, ms = 60_000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await is())) {
    if (performance.now() > deadline) throw new Error(`it never came to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
