import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BitcoinArkadeRecord } from '../../engine/contract/directions/bitcoin-arkade.ts';
import type { Preimage } from '../../engine/domain/hash.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { sats } from '../../engine/domain/money.ts';
import { onchainFailure } from '../../engine/legs/onchain/failures.ts';
import { htlcScript, type TimeHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { openPayer } from '../ports/bitcoin-payer.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

const receive = 100_000n;
const hour = 3_600;
let scene: Scene;
let secret: Preimage;
let record: BitcoinArkadeRecord;
let price: bigint;
/** No source of the Bitcoin chain answers. */
let away = false;
let sent = 0;

beforeEach(async () => {
  away = false;
  sent = 0;
  scene = await openScene({
    bitcoinWallet: true,
    pollMs: 25,
    onBoundary(what, moment) {
      if (moment !== 'before' || !what.startsWith('bitcoin.')) return;
      if (away) throw onchainFailure('bitcoin-away', 'safe', 'nobody answers');
      if (what === 'bitcoin.broadcast') sent += 1;
    },
  });
  secret = scene.client.secret();
  record = await scene.client.createBitcoinArkade(scene.node, receive, secret);
  price = BigInt(record.source_amount);
});
afterEach(() => scene.end());

const status = () => scene.node.status(record.id);
const at = () => scene.node.at(record.id);
const terms = (): TimeHtlcTerms => scene.client.htlcOf(record);
const scriptNow = () => htlcScript(terms()).pkScript;
const journal = () => scene.node.store.journal.of(record.id).map(({ to }) => to);

/** The client's coin, in a block. */
async function paid(amount?: bigint): Promise<Outpoint> {
  const coin = scene.client.payBitcoin(record, amount);
  await scene.world.mine(1);
  return coin;
}

/** Somebody who signs whatever it likes, with a coin in a block. */
async function somebody() {
  const payer = openPayer('somebody');
  const coin = scene.world.bitcoin.faucet(payer.script, sats(400_000));
  if (coin === null) throw new Error('the faucet has no coin');
  await scene.world.mine(1);
  return {
    pay: (fee: bigint, ...to: { script: Uint8Array; amount: bigint }[]) => {
      const change = 400_000n - fee - to.reduce((sum, { amount }) => sum + amount, 0n);
      const from = [{ outpoint: coin, amount: 400_000n }];
      const bytes = payer.pay({ from, to: [...to, { script: payer.script, amount: change }] });
      return { bytes, txid: scene.world.bitcoin.submit(bytes).txid };
    },
  };
}

async function claimed(coin: Outpoint): Promise<void> {
  await scene.client.claim(record, secret);
  await eventually(() => scene.world.bitcoin.spend(coin) !== undefined, 'our claim is sent');
  await scene.world.mine(6);
  await eventually(() => at() === 'claimed', 'our claim is buried');
}

test('fault 6, bitcoin: of two outputs of one payment one is taken, and the other is its sender’s', async () => {
  const payer = await somebody();
  const { txid } = payer.pay(500n, { script: scriptNow(), amount: price }, { script: scriptNow(), amount: price });
  await scene.world.mine(1);
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  await scene.client.claim(record, secret);
  const both = [0, 1].map((vout) => ({ txid, vout }));
  const free = () => both.filter((coin) => scene.world.bitcoin.spend(coin) === undefined);
  await eventually(() => free().length === 1, 'our claim is sent');
  await scene.world.mine(6);
  await eventually(() => at() === 'claimed', 'our claim is buried');
  const [other = both[0]!] = free();
  expect(free()).toEqual([other]);
  await scene.world.advance(25 * hour);
  scene.client.refundBitcoin(record, other);
  await scene.world.mine(1);
  expect(scene.world.bitcoin.spend(other)?.height).toBeTypeOf('number');
});

test('fault 6, bitcoin: what comes once the swap is over is listed, and nothing of ours touches it', async () => {
  await claimed((await paidAndLocked()).coin);
  const late = await paid();
  await scene.world.mine(1);
  await scene.world.advance(25 * hour);
  expect(scene.world.bitcoin.spend(late)).toBeUndefined();
  expect(scene.client.refundBitcoin(record, late)).toBeTypeOf('string');
});

async function paidAndLocked(): Promise<{ coin: Outpoint }> {
  const coin = await paid();
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  return { coin };
}

test('fault 9, bitcoin: what is over within the tolerance is taken whole, and stands on the ledger', async () => {
  const coin = await paid(price + 500n);
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  expect(scene.node.service.swap(record.id)?.record).toMatchObject({ surplus_amount: '500' });
  await claimed(coin);
  const books = scene.node.store.ledger.of(record.id);
  expect(books.find(({ kind }) => kind === 'surplus')?.amount).toBe(500_000n);
});

test('fault 10, bitcoin: the right amount at any other script of the same terms is no funding', async () => {
  const { form, refundLocktime, claimer, refunder } = terms();
  expect(form).toBe('p2wsh');
  const wrong: TimeHtlcTerms[] = [
    { ...terms(), form: 'p2tr' },
    { ...terms(), refundLocktime: (refundLocktime - 1) as TimeHtlcTerms['refundLocktime'] },
    { ...terms(), claimer: refunder, refunder: claimer },
  ];
  const payer = await somebody();
  payer.pay(500n, ...wrong.map((one) => ({ script: htlcScript(one).pkScript, amount: price })));
  await scene.world.mine(1);
  await scene.world.advance(31 * 60);
  await eventually(() => status() === 'expired', 'nothing came');
  expect(journal().filter((to) => to === 'funded' || to === 'seen')).toEqual([]);
});

test('fault 12, bitcoin: an unconfirmed payment that its sender takes back has nothing locked against it', async () => {
  const payer = await somebody();
  payer.pay(500n, { script: scriptNow(), amount: price });
  await eventually(() => status() === 'clientfundingseen', 'it is seen in the mempool');
  payer.pay(5_000n, { script: openPayer('elsewhere').script, amount: price });
  await scene.world.mine(1);
  await eventually(() => status() === 'pending', 'it is waited for again');
  await scene.world.mine(2);
  expect([journal().includes('locking'), (await scene.client.coins(record as never)).length]).toEqual([false, 0]);
});

test('fault 12, bitcoin: of two payments in turn the one that is mined is the coin of the swap', async () => {
  const payer = await somebody();
  payer.pay(500n, { script: scriptNow(), amount: price });
  await eventually(() => status() === 'clientfundingseen', 'it is seen in the mempool');
  const { txid } = payer.pay(5_000n, { script: scriptNow(), amount: price });
  await scene.world.mine(1);
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  expect(scene.node.service.swap(record.id)?.record).toMatchObject({ btc_fund_txid: txid });
  await claimed({ txid, vout: 0 });
});

test('fault 13, bitcoin: a coin that its sender takes back in a reorganisation costs nothing unclaimed', async () => {
  const wallet = await scene.walletTotal();
  const payer = await somebody();
  const { txid } = payer.pay(500n, { script: scriptNow(), amount: price });
  await scene.world.mine(1);
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  scene.world.bitcoin.reorg(1, [txid]);
  payer.pay(9_000n, { script: openPayer('elsewhere').script, amount: price });
  await scene.world.mine(7);
  await eventually(
    () => scene.node.store.swaps.byId(record.id)?.flag?.includes('reorganisation') === true,
    'it is told',
  );
  await scene.world.advance(13 * hour);
  await eventually(() => at() === 'returned', 'our VHTLC is back');
  expect(await scene.walletTotal()).toBe(wallet);
});

test('fault 7, bitcoin: hundreds of decoys of every size hide the right coin from nobody', async () => {
  const payer = await somebody();
  const decoys = Array.from({ length: 240 }, (_, i) => ({ script: scriptNow(), amount: 330n + 5n * BigInt(i) }));
  const right = { script: scriptNow(), amount: price };
  const { txid } = payer.pay(12_000n, ...decoys.slice(0, 120), right, ...decoys.slice(120));
  await scene.world.mine(1);
  await eventually(() => status() === 'serverfunded', 'the VHTLC is locked');
  await scene.client.claim(record, secret);
  await eventually(() => scene.world.bitcoin.spend({ txid, vout: 120 }) !== undefined, 'our claim is sent');
});

test('fault 37, bitcoin: a claim that is shown while no source answers is used when one does', async () => {
  const { coin } = await paidAndLocked();
  away = true;
  await scene.client.claim(record, secret);
  await eventually(() => at() === 'claiming', 'its secret is saved');
  const saved = scene.node.service.swap(record.id)?.record.status;
  await scene.world.advance(hour);
  await scene.restart();
  expect([saved, scene.world.bitcoin.spend(coin)]).toEqual(['clientredeemed', undefined]);
  await expect(scene.client.createBitcoinArkade(scene.node, receive, scene.client.secret())).rejects.toThrow();
  away = false;
  await eventually(() => scene.world.bitcoin.spend(coin) !== undefined, 'our claim is sent');
  await scene.world.mine(6);
  await eventually(() => at() === 'claimed', 'our claim is buried');
});

test('fault 37, bitcoin: a coin that came while no source answered is taken for what it is', async () => {
  away = true;
  const coin = await paid();
  await scene.world.advance(hour);
  away = false;
  await eventually(() => status() === 'serverfunded', 'it came in the funding window');
  await claimed(coin);
});

test('fault 50, bitcoin: a claim that a node keeps refusing is tried ever more rarely, and made at last', async () => {
  const { coin } = await paidAndLocked();
  scene.world.bitcoin.refuseAll('the node likes nothing');
  const before = sent;
  await scene.client.claim(record, secret);
  await eventually(() => sent > before, 'it is sent once');
  const lines = journal().length;
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  expect([sent - before <= 12, journal().length - lines <= 24]).toEqual([true, true]);
  scene.world.bitcoin.refuseAll(null);
  await eventually(() => scene.world.bitcoin.spend(coin) !== undefined, 'it is on its way');
});
