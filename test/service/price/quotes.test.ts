import { afterEach, expect, test } from 'vitest';
import type { Chain } from '../../../engine/domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../../engine/domain/errors.ts';
import { sats, tokenAmount } from '../../../engine/domain/money.ts';
import type { Quote } from '../../../engine/contract/records/market.ts';
import type { Payee } from '../../../engine/contract/requests/common.ts';
import type { TokenAmount } from '../../../engine/domain/money.ts';
import type { NodeOptions } from '../../support/node.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;

afterEach(() => scene.end());

async function start(options: NodeOptions = {}): Promise<void> {
  scene = await openScene(options);
}

async function quoted(
  source: Chain,
  target: Chain,
  pinned: 'source' | 'target',
  amount: number,
): Promise<Quote | Refusal> {
  const bitcoin = (chain: Chain) => ({ chain, token: 'btc' });
  return scene.node.service.quote(
    {
      source: bitcoin(source),
      target: bitcoin(target),
      amount: { pinned, amount: tokenAmount(amount) },
      bridgeSource: null,
      bridgeTarget: null,
      referralCode: null,
      extraFeesBps: 0,
    },
    null,
  );
}

async function send(payee: Payee<TokenAmount>) {
  return scene.node.service.lightningSendQuote(
    { sourceChain: 'Arkade', sourceToken: null, sourceInSats: false, payee, referralCode: null, extraFeesBps: 0 },
    null,
  );
}

const address = (pinned: 'source' | 'target', amount: number): Payee<TokenAmount> => ({
  is: 'address',
  text: 'alice@example.com',
  amount: pinned === 'source' ? { pinned, amount: tokenAmount(amount) } : { pinned, amount: sats(amount) },
});

test('the amounts of a quote are bare, and its net amounts are what the create moves', async () => {
  await start();
  const amounts = ({
    source_amount,
    target_amount,
    net_source_amount,
    net_target_amount,
    exchange_rate,
    protocol_fee,
    network_fee,
  }: Quote) => [
    source_amount,
    target_amount,
    net_source_amount,
    net_target_amount,
    exchange_rate,
    protocol_fee,
    network_fee,
  ];
  const all = await Promise.all(
    (
      [
        ['Lightning', 'Arkade', 'source'],
        ['Lightning', 'Arkade', 'target'],
        ['Arkade', 'Lightning', 'source'],
        ['Arkade', 'Lightning', 'target'],
      ] as const
    ).map(([source, target, pinned]) => quoted(source, target, pinned, 1_000_000)),
  );
  expect(all.map((one) => (isRefusal(one) ? one : amounts(one)))).toEqual([
    ['1000000', '1000000', '1000000', '997500', '1', 2_500, 0],
    ['1000000', '1000000', '1002500', '1000000', '1', 2_500, 0],
    ['1000000', '1000000', '1000000', '997490', '1', 2_500, 10],
    ['1000000', '1000000', '1002510', '1000000', '1', 2_500, 10],
  ]);
  const [fromLightning, toLightning] = [
    await scene.client.createLightningArkade(scene.node, 1_000_000n, scene.client.secret()),
    await scene.client.createArkadeLightning(scene.node, scene.world.invoice(1_000_000n).bolt11, 1_000_000n),
  ];
  expect(
    [fromLightning, toLightning].map(({ source_amount, target_amount }) => [source_amount, target_amount]),
  ).toEqual([
    ['1000000', '997500'],
    ['1002510', '1000000'],
  ]);
});

test('each cost of a pair is in one place, so that the sum of clients is what the create takes', async () => {
  await start();
  const { pairs } = (await scene.node.service.pairs()) as {
    pairs: { source: string; target: string; fee_percentage: number; network_fee_sats: number }[];
  };
  const fees = (await scene.node.service.networkFees()) as {
    pairs: { source: string; target: string; fees: { source_sats: number; target_sats: number } }[];
  };
  const sums = pairs.map((pair, at) => {
    const {
      source,
      target,
      fees: parts,
    } = fees.pairs[at] ?? { source: '', target: '', fees: { source_sats: Number.NaN, target_sats: 0 } };
    return {
      pair: [pair.source, pair.target],
      same: source === pair.source && target === pair.target,
      sum: pair.network_fee_sats + parts.source_sats + parts.target_sats,
    };
  });
  const direct = await Promise.all(
    sums.map(({ pair: [source, target] }) => quoted(source as Chain, target as Chain, 'source', 50_000)),
  );
  expect([sums, fees.pairs.length]).toEqual([
    direct.map((one, at) => ({ pair: sums[at]?.pair, same: true, sum: isRefusal(one) ? one : one.network_fee })),
    2,
  ]);
});

test('a quote is refused where its create would answer 503', async () => {
  const unavailable = (sentence: RegExp) => refuse('unavailable', expect.stringMatching(sentence) as never);
  await start({ coins: { count: 0, sats: 0n }, config: { caps: { perHourSats: 150_000 } } });
  const toArkade = () => quoted('Lightning', 'Arkade', 'source', 50_000);
  const toLightning = (amount = 50_000) => quoted('Arkade', 'Lightning', 'target', amount);
  const [dry, fine] = [await toArkade(), await toLightning()];
  expect([dry, isRefusal(fine) ? fine : [fine.min_amount, fine.max_amount]]).toEqual([
    unavailable(/not enough liquidity/),
    [1_000, 150_000],
  ]);
  // Only what could be swapped is listed, and never with a smallest amount above the largest.
  expect([
    ((await scene.node.service.pairs()) as { pairs: { source: string }[] }).pairs.map(({ source }) => source),
    await scene.node.service.tokens({ source: null, target: null }),
  ]).toEqual([
    ['Arkade'],
    {
      btc_tokens: [expect.objectContaining({ chain: 'Arkade' }), expect.objectContaining({ chain: 'Lightning' })],
      evm_tokens: [],
    },
  ]);
  await scene.client.createArkadeLightning(scene.node, scene.world.invoice(149_500n).bolt11, 149_500n);
  expect([await toLightning(), await send(address('target', 1_000))]).toEqual([
    unavailable(/ceiling is reached/),
    unavailable(/ceiling is reached/),
  ]);
  await scene.node.service.owner.pause('for the night');
  expect([
    await toLightning(),
    await send(address('target', 1_000)),
    await scene.node.service.pairs(),
    await scene.node.service.networkFees(),
  ]).toEqual([unavailable(/for the night/), unavailable(/for the night/), { pairs: [] }, { pairs: [] }]);
});

test('without Lightning nothing is quoted', async () => {
  await start({ without: ['lightning'] });
  expect([await quoted('Lightning', 'Arkade', 'source', 50_000), await send(address('target', 50_000))]).toEqual(
    [1, 2].map(() => refuse('unavailable', expect.stringContaining('needs a Lightning node') as never)),
  );
});

test('a surcharge and a referral code change the fee by what is added to it', async () => {
  await start({ config: { terms: { exemptReferralCodes: ['friends'] } } });
  const made = await scene.node.service.owner.newDeveloperKey({ name: 'wallet', maxExtraFeeBps: 50 });
  if (isRefusal(made)) throw new Error(made.sentence);
  const fee = (referralCode: string | null, extraFeesBps: number, key: string | null = null) =>
    scene.node.service.referralFee({ referralCode, extraFeesBps }, key);
  expect([
    await fee(null, 0),
    await fee('nobody', 0),
    await fee('friends', 0),
    await fee(null, 40, made.key),
    await fee(null, 60, made.key),
    await fee(null, 1),
  ]).toEqual([
    { extra_fee_rate: 0 },
    { extra_fee_rate: 0 },
    { extra_fee_rate: -0.0025, referral_label: 'friends' },
    { extra_fee_rate: 0.004 },
    refuse('invalid', expect.stringContaining('the limit of this developer key is 50') as never),
    refuse('invalid', expect.stringContaining('without a developer key is 0') as never),
  ]);
});

test('those who help users are shown as the owner named them', async () => {
  const npub = `npub1${'q'.repeat(58)}`;
  await start({ config: { support: { agents: [npub] } } });
  expect(scene.node.service.supportAgents()).toEqual({ agents: [{ npub }] });
});

test('a payout over Lightning is quoted net, after its destination was asked', async () => {
  const questions: unknown[] = [];
  let answer: Refusal | null = null;
  await start({
    resolver: {
      resolve: async () => refuse('invalid', 'A quote asks for no invoice.'),
      check: async (target, amount) => {
        questions.push([target, amount]);
        return answer;
      },
    },
  });
  const invoice = scene.world.invoice(50_000n);
  const paid = await send({ is: 'invoice', bolt11: invoice.bolt11, amount: sats(50_000) });
  const created = await scene.client.createArkadeLightning(scene.node, invoice.bolt11, 50_000n);
  expect([paid, isRefusal(paid) ? null : [paid.source_amount, paid.target_amount_sats.toString()]]).toEqual([
    {
      source_amount: '50135',
      source_amount_sats: 50_135,
      target_amount_sats: 50_000,
      protocol_fee_sats: 125,
      network_fee_sats: 10,
      protocol_fee_rate: 0.0025,
      min_amount_sats: 1_000,
      max_amount_sats: 10_000_000,
      exchange_rate: '1',
    },
    [created.source_amount, created.target_amount],
  ]);
  const [bySource, byTarget] = [await send(address('source', 50_135)), await send(address('target', 50_000))];
  expect(
    [bySource, byTarget].map((one) => (isRefusal(one) ? one : [one.source_amount_sats, one.target_amount_sats])),
  ).toEqual([
    [50_135, 50_000],
    [50_135, 50_000],
  ]);
  expect(questions).toEqual([1, 2].map(() => [{ lightning_address: 'alice@example.com' }, 50_000n]));
  answer = refuse('unavailable', 'The payee at example.com did not answer.');
  expect([
    await send(address('target', 50_000)),
    await send(address('target', 999)),
    await send(address('source', 100_000_000)),
  ]).toEqual([
    refuse('invalid', 'The payee at example.com did not answer.'),
    refuse('invalid', expect.stringContaining('Min amount is 1000 sats') as never),
    refuse('invalid', expect.stringContaining('Max amount is 10000000 sats') as never),
  ]);
  // Refused before anybody outside was asked.
  expect(questions).toHaveLength(3);
});

test('a payout to an invoice that cannot be paid any more is quoted to nobody', async () => {
  await start();
  const { bolt11 } = scene.world.invoice(50_000n);
  await scene.world.advance(90_000);
  expect([
    await send({ is: 'invoice', bolt11, amount: sats(50_000) }),
    await send({ is: 'invoice', bolt11: 'lnbcrt1nonsense', amount: sats(50_000) }),
  ]).toEqual([
    refuse('invalid', expect.stringMatching(/expire/) as never),
    refuse('invalid', expect.any(String) as never),
  ]);
});
