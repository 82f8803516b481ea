import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import type { TakerDirection } from '../../../engine/domain/chain.ts';
import type { Walk } from './walk.ts';

export type Payer = 'outside' | 'own wallet';

/** How a person swaps in a direction, and who else's money moves by it. */
export interface Way {
  /** Both sides as the form calls them: by the token where a network has several. */
  readonly give: string;
  readonly get: string;
  /** What has to be filled in, by a press in the sandbox; null where it goes to the own wallet. */
  readonly target: 'invoice' | 'address' | null;
  /** Who pays it where nothing else is tried. */
  readonly payer: Payer;
}

/** Every direction is walked. */
export const ways = {
  'lightning-arkade': { give: 'Lightning', get: 'Arkade', target: null, payer: 'outside' },
  'arkade-lightning': { give: 'Arkade', get: 'Lightning', target: 'invoice', payer: 'own wallet' },
  'arkade-evm': { give: 'Arkade', get: 'WBTC Polygon', target: 'address', payer: 'outside' },
  'bitcoin-arkade': { give: 'Bitcoin', get: 'Arkade', target: null, payer: 'outside' },
  'bitcoin-evm': { give: 'Bitcoin', get: 'WBTC Polygon', target: 'address', payer: 'outside' },
  'lightning-evm': { give: 'Lightning', get: 'WBTC Polygon', target: 'address', payer: 'outside' },
  'bitcoin-lightning': { give: 'Bitcoin', get: 'Lightning', target: 'invoice', payer: 'outside' },
  'lightning-bitcoin': { give: 'Lightning', get: 'Bitcoin', target: null, payer: 'outside' },
  'evm-lightning': { give: 'WBTC Polygon', get: 'Lightning', target: 'invoice', payer: 'outside' },
  'evm-bitcoin': { give: 'WBTC Polygon', get: 'Bitcoin', target: null, payer: 'outside' },
  'evm-arkade': { give: 'WBTC Polygon', get: 'Arkade', target: null, payer: 'outside' },
  'arkade-bitcoin': { give: 'Arkade', get: 'Bitcoin', target: null, payer: 'own wallet' },
} as const satisfies { readonly [D in TakerDirection]: Way };
export const walked = Object.keys(ways) as readonly TakerDirection[];

async function pick({ page }: Pick<Walk, 'page'>, side: string, network: string): Promise<void> {
  await page.getByRole('combobox', { name: new RegExp(`^${side}`) }).click();
  await page.getByRole('option', { name: new RegExp(network) }).click();
}

/** What a person pastes and chooses where it is not the sandbox's and the best. */
export interface Choices {
  readonly destination?: string | null;
  /** A provider by its host. */
  readonly provider?: string;
}

const mostReviews = 4;

/** Fills in the form and makes the swap; the page shows where to pay. Resolves with its id. */
export async function make(
  at: Pick<Walk, 'page' | 'goTo'>,
  direction: TakerDirection,
  { destination = null, provider }: Choices = {},
): Promise<string> {
  const { page } = at;
  const { give, get, target }: Way = ways[direction];
  await at.goTo('activity');
  await at.goTo('swap');
  await page.getByRole('heading', { name: 'Swap', exact: true }).waitFor();
  await pick(at, 'You give', give);
  await pick(at, 'You get', get);
  if (destination !== null) await page.getByLabel('Send it to').fill(destination);
  else if (target === 'invoice')
    await page.getByRole('button', { name: 'Take an invoice of the sandbox’s wallet' }).click();
  else if (target === 'address') await page.getByRole('button', { name: 'Take an address of the sandbox' }).click();
  if (target === 'invoice') await page.getByText(/^Lightning invoice over/).waitFor();
  if (provider !== undefined) {
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('radio', { name: provider }).check();
  }
  const review = page.getByRole('button', { name: /^Review and pay [\d,.]+ / });
  const paying = page.locator('[data-phase=pay]');
  const worse = page.getByRole('alert').getByText('The price got worse');
  // Gas may cost more by then: the form has the new price, and it is reviewed again. On a busy machine more than once.
  for (let reviews = 0; ; reviews++) {
    await review.click();
    await page.getByRole('button', { name: /^Make it, then pay / }).click();
    await paying
      .or(worse)
      .first()
      .waitFor()
      .catch(async (cause: unknown) => {
        throw new Error(`the page says: ${await page.getByRole('main').innerText()}`, { cause });
      });
    if (reviews === mostReviews || !(await worse.isVisible())) break;
    await page.getByRole('button', { name: 'Change it' }).click();
  }
  await paying.waitFor();
  return decodeURIComponent(new URL(page.url()).hash.split('/')[2] ?? '');
}

/** On the page that shows where: from outside, or with the wallet of the node. */
export async function pay({ page }: Walk, from: Payer = 'outside'): Promise<void> {
  const name = from === 'outside' ? /^Pay from the sandbox/ : 'Pay from your wallet';
  await page.getByRole('button', { name }).click();
  await page.locator('[data-phase=pay]').waitFor({ state: 'detached' });
}

/** The receipt is there: of a coin on the Bitcoin chain once it is six blocks deep. */
export async function arrive({ page }: Walk): Promise<void> {
  await page.locator('[data-outcome=finished]').waitFor({ timeout: 90_000 });
}

/** The same where the page shows no place to pay: the account of the swap gets its tokens, and coins for gas. */
export async function giveTokens({ control }: Walk, { give, pay: to }: TakerSwap): Promise<void> {
  const chain = give.network.replace('evm:', '');
  const coin = `0x${'00'.repeat(20)}`;
  for (const [token, amount] of [
    [coin, String(10n ** 18n)],
    [give.token ?? coin, to?.amount ?? give.amount],
  ] as const)
    await control('POST', `/sandbox/evm/${chain}/faucet`, { address: to?.text ?? '', token, amount });
}
