import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from './client/client.ts';
import { read, sendBitcoin, utxosAt } from './client/esplora.ts';
import {
  bitcoinToArkade,
  ownAddress,
  payBitcoin,
  refundFee,
  takeBitcoinBack,
  type BitcoinCoin,
  type FromBitcoin,
} from './client/from-bitcoin.ts';
import { text, whole, type Json } from './client/http.ts';
import { faultsOf } from './client/record.ts';
import { termsOf, vhtlcOf } from './client/vhtlc.ts';
import { eventually, offered, startWireNode, type WireNode } from './wire-node.ts';

const receive = 60_000;
const patience = 60_000;
let node: WireNode;
let client: Client;
let esplora: string;

beforeAll(async () => {
  node = await startWireNode();
  client = await node.client();
  esplora = text((await node.owner('GET', '/sandbox'))['bitcoin'] as Json, 'esploraUrl');
  await offered(node, 'Bitcoin', 'Arkade');
}, 120_000);

afterAll(() => node.stop());

const open = () => bitcoinToArkade(node.url, client.arkade, { receive });
const vhtlc = ({ record }: FromBitcoin) => vhtlcOf(termsOf(record));
const address = (swap: FromBitcoin) => text(swap.record, 'btc_htlc_address');
const mine = (blocks: number) => node.owner('POST', '/sandbox/bitcoin/mine', { blocks });
const tell = (swap: FromBitcoin, status: string) => node.until(swap, status, patience);

async function faucet(to: string, amount: number): Promise<BitcoinCoin> {
  const { txid, vout } = await node.owner('POST', '/sandbox/bitcoin/faucet', { address: to, amount });
  return { txid: String(txid), vout: Number(vout), amount: BigInt(amount) };
}

const pay = (swap: FromBitcoin, amount = swap.price) => faucet(address(swap), amount);

async function locked(): Promise<{ swap: FromBitcoin; coin: BitcoinCoin }> {
  const swap = await open();
  const coin = await pay(swap);
  await mine(1);
  await tell(swap, 'serverfunded');
  return { swap, coin };
}

async function claim(swap: FromBitcoin): Promise<string> {
  const coins = await client.arkade.unspent(vhtlc(swap));
  expect(coins.map(({ value }) => value)).toEqual([receive]);
  return client.arkade.claim(vhtlc(swap), swap.secret);
}

/** What the client has at its own address. */
async function saved(swap: FromBitcoin): Promise<bigint> {
  return (await utxosAt(esplora, ownAddress(swap))).reduce((sum, { value }) => sum + BigInt(value), 0n);
}

const spenderOf = async ({ txid, vout }: BitcoinCoin): Promise<Json> =>
  read<Json>(esplora, `/tx/${txid}/outspend/${vout}`);

/** Median time past above its locktime, by what the node says of it. */
async function refundable(...swaps: readonly FromBitcoin[]): Promise<void> {
  const locktime = Math.max(...swaps.map(({ record }) => whole(record, 'btc_refund_locktime')));
  await node.advanceTo(locktime + 60);
  await eventually(
    () => node.get('/mtp'),
    ({ mtp }) => Number(mtp) > locktime,
  );
}

describe('the client pays on the chain, claims on Arkade, and its secret takes the bitcoin', () => {
  async function swapped(): Promise<{ swap: FromBitcoin; record: Json; coin: BitcoinCoin; claimTxid: string }> {
    const swap = await open();
    const coin = await pay(swap);
    const sight = await tell(swap, 'clientfundingseen');
    expect([sight['btc_fund_txid'], sight['arkade_fund_txid']]).toEqual([coin.txid, undefined]);
    await mine(1);
    const lock = await tell(swap, 'serverfunded');
    expect(lock['arkade_fund_txid']).toMatch(/^[0-9a-f]{64}$/);
    const before = await client.arkade.balance();
    const claimTxid = await claim(swap);
    expect((await client.arkade.balance()) - before).toBe(receive);
    await tell(swap, 'clientredeemed');
    await eventually(
      () => spenderOf(coin),
      ({ spent }) => spent === true,
    );
    await mine(1);
    return { swap, coin, claimTxid, record: await tell(swap, 'serverredeemed') };
  }

  test('by the script of the interface, P2WSH', async () => {
    const { swap, record, coin, claimTxid } = await swapped();
    expect('btc_htlc_witness_script' in swap.record).toBe(true);
    expect([record['direction'], faultsOf('btc_to_arkade', record)]).toEqual(['btc_to_arkade', []]);
    expect(record).toMatchObject({
      ...Object.fromEntries(Object.entries(swap.record).filter(([name]) => name !== 'status')),
      btc_fund_txid: coin.txid,
      btc_claim_txid: (await spenderOf(coin))['txid'],
      arkade_claim_txid: claimTxid,
    });
    await mine(6);
    await eventually(
      () => node.owner('GET', '/owner/swaps?open=true'),
      ({ swaps }) => !(swaps as Json[]).some(({ id }) => id === swap.id),
      patience,
    );
  }, 120_000);

  test('by the script of published clients, P2TR, where the owner chose it', async () => {
    await node.owner('PATCH', '/owner/settings', { bitcoin: { htlcForm: 'p2tr' } });
    try {
      const { swap } = await swapped();
      expect('btc_htlc_witness_script' in swap.record).toBe(false);
      const unclaimed = await locked();
      await refundable(unclaimed.swap);
      await tell(unclaimed.swap, 'clientfundedserverrefunded');
      await takeBitcoinBack(esplora, unclaimed.swap, unclaimed.coin);
      await mine(1);
      await tell(unclaimed.swap, 'clientrefundedserverrefunded');
    } finally {
      await node.owner('PATCH', '/owner/settings', { bitcoin: { htlcForm: null } });
    }
  }, 120_000);

  test('a little more than was asked for is taken, and told', async () => {
    const swap = await open();
    await pay(swap, swap.price + 100);
    await mine(1);
    await tell(swap, 'serverfunded');
    await claim(swap);
    await mine(1);
    expect((await tell(swap, 'clientredeemed'))['surplus_amount']).toBe('100');
  }, 120_000);
});

test('a payment that is replaced before a block has it was none, and the next one counts', async () => {
  const swap = await open();
  const coin = await faucet(ownAddress(swap), swap.price + 20_000);
  await mine(1);
  await sendBitcoin(esplora, payBitcoin(swap, coin, { to: 'htlc', fee: 500n }));
  await tell(swap, 'clientfundingseen');
  await sendBitcoin(esplora, payBitcoin(swap, coin, { to: 'itself', fee: 2_000n }));
  await mine(1);
  await tell(swap, 'pending');
  expect(await client.arkade.coins(vhtlc(swap))).toEqual([]);
  const again = await pay(swap);
  await mine(1);
  expect((await tell(swap, 'serverfunded'))['btc_fund_txid']).toBe(again.txid);
  expect(await saved(swap)).toBe(coin.amount - 2_000n);
}, 120_000);

test('a reorganisation that takes the payment before anything is given for it leaves nothing given', async () => {
  const [lost, back] = [await open(), await open()];
  await node.owner('POST', '/sandbox/arkade/fault', { operator: 'away' });
  const coins = [await pay(lost), await pay(back)] as const;
  await mine(1);
  for (const swap of [lost, back]) await tell(swap, 'clientfunded');
  await node.owner('POST', '/sandbox/bitcoin/reorg', { depth: 1, drop: [coins[0].txid] });
  await node.owner('POST', '/sandbox/arkade/fault', { operator: 'back' });
  // The one that came back to the mempool waits there for its block again.
  expect(await utxosAt(esplora, address(back))).toMatchObject([{ status: { confirmed: false } }]);
  for (const swap of [lost, back]) expect(await client.arkade.coins(vhtlc(swap))).toEqual([]);
  await mine(1);
  await tell(back, 'serverfunded');
  await claim(back);
  await tell(back, 'clientredeemed');
  expect([await client.arkade.coins(vhtlc(lost)), await utxosAt(esplora, address(lost))]).toEqual([[], []]);
  await node.advanceTo(whole(lost.record, 'vhtlc_refund_locktime'));
  await tell(lost, 'serverwontfund');
  expect(await client.arkade.coins(vhtlc(lost))).toEqual([]);
}, 180_000);

test('what is not the payment goes back to the client alone: short, over, late, and beside the right coin', async () => {
  const [short, over, late, several] = [await open(), await open(), await open(), await open()];
  const left: [FromBitcoin, BitcoinCoin][] = [
    [short, await pay(short, short.price - 1)],
    [over, await pay(over, 2 * over.price)],
    [several, await pay(several, 1_700)],
    [several, await pay(several, several.price)],
  ];
  const right = await pay(several);
  await mine(1);
  const invalid = [await tell(short, 'clientinvalidfunded'), await tell(over, 'clientinvalidfunded')];
  expect(invalid.map((record) => record['btc_fund_txid'])).toEqual(left.slice(0, 2).map(([, { txid }]) => txid));
  const used = text(await tell(several, 'serverfunded'), 'btc_fund_txid');
  await claim(several);
  await node.advanceTo(whole(late.record, 'vhtlc_refund_locktime'));
  await tell(late, 'expired');
  left.push([late, await pay(late)]);
  await mine(1);
  await tell(late, 'clientfundedtoolate');
  for (const swap of [short, over, late]) expect(await client.arkade.coins(vhtlc(swap))).toEqual([]);
  const [swap, coin] = left[0] as [FromBitcoin, BitcoinCoin];
  await expect(takeBitcoinBack(esplora, swap, coin)).rejects.toThrow(/non-final/);
  await refundable(late);
  const extras = [...left, [several, right] as const].filter(([, { txid }]) => txid !== used);
  expect(extras).toHaveLength(5);
  for (const [of, extra] of extras) await takeBitcoinBack(esplora, of, extra);
  await mine(1);
  for (const of of [short, over, late]) await tell(of, 'clientrefunded');
  expect(
    (await spenderOf([...left.map(([, one]) => one), right].find(({ txid }) => txid === used) as BitcoinCoin))['spent'],
  ).toBe(true);
  expect(await Promise.all([short, over, late, several].map(saved))).toEqual([
    BigInt(short.price - 1) - refundFee,
    BigInt(2 * over.price) - refundFee,
    BigInt(late.price) - refundFee,
    BigInt(several.price + 1_700) - 2n * refundFee,
  ]);
}, 240_000);

test('nobody claims: the VHTLC goes back to the node, and then the bitcoin to the client alone', async () => {
  const { swap, coin } = await locked();
  await node.advanceTo(whole(swap.record, 'vhtlc_refund_locktime') + 60);
  await tell(swap, 'clientfundedserverrefunded');
  await expect(client.arkade.claim(vhtlc(swap), swap.secret)).rejects.toThrow();
  await expect(takeBitcoinBack(esplora, swap, coin)).rejects.toThrow(/non-final/);
  await refundable(swap);
  await takeBitcoinBack(esplora, swap, coin);
  await mine(1);
  await tell(swap, 'clientrefundedserverrefunded');
  expect(await saved(swap)).toBe(BigInt(swap.price) - refundFee);
}, 180_000);

test('the clock that refunds go by is median time past of the tip, and says at which height', async () => {
  await node.advance(7_200);
  const [tip] = await read<{ height: number; mediantime: number }[]>(esplora, '/blocks');
  const { clock } = await node.owner('GET', '/sandbox');
  const answer = await eventually(
    () => node.get('/mtp'),
    ({ tip_height }) => tip_height === tip?.height,
  );
  expect(answer).toEqual({ mtp: tip?.mediantime, tip_height: tip?.height });
  expect(Number(clock) - Number(answer['mtp'])).toBeLessThan(60);
});

test('a create says what is wrong with it', async () => {
  const hash_lock = '11'.repeat(20);
  const create = (change: Json) =>
    node.raw('POST', '/swap/bitcoin/arkade', {
      arkade_htlc_script_version: 1,
      btc_htlc_script_version: 1,
      claim_pk: client.arkade.publicKey,
      refund_pk: client.arkade.publicKey,
      hash_lock,
      sats_receive: receive,
      target_arkade_address: client.arkade.address,
      user_id: 'story',
      ...change,
    });
  const wrong: [Json, RegExp][] = [
    [{ hash_lock: `0x${hash_lock}` }, /hash_lock/],
    [{ hash_lock: '11'.repeat(32) }, /hash_lock/],
    [{ btc_htlc_script_version: 2 }, /btc_htlc_script_version/],
    [{ refund_pk: '02' + 'ff'.repeat(32) }, /refund_pk/],
    [{ sats_receive: 10 }, /Min amount is \d+ sats/],
    [{ sats_receive: 5_000_000_000 }, /Max amount is \d+ sats/],
    [{ target_arkade_address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080' }, /target_arkade_address/],
  ];
  for (const [change, sentence] of wrong) {
    const { status, body } = await create(change);
    expect([status, body['error']]).toEqual([400, expect.stringMatching(sentence)]);
  }
  expect((await create({})).status).toBe(200);
  const again = await create({});
  expect([again.status, again.body['error']]).toEqual([
    409,
    expect.stringMatching(/^a swap with this preimage hash exists already/),
  ]);
});
