import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { BitcoinArkadeRecord } from '../../engine/contract/directions/bitcoin-arkade.ts';
import type { Preimage } from '../../engine/domain/hash.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { accepted } from '../support/bitcoin-wallet.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let full = false;
const receive = 100_000n;
const hour = 3_600;
let scene: Scene;
let secret: Preimage;
let record: BitcoinArkadeRecord;

async function open(config: Record<string, unknown> = {}, amount = receive): Promise<void> {
  full = false;
  scene = await openScene({
    bitcoinWallet: true,
    pollMs: 25,
    config,
    onBoundary(what, moment) {
      if (full && what === 'commit' && moment === 'before')
        throw Object.assign(new Error('the disk fails'), { code: 'SQLITE_FULL' });
    },
  });
  secret = scene.client.secret();
  record = await scene.client.createBitcoinArkade(scene.node, amount, secret);
}

/** The client's coin, in a block. */
async function paid(amount?: bigint): Promise<Outpoint> {
  const coin = scene.client.payBitcoin(record, amount);
  await scene.world.mine(1);
  return coin;
}

const status = () => scene.node.status(record.id);
const view = () => scene.node.service.swap(record.id)?.record;
/** What lies in the node's Bitcoin wallet, in blocks. */
async function bitcoins(): Promise<bigint> {
  const { bitcoinWallet } = scene.node.runtime.ports;
  if (bitcoinWallet === undefined) throw new Error('the node has no Bitcoin wallet');
  return (await bitcoinWallet.balance([])).available;
}

beforeEach(() => open());
afterEach(() => scene.end());

test('the client pays bitcoin, claims on Arkade, and the secret that it shows takes its bitcoin', async () => {
  const before = { client: await scene.clientTotal(), wallet: await scene.walletTotal() };
  const coin = scene.client.payBitcoin(record);
  await eventually(() => status() === 'clientfundingseen', 'the coin is seen in the mempool');
  await scene.world.mine(1);
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  const claimTxid = await scene.client.claim(record, secret);
  await eventually(() => scene.world.bitcoin.spend(coin) !== undefined, 'our claim is sent');
  expect(status()).toBe('clientredeemed');
  await scene.world.mine(1);
  await eventually(() => status() === 'serverredeemed', 'our claim stands in a block');
  await scene.world.mine(5);
  await eventually(() => scene.node.at(record.id) === 'claimed', 'our claim is buried');
  const ours = scene.world.bitcoin.spend(coin)?.txid;
  expect(view()).toMatchObject({
    status: 'serverredeemed',
    btc_fund_txid: coin.txid,
    btc_claim_txid: ours,
    arkade_claim_txid: claimTxid,
  });
  const books = scene.node.store.ledger.of(record.id);
  const cost = books.find(({ kind }) => kind === 'network-fee-paid')?.amount ?? 0n;
  expect([
    (await scene.clientTotal()) - before.client,
    before.wallet - (await scene.walletTotal()),
    await bitcoins(),
    books.map(({ kind }) => kind),
  ]).toEqual([
    receive,
    receive,
    BigInt(record.source_amount) + cost / 1_000n,
    ['protocol-fee', 'network-fee-charged', 'network-fee-paid'],
  ]);
});

test('nobody claims: our VHTLC comes back, and the client takes its bitcoin after its locktime, alone', async () => {
  const wallet = await scene.walletTotal();
  const coin = await paid();
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  await scene.world.advance(13 * hour);
  await eventually(() => status() === 'clientfundedserverrefunded', 'our VHTLC is back');
  expect(await scene.walletTotal()).toBe(wallet);
  expect(() => scene.client.refundBitcoin(record, coin)).toThrow(/non-final/);
  await scene.world.advance(12 * hour);
  scene.client.refundBitcoin(record, coin);
  await scene.world.mine(1);
  await eventually(() => status() === 'clientrefundedserverrefunded', 'both have their own again');
  expect(await bitcoins()).toBe(0n);
});

test.each([
  ['fault 8, bitcoin: one sat too little is given nothing for, and the client takes it back alone', -1n],
  ['fault 9, bitcoin: more than is accepted is given nothing for, and the client takes it back alone', 5_000n],
])('%s', async (_, more) => {
  const coin = await paid(BigInt(record.source_amount) + more);
  await eventually(() => status() === 'clientinvalidfunded', 'it is called wrong');
  await scene.world.advance(25 * hour);
  scene.client.refundBitcoin(record, coin);
  await scene.world.mine(1);
  await eventually(() => status() === 'clientrefunded', 'the client has it again');
});

test('fault 7, bitcoin: dust at the address first does not keep the right coin from being taken', async () => {
  await paid(600n);
  const coin = await paid();
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  await scene.client.claim(record, secret);
  await eventually(() => scene.world.bitcoin.spend(coin) !== undefined, 'our claim is sent');
  expect((view() as BitcoinArkadeRecord).btc_fund_txid).toBe(coin.txid);
});

test('fault 3, bitcoin: while the disk is full the client’s coin is claimed from memory, once', async () => {
  const coin = await paid();
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  full = true;
  await scene.client.claim(record, secret);
  await eventually(() => scene.world.bitcoin.spend(coin) !== undefined, 'our claim is sent');
  const first = scene.world.bitcoin.spend(coin)?.txid;
  expect(status()).toBe('serverfunded');
  await scene.world.mine(1);
  full = false;
  await eventually(() => status() === 'serverredeemed', 'our claim stands in a block');
  await scene.world.mine(6);
  await eventually(() => scene.node.at(record.id) === 'claimed', 'our claim is buried');
  expect([scene.world.bitcoin.spend(coin)?.txid, view()]).toMatchObject([first, { btc_claim_txid: first }]);
});

test('fault 198, bitcoin: a claim that waits for too little is made again while the disk is full', async () => {
  const coin = await paid();
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  await scene.client.claim(record, secret);
  const claim = () => scene.world.bitcoin.spend(coin)?.txid;
  await eventually(() => claim() !== undefined, 'our claim is sent');
  const first = claim();
  full = true;
  scene.world.bitcoin.setFeeRate(30);
  scene.world.bitcoin.setMempoolMinimum(30);
  await eventually(() => claim() !== undefined && claim() !== first, 'a dearer one is there', 20_000);
  const second = claim();
  await scene.world.mine(1);
  full = false;
  await eventually(() => status() === 'serverredeemed', 'our claim stands in a block');
  await scene.world.mine(6);
  await eventually(() => scene.node.at(record.id) === 'claimed', 'our claim is buried');
  expect(claim()).toBe(second);
});

test('fault 222, bitcoin: a claim from memory is made again where blocks are much dearer', async () => {
  const coin = await paid();
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  full = true;
  await scene.client.claim(record, secret);
  const claim = () => scene.world.bitcoin.spend(coin)?.txid;
  await eventually(() => claim() !== undefined, 'our claim is sent');
  const first = claim();
  scene.world.bitcoin.setFeeRate(30);
  await eventually(() => claim() !== undefined && claim() !== first, 'a dearer one is there', 20_000);
  const second = claim();
  await scene.world.mine(1);
  expect(claim()).toBe(second);
  full = false;
  await eventually(() => status() === 'serverredeemed', 'our claim stands in a block');
  await scene.world.mine(6);
  await eventually(() => scene.node.at(record.id) === 'claimed', 'our claim is buried');
});

test('fault 16, bitcoin: what a node that dies begins is done by the next, with the secret that it saved', async () => {
  const coin = await paid();
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  await scene.client.claim(record, secret);
  await eventually(() => scene.node.at(record.id) === 'claiming', 'the claim is seen');
  await scene.restart();
  await eventually(() => scene.world.bitcoin.spend(coin) !== undefined, 'our claim is sent');
  await scene.world.mine(6);
  await eventually(() => scene.node.at(record.id) === 'claimed', 'our claim is buried');
});

test('fault 14, bitcoin: a reorganisation that takes our claim away changes nothing: it is sent again', async () => {
  const coin = await paid();
  await scene.world.mine(6);
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  await scene.client.claim(record, secret);
  await eventually(() => scene.world.bitcoin.spend(coin) !== undefined, 'our claim is sent');
  await scene.world.mine(2);
  await eventually(() => status() === 'serverredeemed', 'our claim stands in a block');
  const txid = scene.world.bitcoin.spend(coin)?.txid ?? '';
  scene.world.bitcoin.reorg(3, [txid]);
  expect(scene.world.bitcoin.spend(coin)).toBeUndefined();
  await scene.world.mine(1);
  await eventually(() => scene.world.bitcoin.spend(coin) !== undefined, 'it is sent again');
  await scene.world.mine(6);
  await eventually(() => scene.node.at(record.id) === 'claimed', 'our claim is buried');
});

test('fault 13, bitcoin: funding that a reorganisation took behind our VHTLC is claimed when it is back', async () => {
  const coin = await paid();
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  const raw = scene.world.bitcoin.transaction(coin.txid)?.tx.bytes;
  scene.world.bitcoin.reorg(1, [coin.txid]);
  await scene.world.mine(1);
  await eventually(() => scene.node.store.swaps.byId(record.id)?.flag !== null, 'a person is told');
  await scene.client.claim(record, secret);
  await eventually(() => scene.node.at(record.id) === 'claiming', 'the claim is seen');
  scene.world.bitcoin.include([raw ?? new Uint8Array()]);
  await scene.world.mine(1);
  await eventually(() => scene.world.bitcoin.spend(coin) !== undefined, 'our claim is sent');
  await scene.world.mine(6);
  await eventually(() => scene.node.at(record.id) === 'claimed', 'our claim is buried');
});

describe('a coin above the bound', () => {
  const much = 15_000_000n;

  beforeEach(async () => {
    await scene.end();
    await open({ terms: { maxSats: 30_000_000 } }, much);
  });

  /** The node has looked at the chain as it is now. */
  async function looked(): Promise<void> {
    const { height } = scene.world.bitcoin.tip();
    await eventually(() => scene.node.runtime.clock.now().bitcoin.height === height, 'the node reads the tip');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }

  test('fault 70, bitcoin: is given nothing for before its third confirmation, and then what was agreed', async () => {
    await paid();
    for (const confirmations of [1, 2]) {
      await looked();
      expect([confirmations, status()]).toEqual([confirmations, 'clientfundingseen']);
      await scene.world.mine(1);
    }
    await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
    await scene.client.claim(record, secret);
    await eventually(() => status() === 'clientredeemed', 'the claim is seen');
  });

  test('fault 70, bitcoin: that a reorganisation takes back after two confirmations costs nothing', async () => {
    const wallet = await scene.walletTotal();
    const coin = await paid();
    await scene.world.mine(1);
    await looked();
    scene.world.bitcoin.reorg(2, [coin.txid]);
    await scene.world.mine(1);
    await looked();
    expect([status(), await scene.walletTotal()]).toEqual(['pending', wallet]);
  });
});

test('a refund long after the end shows to who reads the swap, and is asked for once an hour', async () => {
  const coin = await paid(BigInt(record.source_amount) - 1n);
  await eventually(() => status() === 'clientinvalidfunded', 'it is called wrong');
  await scene.world.advance(60 * hour);
  await eventually(() => scene.node.store.swaps.byId(record.id)?.open === false, 'nobody looks any more');
  const port = scene.node.runtime.ports.bitcoin!;
  const spend = vi.spyOn(port, 'spend');
  const looks = () => spend.mock.calls.filter(([point]) => point.txid === coin.txid).length;
  const read = async () => {
    view();
    scene.node.service.statuses([record.id]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return [status(), looks()];
  };
  for (let i = 0; i < 5; i++) expect(await read()).toEqual(['clientinvalidfunded', 1]);
  scene.client.refundBitcoin(record, coin);
  await scene.world.mine(1);
  expect(await read()).toEqual(['clientinvalidfunded', 1]);
  await scene.world.advance(hour);
  view();
  await eventually(() => status() === 'clientrefunded', 'the client has it again');
});

describe('what a create says', () => {
  test('a minimum that follows what the chain asks for', async () => {
    const least = async () => {
      await scene.node.networks.refresh();
      const { pairs } = accepted(await scene.node.service.pairs());
      const pair = pairs.find(({ source, target }) => source === 'Bitcoin' && target === 'Arkade');
      return pair?.min_sats ?? 0;
    };
    const calm = await least();
    scene.world.bitcoin.setFeeRate(20);
    const dear = await least();
    expect([calm, dear]).toEqual([9 * (160 + 145), 9 * 20 * (160 + 145)]);
    await expect(scene.client.createBitcoinArkade(scene.node, 20_000n, scene.client.secret())).rejects.toThrow(
      `Min amount is ${dear} sats`,
    );
  });

  test('its fee holds what our claim costs, and the quote says the same', async () => {
    expect([record.fee_sats, record.source_amount]).toEqual([250 + 160, '100410']);
    const { pairs } = accepted(await scene.node.service.networkFees());
    const { fees } = pairs.find(({ source }) => source === 'Bitcoin') ?? {};
    expect(fees).toEqual({ source_sats: 160, target_sats: 0 });
  });

  test('how many confirmations its coin needs by its amount, whatever the owner sets later', async () => {
    const later = { bitcoin: { confirmations: [2, 4], confirmationsAboveSats: 100_410 } };
    const limits = async () => {
      await scene.node.networks.refresh();
      const { pairs } = accepted(await scene.node.service.pairs());
      return pairs.map(({ source, btc_funding_confirmations: needed }) => [source, needed]);
    };
    expect([record.btc_funding_confirmations, await limits()]).toEqual([
      1,
      expect.arrayContaining([
        ['Bitcoin', { up_to_sats: 10_000_000, confirmations: 1, confirmations_above: 3 }],
        ['Lightning', undefined],
      ]),
    ]);
    await scene.restart({ bitcoinWallet: true, pollMs: 25, config: later });
    const created = async (amount: bigint) =>
      (await scene.client.createBitcoinArkade(scene.node, amount, scene.client.secret())).btc_funding_confirmations;
    expect([
      (view() as BitcoinArkadeRecord).btc_funding_confirmations,
      await created(receive),
      await created(receive + 1n),
      await limits(),
    ]).toEqual([
      1,
      2,
      4,
      expect.arrayContaining([['Bitcoin', { up_to_sats: 100_410, confirmations: 2, confirmations_above: 4 }]]),
    ]);
    await paid();
    await eventually(() => status() === 'serverfunded', 'the VHTLC is locked at the first confirmation');
  });

  test('a hash is taken once and for all', async () => {
    await expect(scene.client.createBitcoinArkade(scene.node, receive, secret)).rejects.toThrow(
      'a swap with this preimage hash exists already',
    );
  });

  test('the Taproot form that published clients derive, where the owner chose it', async () => {
    await scene.end();
    await open({ bitcoin: { htlcForm: 'p2tr' } });
    expect([record.btc_htlc_witness_script, scene.client.htlcOf(record).form]).toEqual([undefined, 'p2tr']);
    const coin = await paid();
    await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
    await scene.client.claim(record, secret);
    await eventually(() => scene.world.bitcoin.spend(coin) !== undefined, 'our claim is sent');
  });
});
