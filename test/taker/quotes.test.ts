import { afterAll, beforeAll, expect, test } from 'vitest';
import { takerQuotes, type TakerQuote, type TakerQuotesRequest } from '../../engine/contract/taker-quotes.ts';
import { isRefusal, type Refusal } from '../../engine/domain/errors.ts';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import type { Offer } from '../../engine/taker/port.ts';
import type { ProviderPort } from '../../engine/taker/port.ts';
import { everything, startPair, type Pair } from './pair.ts';

let pair: Pair;
const calls = new Map<string, number>();

/** The same provider at many addresses, each of which answers in its own way. */
const strange: Readonly<Record<string, (honest: Offer) => Offer | Promise<Offer>>> = {
  'https://dear.example': (honest) => (honest.is === 'offer' ? { ...honest, target: honest.target - 500n } : honest),
  'https://cheap.example': (honest) => (honest.is === 'offer' ? { ...honest, target: honest.target + 1n } : honest),
  'https://silent.example': () => new Promise<never>(() => undefined),
};

beforeAll(async () => {
  const provider = (xpub: string, url: string): ProviderPort => {
    const honest = () => pair.provider.asProvider(xpub);
    return new Proxy({} as ProviderPort, {
      get: (_, name: keyof ProviderPort) => {
        if (name !== 'offer' || url === '')
          return (...args: never[]) => (honest()[name] as (...given: never[]) => unknown)(...args);
        return async (...args: Parameters<ProviderPort['offer']>) => {
          calls.set(url, (calls.get(url) ?? 0) + 1);
          return (strange[url] ?? ((one) => one))(await honest().offer(...args));
        };
      },
    });
  };
  const config = { taker: { providers: ['https://honest.example/', ...Object.keys(strange)] } };
  pair = await startPair({ taker: { provider, config } });
});
afterAll(() => pair.stop());

async function quotes(request: Partial<TakerQuotesRequest> = {}): Promise<readonly TakerQuote[]> {
  const answered = await pair.taker.service.owner.taker?.quotes({
    direction: 'lightning-arkade',
    side: 'source',
    amount: tokenAmount(50_000n),
    chainId: null,
    ...request,
  });
  if (answered === undefined || isRefusal(answered)) throw new Error('there are no quotes');
  return takerQuotes.parse(answered).quotes;
}

const line = ({ provider_url, why, target_amount }: TakerQuote) => [provider_url, why ?? target_amount];

test('what arrives is compared, the best first, and who is slow holds nobody up', async () => {
  const first = await quotes();
  const again = await quotes();
  expect([first.map(line), first.at(0), again, [...calls.values()]]).toEqual([
    [
      ['https://cheap.example', '49876'],
      ['', '49875'],
      ['https://honest.example', '49875'],
      ['https://dear.example', '49375'],
      ['https://silent.example', 'away'],
    ],
    {
      provider_url: 'https://cheap.example',
      why: null,
      detail: null,
      source_amount: '50000',
      target_amount: '49876',
      costs: [{ part: 'service', sats: 125 }],
      min_sats: 1_000,
      max_sats: expect.any(Number) as never,
      usual_seconds: null,
      pay_seconds: null,
      cases: [
        { case: 'usual', seconds: 15, most_sats: 125 },
        { case: 'slow', seconds: 39_600, most_sats: 125 },
        { case: 'provider', seconds: null, most_sats: 0 },
        { case: 'operator', seconds: 67_236, most_sats: 24_938 },
      ],
      worst_seconds: null,
    },
    first,
    [1, 1, 1, 1],
  ]);
});

test('how long it takes is known of the way back by our own rules, and of arrivals once there are three', async () => {
  for (let made = 0; made < 3; made++) {
    const id = await pair.toLightning(pair.world.invoice(20_000n).bolt11, 20_000n);
    const { address, amount_sats } = await pair.listed(id);
    pair.world.faucet(address ?? '', BigInt(amount_sats));
    await pair.taker.until(id, 'done');
  }
  const rows = await quotes({ direction: 'arkade-lightning', side: 'target' });
  const own = rows.find(({ provider_url }) => provider_url === '');
  const other = rows.find(({ provider_url }) => provider_url === 'https://honest.example');
  expect([own?.usual_seconds, own?.worst_seconds, other?.usual_seconds, other?.worst_seconds]).toEqual([
    expect.any(Number),
    7 * 86_400 + 3 * 3_600,
    null,
    7 * 86_400 + 3 * 3_600,
  ]);
});

test('what others list can be taken, although this node itself offers none of it', async () => {
  const all = await pair.taker.service.owner.taker?.ways();
  const own = await pair.taker.asProvider('').pairs(AbortSignal.timeout(2_000));
  if (all === undefined || isRefusal(all)) throw new Error('there are no ways');
  expect([all.ways.map(({ direction, source, target }) => [direction, source.chain, target.chain]), own]).toEqual([
    [
      ['lightning-arkade', 'Lightning', 'Arkade'],
      ['arkade-lightning', 'Arkade', 'Lightning'],
    ],
    [],
  ]);
});

async function create(bounds: { mostSource?: bigint; leastTarget?: bigint }): Promise<{ id: string } | Refusal> {
  return await pair.taker.taker.create({
    direction: 'lightning-arkade',
    amount: sats(50_000n),
    invoice: null,
    provider: 'https://cheap.example',
    ...(bounds.mostSource === undefined ? {} : { mostSource: tokenAmount(bounds.mostSource) }),
    ...(bounds.leastTarget === undefined ? {} : { leastTarget: tokenAmount(bounds.leastTarget) }),
  });
}

test('a provider that showed more than it gives begins nothing, and one that holds its word does', async () => {
  const before = await pair.taker.taker.swaps(everything);
  const lied = await create({ leastTarget: 49_876n });
  const dear = await create({ mostSource: 49_999n });
  const after = await pair.taker.taker.swaps(everything);
  const begun = await create({ mostSource: 50_000n, leastTarget: 49_875n });
  expect([lied, dear, after, isRefusal(begun)]).toEqual([
    { refusal: 'forbidden', sentence: expect.stringContaining('49875 would arrive, at least 49876 were agreed') },
    { refusal: 'forbidden', sentence: expect.stringContaining('50000 would have to be given, at most 49999') },
    before,
    false,
  ]);
});
