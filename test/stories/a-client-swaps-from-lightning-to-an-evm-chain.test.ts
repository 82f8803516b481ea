import { afterAll, beforeAll, expect, test } from 'vitest';
import { text, whole, type Json } from './client/http.ts';
import { balanceOn, claimAlone, claimGasless, lightningToEvm, signedClaim, type Wish } from './client/to-evm.ts';
import { eventually, offered, startWireNode, type WireNode } from './wire-node.ts';

const coin = `0x${'00'.repeat(20)}`;
let node: WireNode;
let rpcUrl: string;
let tokens: Readonly<Record<string, string>>;

beforeAll(async () => {
  node = await startWireNode();
  const { evm } = (await node.owner('GET', '/sandbox')) as { evm: Record<string, Json> };
  const world = evm['137'] as { rpcUrl: string; tokens: { symbol: string; address: string }[] };
  rpcUrl = world.rpcUrl;
  tokens = Object.fromEntries(world.tokens.map(({ symbol, address }) => [symbol, address]));
  await offered(node, 'Lightning', '137');
});

afterAll(() => node.stop());

async function paid(change: Partial<Wish> & { token?: string } = {}) {
  const wish = { chainId: 137, token: tokens['WBTC'] ?? coin, amount: { amount_in: 50_000 }, ...change };
  const swap = await lightningToEvm(node.url, wish);
  const hash = await node.pay(swap.bolt11);
  await node.until(swap, 'serverfunded', 60_000);
  return { swap, hash };
}

const received = ({ record, destination }: Awaited<ReturnType<typeof lightningToEvm>>): Promise<bigint> =>
  balanceOn(rpcUrl, 137, text(record['target_token'] as Json, 'token_id'), destination);

test.each([
  ['its amount to pay fixed', { amount_in: 50_000 }],
  ['its amount to receive fixed', { amount_out: '40000' }],
] as const)(
  'a client without coins is claimed for, %s, and its held payment is settled',
  async (_, amount) => {
    const { swap, hash } = await paid({ amount });
    expect(await node.payment(hash)).toBe('in_flight');
    const { status } = await claimGasless(node.url, swap);
    const record = await node.until(swap, 'serverredeemed', 60_000);
    expect({ status, paid: await node.payment(hash), came: await received(swap) }).toEqual({
      status: 200,
      paid: 'settled',
      came: BigInt(text(record, 'target_amount')),
    });
    expect(whole(record, 'fee_sats')).toBe(swap.price - Number(text(record, 'evm_expected_sats')));
    expect([record['direction'], record['evm_fund_txid'], record['evm_claim_txid']]).toEqual([
      'lightning_to_evm',
      expect.stringMatching(/^0x[0-9a-f]{64}$/),
      expect.stringMatching(/^0x[0-9a-f]{64}$/),
    ]);
  },
  90_000,
);

test('through an exchange it brings another token, no less than its floor', async () => {
  const { swap } = await paid({ token: tokens['USDC'] ?? '' });
  const { min_amount_out: floor } = (await node.get(
    `/swap/${swap.id}/redeem-and-swap-calldata?destination=${swap.destination}`,
  )) as { min_amount_out: string };
  expect((await claimGasless(node.url, swap)).status).toBe(200);
  await node.until(swap, 'serverredeemed', 60_000);
  expect(await received(swap)).toBeGreaterThanOrEqual(BigInt(floor));
}, 90_000);

test("the client's own claim is seen on the chain, and settles its payment", async () => {
  const { swap, hash } = await paid({ gasless: false });
  const gas = { address: swap.account.address, token: coin, amount: String(10n ** 18n) };
  await node.owner('POST', '/sandbox/evm/137/faucet', gas);
  const claim = await claimAlone(rpcUrl, swap);
  const record = await node.until(swap, 'serverredeemed', 60_000);
  expect([record['evm_claim_txid'], await node.payment(hash)]).toEqual([claim, 'settled']);
}, 90_000);

test('a client that never claims: our lock comes back first, and only then its payment', async () => {
  const ours = ({ record }: { record: Json }) =>
    balanceOn(rpcUrl, 137, text(record, 'wbtc_address'), text(record, 'server_evm_address'));
  const { swap, hash } = await paid();
  const before = await ours(swap);
  const locktime = whole(swap.record, 'evm_refund_locktime');
  await node.advanceTo(locktime - 120);
  expect([await node.payment(hash), (await node.get(`/swap/${swap.id}`))['status']]).toEqual([
    'in_flight',
    'serverfunded',
  ]);
  await node.advanceTo(locktime + 60);
  await node.until(swap, 'clientrefundedserverrefunded', 90_000);
  await eventually(
    () => node.payment(hash),
    (state) => state === 'failed',
  );
  expect((await ours(swap)) - before).toBe(BigInt(text(swap.record, 'evm_expected_sats')));
  await expect(signedClaim(node.url, swap)).rejects.toThrow(/400 /);
}, 150_000);

test('an invoice that nobody pays expires, and nothing was locked', async () => {
  const swap = await lightningToEvm(node.url, {
    chainId: 137,
    token: tokens['WBTC'] ?? '',
    amount: { amount_in: 30_000 },
  });
  await node.advanceTo(whole(swap.record, 'invoice_expires_at') + 60);
  const record = await node.until(swap, 'expired', 60_000);
  expect(record['evm_fund_txid']).toBeUndefined();
  await expect(node.pay(swap.bolt11)).rejects.toThrow();
});

test('what cannot be served is refused with a sentence, before anything is opened', async () => {
  await offered(node, 'Lightning', '137');
  const wish = { chainId: 137, token: tokens['WBTC'] ?? '', amount: { amount_in: 30_000 } };
  const refused = (change: Partial<Wish>) => lightningToEvm(node.url, { ...wish, ...change });
  await expect(refused({ chainId: 42_161 })).rejects.toThrow(/400 Unsupported chain/);
  await expect(refused({ token: `0x${'12'.repeat(20)}` })).rejects.toThrow(/400 /);
  await expect(refused({ amount: { amount_in: 10 } })).rejects.toThrow(/400 Min amount/);
});
