import { afterEach, expect, test, vi } from 'vitest';
import type { TermsPreview } from '../../engine/contract/owner/terms.ts';
import type { Quote, SwapPairs } from '../../engine/contract/records/market.ts';
import type { JsonValue } from '../../engine/contract/wire.ts';
import { isRefusal, refuse, type Refusal } from '../../engine/domain/errors.ts';
import { noSats, sats, tokenAmount, type Sats } from '../../engine/domain/money.ts';
import { seconds } from '../../engine/domain/time.ts';
import type { ServiceContext } from '../../engine/service/context.ts';
import { lightningArkadeDirection } from '../../engine/service/directions/lightning-arkade.ts';
import { arkadeLightningDirection } from '../../engine/service/directions/arkade-lightning.ts';
import { directions } from '../../engine/service/directions/directions.ts';
import { rateOf, rateToTell, referralFee } from '../../engine/service/price/rate.ts';
import { spreadNow } from '../../engine/service/price/inventory.ts';
import { createSpreads } from '../../engine/service/price/spreads.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
afterEach(() => scene.end());

type Terms = Readonly<Record<string, JsonValue>>;

async function quoted(source: 'Arkade' | 'Lightning', amount = 1_000_000): Promise<Quote> {
  const target = source === 'Arkade' ? 'Lightning' : 'Arkade';
  const answer = await scene.node.service.quote(
    {
      source: { chain: source, token: 'btc' },
      target: { chain: target, token: 'btc' },
      amount: { pinned: 'source', amount: tokenAmount(amount) },
      bridgeSource: null,
      bridgeTarget: null,
      referralCode: null,
      extraFeesBps: 0,
    },
    null,
  );
  if (isRefusal(answer)) throw new Error(answer.sentence);
  return answer;
}

const parts = (quote: Quote) => [quote.protocol_fee, quote.network_fee, quote.net_target_amount];

async function change(terms: Terms): Promise<string> {
  const answer = await scene.node.service.owner.changeSettings({ terms });
  return isRefusal(answer) ? answer.sentence : 'changed';
}

async function preview(terms: Terms, amounts: readonly number[] = []): Promise<TermsPreview | Refusal> {
  return scene.node.service.owner.previewTerms({ terms, amounts: amounts.map((amount) => sats(amount)) });
}

const dear = { directions: { 'lightning-arkade': { feeBps: 100, flatSats: 50, minSats: 5_000, maxSats: 200_000 } } };

test('one direction changes by its own terms, in quotes, lists and creates, and no other does', async () => {
  scene = await openScene();
  const before = [parts(await quoted('Lightning', 100_000)), parts(await quoted('Arkade', 100_000))];
  expect(await change(dear)).toBe('changed');
  const [to, from] = [await quoted('Lightning', 100_000), await quoted('Arkade', 100_000)];
  expect([before, parts(to), parts(from)]).toEqual([
    [
      [250, 0, '99750'],
      [250, 10, '99740'],
    ],
    [1_000, 50, '98950'],
    [250, 10, '99740'],
  ]);
  expect([to.min_amount, to.max_amount, to.protocol_fee_rate, from.min_amount, from.max_amount]).toEqual([
    5_000, 200_000, 0.01, 1_000, 10_000_000,
  ]);
  const { pairs } = (await scene.node.service.pairs()) as SwapPairs;
  expect(pairs.map((pair) => [pair.source, pair.fee_percentage, pair.network_fee_sats, pair.min_sats])).toEqual([
    ['Lightning', 0.01, 50, 5_000],
    ['Arkade', 0.0025, 10, 1_000],
  ]);
  const record = await scene.client.createLightningArkade(scene.node, 100_000n, scene.client.secret());
  expect([record.target_amount, record.fee_sats, record.network_fee_sats]).toEqual(['98950', 1_050, 0]);
  await expect(scene.client.createLightningArkade(scene.node, 300_000n, scene.client.secret())).rejects.toThrow(
    'Max amount is 200000 sats',
  );
});

test('a share of the flat fee may be spent on a route, as of the fee itself', async () => {
  scene = await openScene({ config: { terms: { directions: { 'arkade-lightning': { flatSats: 100 } } } } });
  const { id, fee_sats } = await scene.client.createArkadeLightning(
    scene.node,
    scene.world.invoice(100_000n).bolt11,
    100_000n,
  );
  const { terms } = scene.node.runtime.workingSet.find(id)!.row as unknown as { terms: { maxFeeMsat: bigint } };
  expect([fee_sats, terms.maxFeeMsat]).toEqual([350, 10_000n + 175_000n]);
});

test('a minimum below what the operator keeps is refused, and a lower one for all is raised to it', async () => {
  scene = await openScene();
  const { dust } = await scene.node.ports.arkade!.info();
  const low = { directions: { 'arkade-lightning': { minSats: Number(dust) - 1 } } };
  const sentence =
    `terms.directions.arkade-lightning.minSats is ${dust - 1n}, and the Arkade operator keeps no coin below ${dust} ` +
    'sats: set at least that, or leave it out.';
  expect([await change(low), await preview(low)]).toEqual([sentence, refuse('invalid', sentence)]);
  expect(await change({ minSats: 1 })).toBe('changed');
  expect((await quoted('Arkade', 100_000)).min_amount).toBe(Number(dust));
  expect(await change({ directions: { 'arkade-lightning': { minSats: Number(dust) } } })).toBe('changed');
});

test('fault 252, lightning: the least of a swap from Lightning is what its channels surely hold', async () => {
  scene = await openScene({
    async beforeStart({ ports }) {
      const port = ports.lightning!;
      const read = port.liquidity.bind(port);
      vi.spyOn(port, 'liquidity').mockImplementation(async () => ({ ...(await read()), leastHeld: sats(1_354) }));
    },
  });
  const low = { directions: { 'lightning-arkade': { minSats: 1_353 } } };
  expect(await change(low)).toBe(
    'terms.directions.lightning-arkade.minSats is 1353, and a payment below 1354 sats is not surely held by the ' +
      'channels of the Lightning node: set at least that, or leave it out.',
  );
  expect(await change({ minSats: 1 })).toBe('changed');
  expect((await quoted('Lightning', 100_000)).min_amount).toBe(1_354);
});

test('fault 274, lightning: the least of a swap from Lightning is worth claiming by what blocks ask for', async () => {
  scene = await openScene();
  scene.world.bitcoin.setFeeRate(60);
  const least = 2 * Math.ceil((60 * 1_108) / 4);
  await eventually(async () => (await quoted('Lightning', 100_000)).min_amount === least, 'it is refused below that');
  scene.world.bitcoin.setFeeRate(1);
});

test('a preview says for each pair what quotes would say, and changes nothing', async () => {
  scene = await openScene();
  const amounts = [1_000, 100_000, 400_000];
  const shown = await preview(dear, amounts);
  if (isRefusal(shown)) throw new Error(shown.sentence);
  const now = await Promise.all(amounts.map(async (amount) => (await quoted('Lightning', amount)).net_target_amount));
  expect(await change(dear)).toBe('changed');
  const then = await Promise.all(amounts.map(async (amount) => (await quoted('Lightning', amount)).net_target_amount));
  const pair = shown.pairs.find(({ direction }) => direction === 'lightning-arkade');
  expect([
    pair?.quotes.map((one) => `${one.now.payout_sats}`),
    pair?.quotes.map((one) => `${one.then.payout_sats}`),
    pair?.quotes.map((one) => one.then.refused),
    [pair?.now.fee_bps, pair?.then],
  ]).toEqual([
    now,
    then,
    [
      'Min amount is 5000 sats; the swap would pay out 940: ask for more.',
      null,
      'Max amount is 200000 sats; the swap would pay out 395950: ask for less.',
    ],
    [25, { fee_bps: 100, spread_bps: 0, flat_sats: 50, min_sats: 5_000, max_sats: 200_000 }],
  ]);
  const other = shown.pairs.find(({ direction }) => direction === 'arkade-lightning');
  expect(other?.quotes.map((one) => one.then)).toEqual(other?.quotes.map((one) => one.now));
});

test('what cannot be is refused by the preview with the sentence of the change', async () => {
  scene = await openScene();
  for (const terms of [
    { feeBps: 84 },
    { directions: { 'arkade-lightning': { maxSats: 10 } } },
    { termz: 1 },
  ] as Terms[])
    expect(await preview(terms)).toEqual(refuse('invalid', (await change(terms)) as never));
});

/** The node with so much on each side. */
function holding(arkade: Sats, lightning: Sats, terms: object): ServiceContext {
  const { node } = scene;
  const context = node as unknown as ServiceContext;
  return {
    ...context,
    directions,
    config: { ...node.config, terms: { ...node.config.terms, ...terms } },
    networks: { ...node.networks, arkadeFree: () => arkade, outboundFree: () => lightning },
    spreads: createSpreads(node.runtime),
  };
}

const inventory = { spreadBps: 40, belowShareBps: 2_500 };
const none = { extraFeesBps: 0, referralCode: null };

test('the spread widens the way out of the side that runs dry, and no other', async () => {
  scene = await openScene();
  const spreads = (arkade: number, lightning: number, terms: object = { inventory }) => {
    const context = holding(sats(arkade), sats(lightning), terms);
    return [spreadNow(context, lightningArkadeDirection), spreadNow(context, arkadeLightningDirection)];
  };
  expect([spreads(0, 1_000), spreads(125, 875), spreads(500, 500), spreads(1_000, 0), spreads(0, 1_000, {})]).toEqual([
    [40, 0],
    [20, 0],
    [0, 0],
    [0, 40],
    [0, 0],
  ]);
});

test('what was promised to a swap that nobody paid yet moves no spread', async () => {
  scene = await openScene();
  const context = holding(sats(900), sats(1_000), { inventory });
  const before = spreadNow(context, lightningArkadeDirection);
  scene.node.runtime.store.reservations.hold('swap', { network: 'arkade', asset: 'btc', amount: 900_000n });
  const after = { ...context, networks: { ...context.networks, arkadeFree: () => noSats } };
  expect([before, spreadNow(after, lightningArkadeDirection)]).toEqual([0, 0]);
});

test('a create adds no more than a quote of the last two minutes told, and an exempt code pays the spread', async () => {
  scene = await openScene();
  const context = holding(sats(200), sats(800), { inventory, exemptReferralCodes: ['friends'] });
  const bps = (of: typeof rateOf, from: ServiceContext, referralCode: string | null = null) => {
    const rate = of(from, lightningArkadeDirection, { ...none, referralCode }, null);
    return isRefusal(rate) ? rate : rate.bps;
  };
  const first = bps(rateToTell, context);
  const drier = { ...context, networks: { ...context.networks, arkadeFree: () => noSats } };
  expect([first, bps(rateOf, drier), bps(rateToTell, drier), bps(rateOf, drier)]).toEqual([33, 33, 65, 33]);
  expect([bps(rateToTell, drier, 'friends'), referralFee(context, { ...none, referralCode: 'friends' }, null)]).toEqual(
    [40, { extra_fee_rate: -0.0025, referral_label: 'friends' }],
  );
  await scene.world.advance(seconds(121));
  expect([bps(rateOf, drier), bps(rateToTell, drier)]).toEqual([65, 65]);
});

test('an exempt code takes off the lowest fee of all, so that nobody is shown less than is charged', async () => {
  scene = await openScene();
  const own = { 'lightning-arkade': { feeBps: 100 }, 'arkade-lightning': { feeBps: 10 } };
  const context = holding(sats(1), sats(1), { exemptReferralCodes: ['friends'], directions: own });
  const surcharge = { extraFeesBps: 0, referralCode: 'friends' };
  const charged = rateOf(context, lightningArkadeDirection, surcharge, null);
  expect([referralFee(context, surcharge, null), isRefusal(charged) ? charged : charged.bps]).toEqual([
    { extra_fee_rate: -0.001, referral_label: 'friends' },
    0,
  ]);
});
