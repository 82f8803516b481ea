import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { buildHtlcSpend } from '../../engine/legs/onchain/htlc-spend.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { createReconciliation } from '../../engine/service/reconciliation/reconciliation.ts';
import type { LightningBitcoinTerms } from '../../engine/swap/directions/lightning-bitcoin.ts';
import { accepted, deposit, payee, scriptOf } from '../support/bitcoin-wallet.ts';
import { seedOf } from '../support/node.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

/* A swap that began after a backup: its held payment is left of it, and our lock, which its client claims. */

const withBitcoin = { bitcoinWallet: true, pollMs: 25 } as const;
const amount = sats(100_000n);

let scene: Scene;
beforeEach(async () => {
  scene = await openScene(withBitcoin);
  await deposit(scene, 400_000, 400_000);
});
afterEach(() => scene.end());

/** The held payment, once our lock of a swap from after the backup was claimed and the backup runs again. */
async function settled(claim: (id: string, secret: ReturnType<Scene['client']['secret']>) => Promise<void>) {
  const { client, world } = scene;
  scene.backUp();
  const secret = client.secret();
  const record = accepted(
    await scene.node.service.create(
      'lightning-bitcoin',
      {
        ...{ userId: 'client', extraFeesBps: 0, referralCode: null },
        ...{ amount: { pinned: 'target', amount }, targetAddress: null, description: null },
        claimKey: { key: fromHex(client.publicKey) as never, text: client.publicKey },
        hash: sha256Of(secret),
      },
      null,
    ),
  );
  world.pay(record.bolt11_invoice);
  await scene.node.until(record.id, 'locked');
  await world.mine(6);
  await claim(record.id, secret);
  await scene.restore({ ...withBitcoin, restored: true });
  const { runtime } = scene.node;
  await createReconciliation({ runtime, everyMs: 3_600_000, log: runtime.log }).check();
  return world.paid(sha256Of(secret));
}

test('fault 156, bitcoin: its payment is settled by the secret that the claim of our lock shows', async () => {
  const { world } = scene;
  const paid = await settled(async (id, preimage) => {
    const { htlc, htlcScript } = scene.node.runtime.workingSet.find(id)?.row.terms as LightningBitcoinTerms;
    const [coin] = world.bitcoin.coinsOf(htlcScript);
    if (coin === undefined) throw new Error('there is no lock');
    await scene.node.kill();
    const spend = buildHtlcSpend(htlc, {
      ...{ coin: { ...coin.outpoint, amount }, preimage, to: scriptOf(payee), feeRate: 5, mostFee: sats(5_000) },
      secret: createKeys(seedOf(200), 'regtest').privateKey({ branch: 'taker', index: 0 }),
    });
    world.bitcoin.submit(spend?.bytes ?? new Uint8Array());
    await eventually(() => world.bitcoin.spend(coin.outpoint) !== undefined, 'its client claims it');
    await world.mine(1);
  });
  expect(paid).toBe('settled');
});
