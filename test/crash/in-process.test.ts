import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { playMortal, type MortalStory, type Play } from './support/in-process.ts';
import { coversItsOwn, inEachFile } from './support/covered.ts';
import { atEveryBoundary } from './support/lives.ts';
import type { Fate } from './support/wallet.ts';

/**
 * The node dies at its k-th boundary, for every k until a run no longer has that many: before and after each commit,
 * before and after each call of a port and of the operator below it. Then it recovers, the story is played to its end,
 * and the networks are asked who has what.
 */
const hour = 3_600;

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

function fund({ world }: Play, record: ArkadeLightningRecord): void {
  world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount));
}

async function refundAll(on: Play, record: ArkadeLightningRecord): Promise<void> {
  await on.until('the refund', async () => {
    if (!(await on.fates(record)).some((coin) => coin.spent === 'unspent')) return true;
    await on.ask((node) => on.client.collabRefund(node, record)).catch(() => undefined);
    return false;
  });
}

function unspent(fates: readonly Fate[]): boolean {
  return fates.some((coin) => coin.spent === 'unspent');
}

const stories: readonly MortalStory[] = [
  {
    direction: 'lightning-arkade',
    name: 'the client claims',
    async play(on) {
      const { record, secret, hash } = await openLightning(on);
      on.world.pay(record.bolt11_invoice);
      await on.until('the lock', async () => unspent(await on.fates(record)));
      await on.client.claim(record, secret);
      await on.until('claimed', (node) => node.at(record.id) === 'claimed');
      return { record, hash };
    },
  },
  {
    direction: 'lightning-arkade',
    name: 'the client never claims',
    async play(on) {
      const { record, hash } = await openLightning(on);
      on.world.pay(record.bolt11_invoice);
      await on.until('locked', (node) => ['locked', 'stopped'].includes(node.at(record.id)));
      await on.world.advance(record.vhtlc_refund_locktime - on.world.now() + 60);
      await on.until('refunded', (node) => ['refunded', 'stopped'].includes(node.at(record.id)));
      return { record, hash };
    },
  },
  {
    direction: 'lightning-arkade',
    name: 'the client claims when the refund is due',
    async play(on) {
      const { record, secret, hash } = await openLightning(on);
      on.world.pay(record.bolt11_invoice);
      await on.until('locked', (node) => ['locked', 'stopped'].includes(node.at(record.id)));
      const moved = on.world.advance(record.vhtlc_refund_locktime - on.world.now() + 60);
      await pause(5);
      await on.client.claim(record, secret).catch(() => undefined);
      await moved;
      await on.until('an end', (node) => ['claimed', 'refunded', 'stopped'].includes(node.at(record.id)));
      return { record, hash };
    },
  },
  {
    direction: 'lightning-arkade',
    name: 'the client never pays',
    async play(on) {
      const { record, hash } = await openLightning(on);
      await on.world.advance(hour);
      await on.until('lapsed', (node) => node.at(record.id) === 'lapsed');
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

test('every direction of this file has a story', () => coversItsOwn(inEachFile.providers, 'in-process', stories));

test.each(stories)('fault 2: $direction: when $name, the node may die at any boundary', { timeout: 600_000 }, (story) =>
  atEveryBoundary(`${story.direction}, ${story.name}`, (dieAt) => playMortal(story, dieAt)),
);
