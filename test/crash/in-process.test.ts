import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { asSha256 } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { createLightningPort } from '../support/sandbox-ports/lightning.ts';
import { openClient, type Client } from '../support/client.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';
import { conservation, faultsOf, type Balances, type Verdict } from './support/oracle.ts';
import type { CrashDirection } from './support/stories.ts';
import { balanceAt, fatesAt, termsOf, type ArkadeRecord, type Fate } from './support/wallet.ts';

/**
 * The node dies at its k-th boundary, for every k until a run no longer has that many: before and after each commit,
 * before and after each call of a port and of the operator below it. Then it recovers, the story is played to its end,
 * and the networks are asked who has what.
 */
const every = Number(process.env['CRASH_EVERY'] ?? 1);
const hour = 3_600;
const patienceMs = 15_000;

interface Opened {
  readonly record: ArkadeRecord;
  readonly hash: string;
}

interface Play {
  readonly world: World;
  readonly client: Client;
  /** Asks the node, which may die meanwhile: then its next life is asked. */
  ask<T>(act: (node: TestNode) => Promise<T>): Promise<T>;
  until(what: string, done: (node: TestNode) => Promise<boolean> | boolean): Promise<void>;
  fates(record: ArkadeRecord): Promise<Fate[]>;
}

interface Story {
  readonly direction: CrashDirection;
  readonly name: string;
  play(on: Play): Promise<Opened>;
}

async function openLightning({ client, ask }: Play) {
  // A create that was not answered is repeated with another secret.
  const made = await ask(async (node) => {
    const secret = client.secret();
    return { secret, record: await client.createLightningArkade(node, 30_000n, secret) };
  });
  return { ...made, hash: toHex(sha256Of(made.secret)) };
}

async function openArkade({ client, world, ask }: Play, hold = false) {
  return ask(async (node) => {
    const { bolt11, hash } = world.invoice(30_000n, { hold, expirySeconds: 48 * hour });
    return { hash: toHex(hash), record: await client.createArkadeLightning(node, bolt11, 30_000n) };
  });
}

function fund({ world }: Play, record: ArkadeRecord): void {
  world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount));
}

async function refundAll(on: Play, record: Parameters<Client['collabRefund']>[1]): Promise<void> {
  await on.until('the refund', async () => {
    if (!(await on.fates(record)).some((coin) => coin.spent === 'unspent')) return true;
    await on.ask((node) => on.client.collabRefund(node, record)).catch(() => undefined);
    return false;
  });
}

function unspent(fates: readonly Fate[]): boolean {
  return fates.some((coin) => coin.spent === 'unspent');
}

const stories: readonly Story[] = [
  {
    direction: 'lightning-arkade',
    name: 'the client claims',
    async play(on) {
      const { record, secret, hash } = await openLightning(on);
      on.world.pay(record.bolt11_invoice);
      await on.until('the lock', async () => unspent(await on.fates(record)));
      await on.client.claim(record, secret);
      await on.until('settled', (node) => node.at(record.id) === 'settled');
      return { record, hash };
    },
  },
  {
    direction: 'lightning-arkade',
    name: 'the client never claims',
    async play(on) {
      const { record, hash } = await openLightning(on);
      on.world.pay(record.bolt11_invoice);
      await on.until('locked', (node) => ['locked', 'declined'].includes(node.at(record.id)));
      await on.world.advance(record.vhtlc_refund_locktime - on.world.now() + 60);
      await on.until('returned', (node) => ['returned', 'declined'].includes(node.at(record.id)));
      return { record, hash };
    },
  },
  {
    direction: 'lightning-arkade',
    name: 'the client claims when the refund is due',
    async play(on) {
      const { record, secret, hash } = await openLightning(on);
      on.world.pay(record.bolt11_invoice);
      await on.until('locked', (node) => ['locked', 'declined'].includes(node.at(record.id)));
      const moved = on.world.advance(record.vhtlc_refund_locktime - on.world.now() + 60);
      await pause(5);
      await on.client.claim(record, secret).catch(() => undefined);
      await moved;
      await on.until('an end', (node) => ['settled', 'returned', 'declined'].includes(node.at(record.id)));
      return { record, hash };
    },
  },
  {
    direction: 'lightning-arkade',
    name: 'the client never pays',
    async play(on) {
      const { record, hash } = await openLightning(on);
      await on.world.advance(hour);
      await on.until('expired', (node) => node.at(record.id) === 'expired');
      return { record, hash };
    },
  },
  {
    direction: 'arkade-lightning',
    name: 'the payee is paid',
    async play(on) {
      const { record, hash } = await openArkade(on);
      fund(on, record);
      await on.until('claimed', (node) => node.at(record.id) === 'claimed');
      return { record, hash };
    },
  },
  {
    direction: 'arkade-lightning',
    name: 'the client funds twice',
    async play(on) {
      const { record, hash } = await openArkade(on);
      fund(on, record);
      fund(on, record);
      await on.until('claimed', (node) => node.at(record.id) === 'claimed');
      await refundAll(on, record);
      await on.until('nothing owed', (node) => node.runtime.workingSet.find(record.id)?.row.open === false);
      return { record, hash };
    },
  },
  {
    direction: 'arkade-lightning',
    name: 'the payee gives the payment back',
    async play(on) {
      const { record, hash } = await openArkade(on, true);
      fund(on, record);
      await on.until('the payment', () => on.world.lightning.invoice('outside', hash)?.state === 'accepted');
      on.world.lightning.release(hash, 'fails');
      await refundAll(on, record);
      await on.until('refunded', (node) => node.at(record.id) === 'refunded');
      return { record, hash };
    },
  },
  {
    direction: 'arkade-lightning',
    name: 'the client funds late',
    async play(on) {
      const { record, hash } = await openArkade(on);
      await on.world.advance(hour);
      await on.until('expired', (node) => node.status(record.id) === 'expired');
      fund(on, record);
      await refundAll(on, record);
      await on.until('refunded', (node) => node.at(record.id) === 'refunded');
      return { record, hash };
    },
  },
];

/** One run with a death at boundary `dieAt`; answers how many boundaries there were until it died, or at all. */
async function run(story: Story, dieAt: number): Promise<number> {
  const world = startWorld();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-crash-'));
  let passed = 0;
  let armed = false;
  let where = 'nowhere';
  let node: TestNode | null = null;
  let next: Promise<TestNode> | null = null;
  let died: () => void = () => undefined;
  const death = new Promise<'dead'>((resolve) => (died = () => resolve('dead')));

  function onBoundary(what: string, moment: 'before' | 'after'): void {
    if (!armed || (passed += 1) !== dieAt) return;
    armed = false;
    where = `${moment} ${what}`;
    const dying = node?.kill();
    next = (async () => {
      await dying;
      return startNodeOn(world, folder, { pollMs: 25 });
    })();
    died();
  }

  async function alive(): Promise<TestNode> {
    if (next !== null) node = await next;
    if (node === null) throw new Error('no node was started');
    return node;
  }

  try {
    node = await startNodeOn(world, folder, { pollMs: 25, onBoundary });
    const client = await openClient(world);
    const { signer: operator } = await client.port.info();
    const lightning = createLightningPort(world.lightning);
    const { script: nodeScript } = await node.ports.arkade!.address();
    const { script: clientScript } = await client.port.address();
    const fates = (record: ArkadeRecord) => fatesAt(client.port, termsOf(record, operator));
    const on: Play = {
      world,
      client,
      fates,
      async ask(act) {
        const first = next === null;
        const living = await alive();
        if (!first) return act(living);
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
          if (await done(living)) return;
          if (Date.now() > deadline)
            throw new Error(
              `${story.name}: no ${what}, died ${where} (${dieAt})\n${living.logged.slice(-12).join('\n')}`,
            );
        }
      },
    };

    async function balances(): Promise<Balances> {
      const { node: own, outgoing, incoming } = world.balances();
      return {
        lightningMsat: own,
        unsettledMsat: outgoing + incoming,
        arkade: await balanceAt(client.port, nodeScript),
        client: await balanceAt(client.port, clientScript),
      };
    }

    async function verdict({ record, hash }: Opened): Promise<Verdict> {
      const { direction } = story;
      const tale = { hash, record };
      const key = asSha256(fromHex(hash));
      if (direction === 'lightning-arkade')
        return { direction, tale, coins: await fates(record), hold: (await lightning.hold(key)).is, payment: null };
      return { direction, tale, coins: await fates(record), hold: null, payment: await lightning.payment(key) };
    }

    const start = await balances();
    armed = true;
    const opened = await story.play(on);
    armed = false;
    const judged = await verdict(opened);
    const paid = new Map(
      world.lightning
        .payments('node')
        .filter(({ outcome }) => outcome === 'settled')
        .map(({ hash, amountMsat, feeMsat }) => [hash, { count: 1, msat: amountMsat + feeMsat }]),
    );
    const faults = [...faultsOf(judged), ...conservation(start, await balances(), [judged], paid)];
    expect(faults, `${story.name}, died ${where} (boundary ${dieAt})`).toEqual([]);

    const again = await alive();
    const before = {
      balances: await balances(),
      verdict: await verdict(opened),
      record: again.service.swap(opened.record.id),
    };
    await again.stop();
    const last = await startNodeOn(world, folder, { pollMs: 25 });
    node = last;
    next = null;
    await pause(60);
    expect(
      { balances: await balances(), verdict: await verdict(opened), record: last.service.swap(opened.record.id) },
      `${story.name}, died ${where}: a second recovery changes nothing`,
    ).toEqual(before);
    return passed;
  } finally {
    armed = false;
    await (await alive().catch(() => null))?.stop();
    world.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each(stories)(
  'fault 2: $direction: when $name, the node may die at any boundary',
  { timeout: 600_000 },
  async (story) => {
    const begun = performance.now();
    let deaths = 0;
    for (let dieAt = 1; ; dieAt += every) {
      const passed = await run(story, dieAt);
      if (passed < dieAt) {
        console.log(
          `${story.direction}, ${story.name}: ${passed} boundaries, ${deaths} deaths, ${((performance.now() - begun) / 1_000).toFixed(0)} s`,
        );
        expect(deaths).toBeGreaterThan(1);
        return;
      }
      deaths += 1;
    }
  },
);
