import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import type { Preimage } from '../../engine/domain/hash.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { buildHtlcSpend } from '../../engine/legs/onchain/htlc-spend.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import type { ArkadeBitcoinTerms } from '../../engine/swap/directions/arkade-bitcoin.ts';
import type { LightningBitcoinTerms } from '../../engine/swap/directions/lightning-bitcoin.ts';
import { accepted, deposit, payee, scriptOf } from '../support/bitcoin-wallet.ts';
import { seedOf } from '../support/node.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

/* A lock on the Bitcoin chain that was claimed before a copy of the database looks for it: it is listed nowhere. */

const withBitcoin = { bitcoinWallet: true, pollMs: 25 } as const;
const hour = 3_600;
const amount = sats(100_000n);

let scene: Scene;
beforeEach(async () => {
  scene = await openScene(withBitcoin);
  await deposit(scene, 400_000, 400_000);
});
afterEach(() => scene.end());

const clientKey = () => ({ key: fromHex(scene.client.publicKey) as never, text: scene.client.publicKey });
const common = { userId: 'client', extraFeesBps: 0, referralCode: null };
const target = { amount: { pinned: 'target', amount }, targetAddress: null } as const;

test.each([4 * hour, 20 * hour])('fault 136, bitcoin: it claims the VHTLC, %s s later', async (later) => {
  const secret = scene.client.secret();
  const record = accepted(
    await scene.node.service.create(
      'arkade-bitcoin',
      { ...common, ...target, claimKey: clientKey(), refundKey: clientKey(), hash: sha256Of(secret) },
      null,
    ),
  );
  scene.backUp();
  scene.world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount));
  await claimedAndRestored(record.id, secret, later);
  await scene.node.until(record.id, 'claimed');
  expect(await scene.clientTotal()).toBe(0n);
});

test('fault 136, bitcoin: it settles the payment that is held for it', async () => {
  const secret = scene.client.secret();
  const record = accepted(
    await scene.node.service.create(
      'lightning-bitcoin',
      { ...common, ...target, claimKey: clientKey(), hash: sha256Of(secret), description: null },
      null,
    ),
  );
  scene.backUp();
  scene.world.pay(record.bolt11_invoice);
  await claimedAndRestored(record.id, secret, 4 * hour);
  await expect.poll(() => scene.world.paid(sha256Of(secret)), { timeout: 30_000 }).toBe('settled');
});

test('fault 155, bitcoin: its payment stays held though the wallet’s coins lie at keys of later payments', async () => {
  const secret = scene.client.secret();
  const record = accepted(
    await scene.node.service.create(
      'lightning-bitcoin',
      { ...common, ...target, claimKey: clientKey(), hash: sha256Of(secret), description: null },
      null,
    ),
  );
  scene.backUp();
  // As many payments as the copy knows nothing of: what is left of the wallet lies beyond the keys of its first look.
  for (let key = 0; key < 30; key++) scene.node.store.counters.take('bitcoin-change');
  scene.world.pay(record.bolt11_invoice);
  await claimedAndRestored(record.id, secret, 4 * hour);
  await expect.poll(() => scene.world.paid(sha256Of(secret)), { timeout: 30_000 }).toBe('settled');
});

/** Ours is funded and buried, its client claims it, and the node that starts again knows of neither. */
async function claimedAndRestored(id: string, secret: Preimage, later: number): Promise<void> {
  const { node, world } = scene;
  await node.until(id, 'locked');
  await world.mine(6);
  const row = node.runtime.workingSet.find(id)?.row;
  const { htlc, htlcScript } = row?.terms as ArkadeBitcoinTerms | LightningBitcoinTerms;
  const [coin] = world.bitcoin.coinsOf(htlcScript);
  if (coin === undefined) throw new Error('there is no lock');
  await node.kill();
  const claim = buildHtlcSpend(htlc, {
    coin: { ...coin.outpoint, amount },
    preimage: secret,
    to: scriptOf(payee),
    feeRate: 5,
    mostFee: sats(5_000),
    secret: createKeys(seedOf(200), 'regtest').privateKey({ branch: 'taker', index: 0 }),
  });
  world.bitcoin.submit(claim?.bytes ?? new Uint8Array());
  await eventually(() => world.bitcoin.spend(coin.outpoint) !== undefined, 'its client claims it');
  await world.mine(1);
  await world.advance(later);
  await scene.restore({ ...withBitcoin, restored: true });
}
