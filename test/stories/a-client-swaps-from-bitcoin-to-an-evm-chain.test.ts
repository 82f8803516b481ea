import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { read, utxosAt } from './client/esplora.ts';
import { ownAddress, refundFee, refundOf, takeBitcoinBack, type BitcoinCoin } from './client/from-bitcoin.ts';
import { text, whole, type Json } from './client/http.ts';
import { faultsOf } from './client/record.ts';
import { balanceOn, bitcoinToEvm, claimAlone, claimGasless, signedClaim, type Wish } from './client/to-evm.ts';
import { eventually, offered, startWireNode, type WireNode } from './wire-node.ts';

type Swap = Awaited<ReturnType<typeof bitcoinToEvm>>;

const coin = `0x${'00'.repeat(20)}`;
const patience = 90_000;
let node: WireNode;
let esplora: string;
let rpcUrl: string;
let tokens: Readonly<Record<string, string>>;

beforeAll(async () => {
  node = await startWireNode();
  const { evm, bitcoin } = (await node.owner('GET', '/sandbox')) as { evm: Record<string, Json>; bitcoin: Json };
  const world = evm['137'] as { rpcUrl: string; tokens: { symbol: string; address: string }[] };
  rpcUrl = world.rpcUrl;
  esplora = text(bitcoin, 'esploraUrl');
  tokens = Object.fromEntries(world.tokens.map(({ symbol, address }) => [symbol, address]));
  await offered(node, 'Bitcoin', '137');
}, 120_000);

afterAll(() => node.stop());

const mine = (blocks: number) => node.owner('POST', '/sandbox/bitcoin/mine', { blocks });
const tell = (swap: Swap, status: string) => node.until(swap, status, patience);
const open = (change: Partial<Wish> = {}) =>
  bitcoinToEvm(node.url, { chainId: 137, token: tokens['WBTC'] ?? coin, amount: { amount_in: 60_000 }, ...change });

async function pay(swap: Swap, amount = swap.price): Promise<BitcoinCoin> {
  const address = text(swap.record, 'btc_htlc_address');
  const { txid, vout } = await node.owner('POST', '/sandbox/bitcoin/faucet', { address, amount });
  return { txid: String(txid), vout: Number(vout), amount: BigInt(amount) };
}

async function locked(change: Partial<Wish> = {}): Promise<{ swap: Swap; paid: BitcoinCoin }> {
  const swap = await open(change);
  const paid = await pay(swap);
  await mine(1);
  await tell(swap, 'serverfunded');
  return { swap, paid };
}

const received = ({ record, destination }: Swap): Promise<bigint> =>
  balanceOn(rpcUrl, 137, text(record['target_token'] as Json, 'token_id'), destination);

/** What the node's account has of the token of its lock. */
const ours = ({ record }: Swap): Promise<bigint> =>
  balanceOn(rpcUrl, 137, text(record, 'wbtc_address'), text(record, 'server_evm_address'));

/** What the client has at its own address. */
async function saved(swap: Swap): Promise<bigint> {
  return (await utxosAt(esplora, ownAddress(swap))).reduce((sum, { value }) => sum + BigInt(value), 0n);
}

const spenderOf = async ({ txid, vout }: BitcoinCoin): Promise<Json> =>
  read<Json>(esplora, `/tx/${txid}/outspend/${vout}`);

/** Median time past above the locktime, by what the node says of it. */
async function refundable(swap: Swap): Promise<void> {
  const locktime = whole(swap.record, 'btc_refund_locktime');
  await node.advanceTo(locktime + 60);
  await eventually(
    () => node.get('/mtp'),
    ({ mtp }) => Number(mtp) > locktime,
  );
}

describe('the client pays on the chain, claims on the EVM chain, and its secret takes the bitcoin', () => {
  test.each([
    ['its amount to pay fixed', { amount_in: 60_000 }],
    ['its amount to receive fixed', { amount_out: '50000' }],
  ] as const)(
    'a client without coins is claimed for, %s',
    async (_, amount) => {
      const swap = await open({ amount });
      const paid = await pay(swap);
      const sight = await tell(swap, 'clientfundingseen');
      expect([sight['btc_fund_txid'], sight['evm_fund_txid']]).toEqual([paid.txid, undefined]);
      await mine(1);
      await tell(swap, 'serverfunded');
      const { status } = await claimGasless(node.url, swap);
      expect(status).toBe(200);
      await tell(swap, 'clientredeemed');
      await eventually(
        () => spenderOf(paid),
        ({ spent }) => spent === true,
      );
      await mine(1);
      const record = await tell(swap, 'serverredeemed');
      expect(await received(swap)).toBe(BigInt(text(record, 'target_amount')));
      expect(whole(record, 'fee_sats')).toBe(swap.price - Number(text(record, 'evm_expected_sats')));
      expect([record['direction'], faultsOf('bitcoin_to_evm', record)]).toEqual(['bitcoin_to_evm', []]);
      expect(record).toMatchObject({
        ...Object.fromEntries(Object.entries(swap.record).filter(([name]) => name !== 'status')),
        btc_fund_txid: paid.txid,
        btc_claim_txid: (await spenderOf(paid))['txid'],
        evm_fund_txid: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        evm_claim_txid: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      });
    },
    120_000,
  );

  test('whatever form the owner chose for swaps to Arkade, the HTLC is the Taproot one', async () => {
    await node.owner('PATCH', '/owner/settings', { bitcoin: { htlcForm: 'p2wsh' } });
    try {
      // What is built from the record is compared with its address, and has no other form.
      expect(text((await open()).record, 'btc_htlc_address')).toMatch(/^bcrt1p/);
    } finally {
      await node.owner('PATCH', '/owner/settings', { bitcoin: { htlcForm: null } });
    }
  });

  test('through an exchange it brings another token, no less than its floor', async () => {
    const { swap } = await locked({ token: tokens['USDC'] ?? '' });
    const { min_amount_out: floor } = (await node.get(
      `/swap/${swap.id}/redeem-and-swap-calldata?destination=${swap.destination}`,
    )) as { min_amount_out: string };
    expect((await claimGasless(node.url, swap)).status).toBe(200);
    await tell(swap, 'clientredeemed');
    expect(await received(swap)).toBeGreaterThanOrEqual(BigInt(floor));
  }, 120_000);

  test("the client's own claim is seen on the chain, and claims the bitcoin", async () => {
    const { swap, paid } = await locked({ gasless: false });
    const gas = { address: swap.account.address, token: coin, amount: String(10n ** 18n) };
    await node.owner('POST', '/sandbox/evm/137/faucet', gas);
    const claim = await claimAlone(rpcUrl, swap);
    await tell(swap, 'clientredeemed');
    await eventually(
      () => spenderOf(paid),
      ({ spent }) => spent === true,
    );
    await mine(1);
    expect((await tell(swap, 'serverredeemed'))['evm_claim_txid']).toBe(claim);
  }, 120_000);
});

test('nobody claims: our lock comes back first, and then the bitcoin to the client alone', async () => {
  const { swap, paid } = await locked();
  const before = await ours(swap);
  await node.advanceTo(whole(swap.record, 'evm_refund_locktime') - 120);
  expect((await node.get(`/swap/${swap.id}`))['status']).toBe('serverfunded');
  await node.advanceTo(whole(swap.record, 'evm_refund_locktime') + 60);
  await tell(swap, 'clientfundedserverrefunded');
  expect((await ours(swap)) - before).toBe(BigInt(text(swap.record, 'evm_expected_sats')));
  await expect(signedClaim(node.url, swap)).rejects.toThrow(/400 /);
  await expect(takeBitcoinBack(esplora, swap, paid)).rejects.toThrow(/non-final/);
  await refundable(swap);
  await takeBitcoinBack(esplora, swap, paid);
  await mine(1);
  await tell(swap, 'clientrefundedserverrefunded');
  expect(await saved(swap)).toBe(BigInt(swap.price) - refundFee);
}, 240_000);

test('what is not the payment goes back to the client alone: short, and late', async () => {
  // The clock was set on: prices are read anew.
  await offered(node, 'Bitcoin', '137');
  const [short, late] = [await open(), await open()];
  const lent = await pay(short, short.price - 1);
  await mine(1);
  expect((await tell(short, 'clientinvalidfunded'))['btc_fund_txid']).toBe(lent.txid);
  await node.advanceTo(whole(late.record, 'evm_refund_locktime'));
  await tell(late, 'expired');
  const tardy = await pay(late);
  await mine(1);
  await tell(late, 'clientfundedtoolate');
  await refundable(late);
  await takeBitcoinBack(esplora, short, lent);
  await takeBitcoinBack(esplora, late, tardy);
  await mine(1);
  for (const swap of [short, late]) {
    const { evm_fund_txid: lock } = await tell(swap, 'clientrefunded');
    expect(lock).toBeUndefined();
  }
  expect(refundOf(short, lent)).toMatch(/^[0-9a-f]+$/);
}, 240_000);

test('what cannot be served is refused with a sentence, before anything is opened', async () => {
  await offered(node, 'Bitcoin', '137');
  await expect(open({ chainId: 42_161 })).rejects.toThrow(/400 Unsupported chain/);
  await expect(open({ token: `0x${'12'.repeat(20)}` })).rejects.toThrow(/400 /);
  await expect(open({ amount: { amount_in: 10 } })).rejects.toThrow(/400 Min amount/);
  const body = {
    btc_htlc_script_version: 1,
    refund_pk: '02' + 'ff'.repeat(32),
    claiming_address: coin,
    target_address: coin,
    token_address: tokens['WBTC'],
    evm_chain_id: 137,
    hash_lock: `0x${'11'.repeat(32)}`,
    user_id: 'story',
    amount_in: 60_000,
  };
  const wrong: [Json, RegExp][] = [
    [{}, /refund_pk/],
    [{ btc_htlc_script_version: 2 }, /btc_htlc_script_version/],
    [{ hash_lock: '11'.repeat(20) }, /hash_lock/],
    [{ amount_out: '5' }, /amount_in/],
  ];
  for (const [change, sentence] of wrong) {
    const { status, body: reply } = await node.raw('POST', '/swap/bitcoin/evm', { ...body, ...change });
    expect([status, reply['error']]).toEqual([400, expect.stringMatching(sentence)]);
  }
});
