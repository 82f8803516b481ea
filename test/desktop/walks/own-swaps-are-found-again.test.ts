// A node that has lost what it knew of the swaps of its owner: the page looks for them, and those that were open are
// finished.
import Database from 'better-sqlite3';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SandboxWorld } from '../../../engine/contract/sandbox.ts';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import type { TakerDirection } from '../../../engine/domain/chain.ts';
import { program } from '../browser.ts';
import { startWalk, type Walk } from './walk.ts';
import { giveTokens, make, walked } from './ways.ts';

const patient = { timeout: 120_000 };

describe.skipIf(program === undefined)('swaps of the words', () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await startWalk();
  }, 300_000);
  afterAll(() => walk.stop(), 60_000);

  /** All that the node knows as a client; what it provides stays, for it is its own provider here. */
  function forgetOwnSwaps(): void {
    const db = new Database(join(walk.folder, 'sluice.db'));
    db.exec(`DELETE FROM taker_words; DELETE FROM taker_swaps; DELETE FROM swaps WHERE substr(machine, 1, 5) = 'take-';
             DELETE FROM counters WHERE name = 'taker'; DELETE FROM preimages;`);
    db.close();
    for (const name of ['taker-high-water', 'taker-high-water.last']) rmSync(join(walk.folder, name), { force: true });
  }

  /** With the money of the sandbox, where the page said before that its swap is paid. */
  async function payLate({ control }: Walk, { pay: to, direction }: TakerSwap): Promise<void> {
    if (to?.kind === 'invoice') await control('POST', '/sandbox/lightning/pay', { bolt11: to.text });
    else if (to?.kind === 'arkade' || to?.kind === 'bitcoin')
      await control('POST', `/sandbox/${to.kind}/faucet`, { address: to.text, amount: Number(to.amount) });
    else throw new Error(`${direction} shows no place to pay`);
  }

  /** Tokens go into their lock before the loss: none is signed for a swap that was found again. And they stay there. */
  async function lockTokens(swap: TakerSwap): Promise<void> {
    const { control } = walk;
    if (swap.direction === 'evm-lightning')
      await control('POST', '/sandbox/lightning/fault', { next_payment: 'hangs' });
    if (swap.direction === 'evm-arkade') await control('POST', '/sandbox/arkade/fault', { operator: 'away' });
    await giveTokens(walk, swap);
    const given = async () => (await control<{ status: string }>('GET', `/swap/${swap.provider_swap_id}`)).status;
    await expect.poll(given, patient).toMatch(/^(clientfunded|serverfunded)$/);
  }

  test('open ones of every direction are found on the page, and finish', async () => {
    const { page, control } = walk;
    await walk.holdBlocks();
    const open = async (direction: TakerDirection) => walk.swap(await make(walk, direction));
    const isLocked = (direction: TakerDirection) => direction.startsWith('evm-');
    const opened: TakerSwap[] = [];
    for (const direction of walked.filter((one) => !isLocked(one))) opened.push(await open(direction));
    // One after the other: two at one account would take each other's tokens.
    for (const direction of walked.filter(isLocked)) await lockTokens(await open(direction));
    await walk.kill();
    forgetOwnSwaps();
    await walk.start();
    await control('POST', '/sandbox/arkade/fault', { operator: 'back' });

    await walk.goTo('restore');
    const look = page.getByRole('button', { name: 'Look for my swaps' });
    const links = page.getByRole('link', { name: 'Open it' });
    // Networks that are not connected yet are no error: one looks again.
    await expect
      .poll(
        async () => {
          const count = await links.count();
          if (count < walked.length && (await look.isEnabled())) await look.click();
          return count;
        },
        { ...patient, interval: 2_000 },
      )
      .toBe(walked.length);
    await page.getByText(`${walked.length} swaps known there`, { exact: false }).waitFor();
    const ids = (await links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))).map(
      (href) => href.split('/').at(-1) ?? '',
    );
    for (const swap of opened) await payLate(walk, swap);
    const { faults } = await control<SandboxWorld>('GET', '/sandbox');
    for (const payment_hash of faults?.hanging ?? [])
      await control('POST', '/sandbox/lightning/release', { payment_hash, outcome: 'settles' });
    const ends = async () => {
      await control('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
      const all = await Promise.all(ids.map((id) => walk.swap(id)));
      return all.map(({ direction, outcome }) => `${direction} ${outcome}`).toSorted();
    };
    const finished = walked.map((direction) => `${direction} finished`).toSorted();
    await expect.poll(ends, { ...patient, interval: 3_000 }).toEqual(finished);
    await links.first().click();
    await page.locator('[data-outcome=finished]').waitFor(patient);
  }, 600_000);
});
