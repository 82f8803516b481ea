// The node dies with a swap of every direction in the middle. The page says so, the node starts again, and nobody
// reloads.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SandboxWorld } from '../../../engine/contract/sandbox.ts';
import type { TakerDirection } from '../../../engine/domain/chain.ts';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { program } from '../browser.ts';
import { firstBooks, movesOf, ownFees, readBooks, unexplained, type Books } from './books.ts';
import { startWalk, type Walk } from './walk.ts';
import { giveTokens, make, pay, walked, ways } from './ways.ts';

/** What a unit of gas costs while no provider locks for it. */
const dearGwei = 1_000_000;

describe.skipIf(program === undefined)('a node that dies in the middle', () => {
  let walk: Walk;
  let before: Books;
  const swaps = new Map<TakerDirection, string>();

  beforeAll(async () => {
    walk = await startWalk();
    before = await firstBooks(walk);
    await walk.holdBlocks();
  }, 180_000);
  afterAll(() => walk?.stop(), 60_000);

  const all = (): Promise<TakerSwap[]> => Promise.all([...swaps.values()].map((id) => walk.swap(id)));

  test('a swap of every direction is paid, and none of them can go on', async () => {
    const { control } = walk;
    const begin = async (direction: TakerDirection) => swaps.set(direction, await make(walk, direction));
    for (const direction of walked.filter((one) => one.endsWith('-lightning'))) {
      await control('POST', '/sandbox/lightning/fault', { next_payment: 'hangs' });
      await begin(direction);
      await pay(walk, ways[direction].payer);
      const hanging = async () => (await control<SandboxWorld>('GET', '/sandbox')).faults?.hanging.length;
      await expect.poll(hanging, { timeout: 60_000 }).toBe(swaps.size);
    }
    // No block comes that would bury the provider's coin.
    for (const direction of walked.filter((one) => one.endsWith('-bitcoin'))) {
      await begin(direction);
      await pay(walk, ways[direction].payer);
    }
    const toEvm = walked.filter((one) => one.endsWith('-evm'));
    for (const direction of toEvm) await begin(direction);
    await control('POST', '/sandbox/evm/137/fees', { base_fee_gwei: dearGwei });
    for (const direction of toEvm) {
      await walk.goTo(`swaps/${swaps.get(direction) ?? ''}`);
      await pay(walk, ways[direction].payer);
    }
    const toArkade = walked.filter((one) => one.endsWith('-arkade'));
    for (const direction of toArkade) await begin(direction);
    await control('POST', '/sandbox/arkade/fault', { operator: 'away' });
    // The page shows no more where to pay; who has the invoice or the address still can.
    for (const direction of toArkade) {
      const { pay: to } = await walk.swap(swaps.get(direction) ?? '');
      if (to?.kind === 'invoice') await control('POST', '/sandbox/lightning/pay', { bolt11: to.text });
      else if (to?.kind === 'bitcoin')
        await control('POST', '/sandbox/bitcoin/faucet', { address: to.text, amount: Number(to.amount) });
      else if (to?.kind === 'evm') await giveTokens(walk, await walk.swap(swaps.get(direction) ?? ''));
      else throw new Error(`${direction} shows no place to pay`);
    }
    expect([...swaps.keys()].toSorted()).toEqual(walked.toSorted());
    await expect.poll(async () => (await all()).map(({ phase }) => phase), { timeout: 60_000 }).not.toContain('pay');
  }, 240_000);

  test('the page says that the node does not answer, and goes on by itself once it is there again', async () => {
    const { page, complaints } = walk;
    await walk.goTo('activity');
    await page.getByRole('row').nth(1).waitFor();
    expect(complaints.splice(0)).toEqual([]);
    await walk.kill();
    const alert = page.getByRole('alert').filter({ hasText: 'it continues where it was' });
    await alert.waitFor();
    await page.getByText('Not answering').waitFor();
    await walk.start();
    await alert.waitFor({ state: 'detached' });
    await page.getByText(/^Watching \d+ swaps$/).waitFor();
  }, 120_000);

  test('with everybody back each swap finishes, and nothing was lost', async () => {
    const { page, control, complaints } = walk;
    const { faults } = await control<SandboxWorld>('GET', '/sandbox');
    await control('POST', '/sandbox/arkade/fault', { operator: 'back' });
    await control('POST', '/sandbox/evm/137/fees', { base_fee_gwei: 1 });
    for (const payment_hash of faults?.hanging ?? [])
      await control('POST', '/sandbox/lightning/release', { payment_hash, outcome: 'settles' });
    const outcomes = async () => {
      await control('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
      return (await all()).map(({ outcome }) => outcome);
    };
    // A block each second would use up the time of a payment that is held before everything on one chain is locked.
    await expect.poll(outcomes, { timeout: 150_000, interval: 5_000 }).toEqual(Array.from(swaps, () => 'finished'));
    const ended = await all();
    const fees = await Promise.all(ended.map((swap) => ownFees(walk, swap)));
    const moves = [...ended.flatMap((swap) => movesOf(swap, ways[swap.direction].payer)), ...fees.flat()];
    const rest = async () => {
      await control('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
      return unexplained(before, await readBooks(walk), moves);
    };
    await expect.poll(rest, { timeout: 60_000, interval: 500 }).toEqual([]);
    await page.getByText('Nothing in flight').waitFor();
    await expect
      .poll(() => page.getByText('Finished', { exact: true }).count(), { timeout: 30_000 })
      .toBe(swaps.size + 1);
    // What the browser says of a program that is gone, it says some moments later.
    expect(complaints.filter((line) => !/ERR_CONNECTION_|WebSocket/.test(line))).toEqual([]);
  }, 240_000);
});
