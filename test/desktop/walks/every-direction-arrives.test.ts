// A person swaps in every direction that the node can take, from the form to the receipt, and counts the money after
// it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TakerDirection } from '../../../engine/domain/chain.ts';
import { amountText, figureText, shown } from '../../../renderer/format/amount.ts';
import { program } from '../browser.ts';
import { firstBooks, movesOf, ownFees, readBooks, tokensOf, unexplained, type Books, type Move } from './books.ts';
import { startWalk, type Walk } from './walk.ts';
import { arrive, make, pay, walked, ways } from './ways.ts';

describe.skipIf(program === undefined)('from the form to the receipt', () => {
  let walk: Walk;
  let before: Books;
  const ids = new Map<TakerDirection, string>();
  const moves: Move[] = [];
  beforeAll(async () => {
    walk = await startWalk();
    before = await firstBooks(walk);
  }, 180_000);
  afterAll(() => walk?.stop(), 60_000);

  test.each(walked)(
    '%s: the form makes it, and it is paid',
    async (direction) => {
      ids.set(direction, await make(walk, direction));
      await pay(walk, ways[direction].payer);
    },
    90_000,
  );

  test.each(walked)(
    '%s: what was agreed arrives',
    async (direction) => {
      const { page } = walk;
      const id = ids.get(direction);
      if (id === undefined) throw new Error('it was not made');
      const { payer, target } = ways[direction];
      await walk.goTo(`swaps/${id}`);
      await arrive(walk);
      const swap = await walk.swap(id);
      const get = shown(swap.get);
      const receipt = await page.locator('.receipt').innerText();
      const parts = [figureText(get.amount, get.decimals), amountText(swap.give), 'Arrived, final', 'All costs'];
      if (swap.get.network === 'bitcoin') parts.push('out of what arrived');
      expect(parts.filter((part) => !receipt.includes(part))).toEqual([]);
      if (target === 'address')
        expect(await tokensOf(walk, swap.get, await destination(walk, id))).toBe(swap.get.amount);
      moves.push(...movesOf(swap, payer), ...(await ownFees(walk, swap)));
    },
    120_000,
  );

  test('nothing else moved', async () => {
    const rest = async () => unexplained(before, await readBooks(walk), moves);
    await expect.poll(rest, { timeout: 90_000, interval: 500 }).toEqual([]);
  }, 120_000);

  test('who provides sees on the board what was earned in each direction, and every swap with its journal', async () => {
    const { page } = walk;
    await walk.goTo('board');
    await page.getByText('sats after costs').waitFor();
    const pairs = page.locator('table.tight tbody tr');
    await expect.poll(() => pairs.count(), { timeout: 60_000 }).toBeGreaterThanOrEqual(walked.length);
    expect(await page.locator('.pool').count()).toBeGreaterThanOrEqual(5);
    await page.getByRole('link', { name: 'All swaps of this node' }).click();
    await page.getByRole('link', { name: 'Lightning to Arkade' }).first().click();
    await page.getByRole('heading', { name: 'Journal' }).waitFor();
    await page.getByText('Fee of the swap, Lightning').waitFor();
    expect(await page.locator('[aria-labelledby=swap-journal] tbody tr').count()).toBeGreaterThan(3);
  }, 120_000);

  test('nothing was blocked or broken on the way', () => {
    expect(walk.complaints).toEqual([]);
  });
});

/** Where the tokens were to go, as the provider's record says it. */
async function destination({ control, swap }: Walk, id: string): Promise<string> {
  const record = await control<Record<string, unknown>>('GET', `/swap/${(await swap(id)).provider_swap_id}`);
  return String(record['target_evm_address']);
}
