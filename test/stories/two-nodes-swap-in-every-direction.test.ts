import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TakerQuote } from '../../engine/contract/taker-quotes.ts';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import type { TakerWays } from '../../engine/contract/taker-ways.ts';
import { takerDirections, takerInvoices, type TakerDirection } from '../../engine/domain/chain.ts';
import { chainId, startSecondNode } from './second-node.ts';
import { payFromOutside } from './pay-from-outside.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

/** The one who only swaps, and the provider whose sandbox both are on; between them is HTTP alone. */
let taker: WireNode;
let provider: WireNode;

beforeAll(async () => {
  provider = await startWireNode();
  taker = await startSecondNode(provider);
}, 240_000);

afterAll(async () => {
  await taker.stop();
  await provider.stop();
});

const amount = 40_000;
const ends = (direction: TakerDirection) => direction.split('-') as [string, string];

async function ways(): Promise<TakerWays['ways']> {
  return (await taker.owner('GET', '/owner/taker/ways'))['ways'] as unknown as TakerWays['ways'];
}

/** What the provider would do for the side that the create of the direction fixes. */
async function quoteFor(direction: TakerDirection): Promise<TakerQuote> {
  const [source, target] = ends(direction);
  const { quotes } = await taker.owner('POST', '/owner/taker/quotes', {
    direction,
    side: source === 'lightning' || target === 'evm' ? 'source' : 'target',
    amount: String(amount),
    ...(direction.includes('evm') ? { evm_chain_id: chainId } : {}),
  });
  const row = (quotes as unknown as TakerQuote[]).find(({ provider_url }) => provider_url === provider.url);
  if (row?.why !== null) throw new Error(`there is no offer for ${direction}: ${JSON.stringify(quotes)}`);
  return row;
}

async function open(direction: TakerDirection, quote?: TakerQuote): Promise<string> {
  const { source_amount, target_amount } = quote ?? (await quoteFor(direction));
  const { id } = await taker.owner('POST', '/owner/taker/swaps', {
    direction,
    amount_sats: amount,
    provider_url: provider.url,
    most_source_amount: source_amount,
    least_target_amount: target_amount,
    ...(takerInvoices[direction] === 'owner' ? { invoice: (await provider.invoice(amount)).bolt11 } : {}),
    ...(direction.includes('evm') ? { evm_chain_id: chainId } : {}),
    ...(ends(direction)[1] === 'evm' ? { target_address: `0x${randomBytes(20).toString('hex')}` } : {}),
  });
  return String(id);
}

async function swapOf(id: string): Promise<TakerSwap> {
  return (await taker.owner('GET', `/owner/taker/swaps/${id}`)) as unknown as TakerSwap;
}

/** Blocks come like on a quick day: many at once would bring the timeouts of payments nearer. */
const blockMs = 2_000;

async function withBlocks<T>(
  direction: TakerDirection,
  read: () => Promise<T>,
  test: (value: T) => boolean,
): Promise<T> {
  let block = performance.now();
  return await eventually(
    async () => {
      if (direction.includes('bitcoin') && performance.now() - block > blockMs) {
        await provider.owner('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
        block = performance.now();
      }
      return await read();
    },
    test,
    120_000,
  );
}

test('every way that one node provides is taken by another, and what was shown is what arrives', async () => {
  const offered = await eventually(
    ways,
    (all) => takerDirections.every((one) => all.some(({ direction }) => direction === one)),
    60_000,
  );
  expect(new Set(offered.map(({ direction }) => direction))).toEqual(new Set(takerDirections));
  // Two wait for tokens at one account, and either would take those of the other: all are opened before any is paid.
  const opened = await Promise.all(
    takerDirections.map(async (direction) => {
      const id = await open(direction);
      return eventually(
        () => swapOf(id),
        ({ phase }) => phase === 'pay',
        30_000,
      );
    }),
  );
  const swaps = await Promise.all(
    opened.map(async (swap) => {
      await payFromOutside(provider, swap);
      return withBlocks(
        swap.direction,
        () => swapOf(swap.id),
        ({ open: goesOn }) => !goesOn,
      );
    }),
  );
  const records = await Promise.all(
    swaps.map(({ direction, provider_swap_id: id }) =>
      withBlocks(
        direction,
        () => provider.get(`/swap/${id ?? ''}`),
        ({ status }) => status === 'serverredeemed',
      ),
    ),
  );
  expect(swaps.map(({ direction, outcome, provider_url }) => ({ direction, outcome, provider_url }))).toEqual(
    takerDirections.map((direction) => ({ direction, outcome: 'finished', provider_url: provider.url })),
  );
  expect(records.map(({ source_amount, target_amount }) => [source_amount, target_amount])).toEqual(
    swaps.map(({ give, get }) => [give.amount, get.amount]),
  );
}, 300_000);

test('a price that got worse is refused at the create, and the next quote is the new one', async () => {
  const shown = await quoteFor('lightning-arkade');
  await provider.owner('PATCH', '/owner/settings', { terms: { feeBps: 89 } });
  await expect(open('lightning-arkade', shown)).rejects.toThrow(/403.*The price got worse/);
  const anew = await quoteFor('lightning-arkade');
  expect(Number(anew.target_amount)).toBeLessThan(Number(shown.target_amount));
  await open('lightning-arkade', anew);
  await provider.owner('PATCH', '/owner/settings', { terms: { feeBps: null } });
}, 60_000);
