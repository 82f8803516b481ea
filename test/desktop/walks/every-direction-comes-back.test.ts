// Paid in every direction, and nobody performs: the page says what comes back, when and why, and all of it does.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TakerDirection } from '../../../engine/domain/chain.ts';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { amountText } from '../../../renderer/format/amount.ts';
import { momentText } from '../../../renderer/format/moment.ts';
import { program } from '../browser.ts';
import { firstBooks, movesOf, readBooks, ownFees, tokensOf, unexplained, type Books } from './books.ts';
import { startWalk, type Walk } from './walk.ts';
import { giveTokens, make, pay, walked } from './ways.ts';

const hour = 3_600;
/** Its lock is made while gas is cheap, when all others are over. */
const last = 'evm-arkade';
const first = walked.filter((direction) => direction !== last);
/** What a unit of gas costs while no provider locks for it. */
const dearGwei = 1_000_000;

describe.skipIf(program === undefined)('nobody performs', () => {
  let walk: Walk;
  let before: Books;
  const swaps = new Map<TakerDirection, string>();
  /** Where the tokens of all swaps lie that came back. */
  let account = '';

  beforeAll(async () => {
    walk = await startWalk();
    before = await firstBooks(walk);
    await walk.holdBlocks();
  }, 180_000);
  afterAll(() => walk?.stop(), 60_000);

  function idOf(direction: TakerDirection): string {
    const id = swaps.get(direction);
    if (id === undefined) throw new Error(`no swap of ${direction} was made`);
    return id;
  }

  const swapOf = (direction: TakerDirection): Promise<TakerSwap> => walk.swap(idOf(direction));

  /** On the page of refunds: the row of a swap, by the link to it. */
  const rowOf = (direction: TakerDirection) =>
    walk.page.getByRole('row').filter({ has: walk.page.locator(`a[href="#/swaps/${idOf(direction)}"]`) });

  async function until(direction: TakerDirection, reached: (swap: TakerSwap) => boolean): Promise<void> {
    const stands = async () => {
      const swap = await swapOf(direction);
      return reached(swap) ? 'reached' : JSON.stringify([swap.direction, swap.phase, swap.outcome, swap.turn]);
    };
    await expect.poll(stands, { timeout: 60_000, interval: 250 }).toBe('reached');
  }

  async function begin(direction: TakerDirection): Promise<void> {
    swaps.set(direction, await make(walk, direction));
    const { pay: to } = await swapOf(direction);
    account = to?.kind === 'evm' ? to.text : account;
  }

  /** Sets the clocks on until all of them are back; the page says so. */
  async function allIsBack(directions: readonly TakerDirection[]): Promise<void> {
    const { page, control } = walk;
    const opens = (await Promise.all(directions.map(swapOf))).map(({ times }) => times.refund_alone_from ?? 0);
    const { clock } = await control<{ clock: number }>('GET', '/sandbox');
    await control('POST', '/sandbox/clock/advance', { seconds: Math.max(...opens) - clock + 2 * hour });
    // The provider's coins are its own again when they are first seen in a block: nothing of them is claimed.
    await control('POST', '/sandbox/bitcoin/mine', { blocks: 100 });
    await control('POST', '/sandbox/evm/137/fees', { base_fee_gwei: 1 });
    await control('POST', '/sandbox/arkade/fault', { operator: 'back' });
    const outcomes = async () => {
      await control('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
      return Promise.all(directions.map(async (direction) => (await swapOf(direction)).outcome));
    };
    await expect.poll(outcomes, { timeout: 120_000, interval: 1_000 }).toEqual(directions.map(() => 'returned'));
    await walk.goTo('refunds');
    await page.getByRole('heading', { name: 'Nothing to bring back' }).waitFor();
    for (const direction of directions) {
      await walk.goTo(`swaps/${idOf(direction)}`);
      const { give } = await swapOf(direction);
      // A payment over Lightning was never completed: nothing has come back from anywhere.
      const name = give.network === 'lightning' ? 'The swap was not finished' : `Your ${amountText(give)} are back`;
      await page.getByRole('heading', { name }).waitFor();
    }
  }

  test('a provider whose side hangs does not sign either: the page says so, and that it comes back', async () => {
    const { page, control } = walk;
    // The provider pays, and too few blocks come for its coin to be claimed.
    for (const direction of ['evm-bitcoin', 'lightning-bitcoin', 'arkade-bitcoin'] as const) {
      await begin(direction);
      await pay(walk);
      // Over Lightning nothing shows that it is paid but the provider's coin itself.
      await until(direction, ({ transactions }) => transactions.some(({ what }) => what === 'lock'));
    }
    for (const [before, direction] of (['evm-lightning', 'arkade-lightning'] as const).entries()) {
      await control('POST', '/sandbox/lightning/fault', { next_payment: 'hangs' });
      await begin(direction);
      await pay(walk);
      await expect.poll(() => hanging(walk), { timeout: 60_000 }).toBe(before + 1);
    }
    const toEvm = ['arkade-evm', 'lightning-evm'] as const;
    for (const direction of [...toEvm, 'bitcoin-evm'] as const) await begin(direction);
    await control('POST', '/sandbox/evm/137/fees', { base_fee_gwei: dearGwei });
    for (const direction of toEvm) {
      await walk.goTo(`swaps/${idOf(direction)}`);
      await pay(walk);
      await until(direction, ({ turn }) => turn.step === 'lock');
    }
    await walk.goTo('refunds');
    for (const direction of [...swaps.keys()].filter((one) => !isSignedByNobody.has(one))) {
      const button = rowOf(direction).getByRole('button', { name: /^Take it back: / });
      if (direction === 'evm-bitcoin' || direction === 'arkade-bitcoin') {
        // The provider's coin is there, so the page offers nothing; who asks all the same is declined.
        await rowOf(direction).getByText('signs no refund meanwhile').waitFor();
        expect(await button.getAttribute('aria-disabled')).toBe('true');
        await control('POST', `/owner/taker/swaps/${idOf(direction)}/refund`, {});
      } else {
        await rowOf(direction).getByText('Possible now').waitFor();
        await button.click();
      }
      await rowOf(direction).getByText('The provider was asked and did not sign.').waitFor();
    }
    await page.getByRole('heading', { name: 'Comes back by itself' }).waitFor();
  }, 240_000);

  test('with the operator away nothing is locked: the button says from when on, and Lightning needs none', async () => {
    const { page, control } = walk;
    for (const direction of ['lightning-arkade', 'bitcoin-arkade', 'bitcoin-lightning'] as const)
      await begin(direction);
    await control('POST', '/sandbox/lightning/fault', { next_payment: 'hangs' });
    await control('POST', '/sandbox/arkade/fault', { operator: 'away' });
    // All in one block: with one more, the coin for "evm-bitcoin" could be claimed.
    for (const direction of ['bitcoin-arkade', 'bitcoin-evm', 'bitcoin-lightning'] as const) {
      const { pay: at, give } = await swapOf(direction);
      await control('POST', '/sandbox/bitcoin/faucet', { address: at?.text ?? '', amount: Number(give.amount) });
    }
    await control('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
    // The page asks nobody to pay what would not be seen; a wallet that has the invoice pays it all the same.
    await walk.goTo(`swaps/${idOf('lightning-arkade')}`);
    await page.getByText('Do not pay now').waitFor();
    const { pay: invoice } = await swapOf('lightning-arkade');
    await control('POST', '/sandbox/lightning/pay', { bolt11: invoice?.text ?? '' });
    await until('bitcoin-arkade', ({ turn }) => turn.step === 'lock');
    await until('bitcoin-evm', ({ turn }) => turn.step === 'lock');
    await expect.poll(() => hanging(walk), { timeout: 60_000 }).toBe(3);
    await walk.goTo('refunds');
    // The provider pays for it still, and may succeed.
    await rowOf('bitcoin-lightning')
      .getByRole('button', { name: /^Take it back: / })
      .click();
    await rowOf('bitcoin-lightning').getByText('The provider was asked and did not sign.').waitFor();
    for (const direction of ['bitcoin-arkade', 'bitcoin-evm'] as const) {
      const { refund } = await swapOf(direction);
      await rowOf(direction)
        .getByText(`Not before ${momentText(refund.from ?? 0)}`)
        .waitFor();
      await rowOf(direction).getByText('the refund is not open yet').waitFor();
    }
    const button = rowOf('bitcoin-arkade').getByRole('button', { name: /^Take it back/ });
    for (const direction of ['lightning-arkade', 'lightning-evm', 'lightning-bitcoin'] as const)
      await rowOf(direction).getByText('A Lightning payment comes back by itself').waitFor();
    expect([await button.getAttribute('aria-disabled'), (await page.getByRole('row').count()) > 4]).toEqual([
      'true',
      true,
    ]);
  }, 150_000);

  test('once the locks are open all of it is back, to the last sat', async () => {
    await allIsBack(first);
  }, 240_000);

  test('a lock that meets none, for the operator is away, is back too once its time is over', async () => {
    const { control } = walk;
    await begin(last);
    // Where to pay is shown while its operator answers.
    await until(last, ({ pay }) => pay !== null);
    const swap = await swapOf(last);
    await control('POST', '/sandbox/arkade/fault', { operator: 'away' });
    await giveTokens(walk, swap);
    await until(last, ({ turn }) => turn.step === 'lock');
    await walk.goTo('refunds');
    await rowOf(last).getByText('Possible now').waitFor();
    await allIsBack([last]);
  }, 240_000);

  test('nothing was lost: the books say where every sat went, and the account has its tokens', async () => {
    const all = await Promise.all(walked.map(swapOf));
    const fees = await Promise.all(all.map((swap) => ownFees(walk, swap)));
    const moves = [...all.flatMap((swap) => movesOf(swap, 'outside')), ...fees.flat()];
    const rest = async () => {
      await walk.control('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
      return unexplained(before, await readBooks(walk), moves);
    };
    await expect.poll(rest, { timeout: 60_000, interval: 500 }).toEqual([]);
    const given = all.filter(({ give }) => give.network.startsWith('evm:')).map(({ give }) => give);
    const sum = given.reduce((total, { amount }) => total + BigInt(amount), 0n).toString();
    expect([await tokensOf(walk, given[0]!, account), walk.complaints]).toEqual([sum, []]);
  }, 90_000);
});

/** What comes back by itself, or by the locktime alone. */
const isSignedByNobody: ReadonlySet<TakerDirection> = new Set(['lightning-evm', 'lightning-bitcoin', 'bitcoin-evm']);

async function hanging({ control }: Walk): Promise<number> {
  const { faults } = await control<{ faults: { hanging: string[] } }>('GET', '/sandbox');
  return faults.hanging.length;
}
