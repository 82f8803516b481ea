import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { asPublicKey } from '../../engine/domain/hash.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { buildHtlcSpend } from '../../engine/legs/onchain/htlc-spend.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import type { ArkadeBitcoinTerms } from '../../engine/swap/directions/arkade-bitcoin.ts';
import { accepted, deposit, payee, scriptOf } from '../support/bitcoin-wallet.ts';
import { seedOf } from '../support/node.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

/* Our lock is of an amount that its client agreed to after the create, and the copy of the database is from before. */

const withBitcoin = { bitcoinWallet: true, pollMs: 25 } as const;
const hour = 3_600;

let scene: Scene;
beforeEach(async () => {
  scene = await openScene(withBitcoin);
  await deposit(scene, 400_000, 400_000);
});
afterEach(() => scene.end());

test.each([
  { later: 0, claims: 'after it' },
  { later: 4 * hour, claims: 'after it' },
  { later: 0, claims: 'before it' },
  { later: 4 * hour, claims: 'before it' },
] as const)('fault 137, bitcoin: it claims the VHTLC, $later s later, claimed $claims', async ({ later, claims }) => {
  const { client, world } = scene;
  const secret = client.secret();
  const key = { key: asPublicKey(fromHex(client.publicKey)), text: client.publicKey };
  const record = accepted(
    await scene.node.service.create(
      'arkade-bitcoin',
      {
        ...{ userId: 'client', extraFeesBps: 0, referralCode: null, targetAddress: null },
        ...{ claimKey: key, refundKey: key, hash: sha256Of(secret) },
        amount: { pinned: 'target', amount: sats(100_000n) },
      },
      null,
    ),
  );
  scene.backUp();
  world.faucet(record.arkade_vhtlc_address, 160_000n);
  const { htlc, htlcScript } = (await quoted(record.id)) as ArkadeBitcoinTerms;
  await world.mine(6);
  const [coin] = world.bitcoin.coinsOf(htlcScript);
  if (coin === undefined) throw new Error('there is no lock');
  await scene.node.kill();
  const claim = async (): Promise<void> => {
    const made = buildHtlcSpend(htlc, {
      ...{ coin: { ...coin.outpoint, amount: coin.amount }, preimage: secret, to: scriptOf(payee) },
      ...{ feeRate: 5, mostFee: sats(5_000) },
      secret: createKeys(seedOf(200), 'regtest').privateKey({ branch: 'taker', index: 0 }),
    });
    world.bitcoin.submit(made?.bytes ?? new Uint8Array());
    await world.mine(1);
  };
  if (claims === 'before it') await claim();
  await world.advance(later);
  await scene.restore({ ...withBitcoin, restored: true });
  if (claims === 'after it') {
    await scene.node.until(record.id, 'locked');
    await claim();
  }
  await scene.node.until(record.id, 'claimed');
});

test.each([
  { later: 0, claims: 'after it' },
  { later: 4 * hour, claims: 'before it' },
] as const)('fault 137, arkade: it claims the bitcoin, $later s later, claimed $claims', async ({ later, claims }) => {
  const { client, world } = scene;
  const secret = client.secret();
  const record = await client.createBitcoinArkade(scene.node, 100_000n, secret);
  scene.backUp();
  const coin = client.payBitcoin(record, 160_000n);
  await world.mine(1);
  await quoted(record.id);
  await scene.node.kill();
  if (claims === 'before it') await client.claim(record, secret);
  await world.advance(later);
  await scene.restore({ ...withBitcoin, restored: true });
  if (claims === 'after it') {
    await scene.node.until(record.id, 'locked');
    await client.claim(record, secret);
  }
  await eventually(() => world.bitcoin.spend(coin) !== undefined, 'our claim is sent');
  await world.mine(6);
  await scene.node.until(record.id, 'claimed');
});

test('fault 137, arkade: it comes back, whatever its client pays beside it', async () => {
  const { client, world } = scene;
  const before = await scene.walletTotal();
  const record = await client.createBitcoinArkade(scene.node, 100_000n, client.secret());
  scene.backUp();
  client.payBitcoin(record, 160_000n);
  await world.mine(1);
  await quoted(record.id);
  world.faucet(record.arkade_vhtlc_address, 100_000n);
  await scene.node.kill();
  await world.advance(13 * hour);
  await scene.restore({ ...withBitcoin, restored: true });
  await scene.node.until(record.id, 'returned');
  expect(await scene.walletTotal()).toBe(before);
});

/** The client locked another amount and agrees to what is given for that; answers the terms once our lock stands. */
async function quoted(id: string): Promise<unknown> {
  const { node } = scene;
  await node.until(id, 'stopped');
  const row = node.runtime.workingSet.find(id)?.row;
  const terms = { ...(row?.terms as object), sourceAmount: 160_000n, targetAmount: 158_000n, amended: true };
  node.runtime.commits.deliver(id, { is: 'terms.amended' }, { amended: { terms, valueSats: sats(158_000n) } });
  await node.until(id, 'locked');
  return terms;
}
