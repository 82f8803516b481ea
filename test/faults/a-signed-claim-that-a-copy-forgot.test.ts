import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { asPublicKey, type Preimage } from '../../engine/domain/hash.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { newNonce } from '../../engine/legs/musig.ts';
import type { MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { buildJointSpend, withJointSignature } from '../../engine/legs/onchain/joint-spend.ts';
import { jointKeyOf } from '../../engine/legs/onchain/key-spend.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import type { ArkadeBitcoinTerms } from '../../engine/swap/directions/arkade-bitcoin.ts';
import type { LightningBitcoinTerms } from '../../engine/swap/directions/lightning-bitcoin.ts';
import { anyFailure } from '../support/failure.ts';
import { accepted, deposit, payee, scriptOf } from '../support/bitcoin-wallet.ts';
import { seedOf } from '../support/node.ts';
import { openScene, type Scene } from '../support/scene.ts';

/* We signed the claim of our coin with its client, which shows no secret, and the node died before it used that. */

const amount = sats(100_000n);
const withBitcoin = { bitcoinWallet: true, pollMs: 25 } as const;

let scene: Scene;
beforeEach(async () => {
  scene = await openScene({
    ...withBitcoin,
    onBoundary(what, moment) {
      if (moment === 'before' && (what === 'arkade.prepareClaim' || what === 'lightning.settle'))
        throw anyFailure('away', 'ask-first', 'the node dies before it claims');
    },
  });
  await deposit(scene, 400_000);
});
afterEach(() => scene.end());

const keyOf = ({ publicKey: text }: Scene['client']) => ({ key: asPublicKey(fromHex(text)), text });
const common = { userId: 'client', extraFeesBps: 0, referralCode: null, targetAddress: null };
const target = { amount: { pinned: 'target', amount } } as const;

test.each([0, 4 * 3_600])(
  'fault 138, bitcoin: the secret that was noted claims the VHTLC, %s s later',
  async (later) => {
    const { client, world } = scene;
    const [secret, key] = [client.secret(), keyOf(client)];
    const record = accepted(
      await scene.node.service.create(
        'arkade-bitcoin',
        { ...common, ...target, claimKey: key, refundKey: key, hash: sha256Of(secret) },
        null,
      ),
    );
    scene.backUp();
    world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount));
    await signedAndRestored(record.id, secret, later);
    await scene.node.until(record.id, 'claimed');
    expect(await scene.clientTotal()).toBe(0n);
  },
);

test.each([0, 4 * 3_600])('fault 138, lightning: it settles the payment that is held, %s s later', async (later) => {
  const { client, world } = scene;
  const secret = client.secret();
  const hash = sha256Of(secret);
  const record = accepted(
    await scene.node.service.create(
      'lightning-bitcoin',
      { ...common, ...target, claimKey: keyOf(client), hash, description: null },
      null,
    ),
  );
  scene.backUp();
  world.pay(record.bolt11_invoice);
  await signedAndRestored(record.id, secret, later);
  await expect.poll(() => world.paid(hash), { timeout: 30_000 }).toBe('settled');
});

/** Our coin is buried, its claim is signed and mined, and the node that starts again knows of neither. */
async function signedAndRestored(id: string, secret: Preimage, later: number): Promise<void> {
  const { world } = scene;
  await scene.node.until(id, 'locked');
  await world.mine(6);
  const row = scene.node.runtime.workingSet.find(id)?.row;
  const { htlc, htlcScript } = row?.terms as ArkadeBitcoinTerms | LightningBitcoinTerms;
  const [coin] = world.bitcoin.coinsOf(htlcScript);
  if (coin === undefined) throw new Error('there is no lock');
  const bytes = await signedClaim(id, htlc, { ...coin.outpoint, amount }, secret);
  await scene.node.kill();
  world.bitcoin.submit(bytes);
  await world.mine(1);
  await world.advance(later);
  await scene.restore({ ...withBitcoin, restored: true });
}

/** The client's claim of our coin, with the signature of both. */
async function signedClaim(
  id: string,
  terms: MusigHtlcTerms,
  coin: Parameters<typeof buildJointSpend>[1]['coin'],
  preimage: Preimage,
): Promise<Uint8Array> {
  const built = buildJointSpend(terms, { coin, to: scriptOf(payee), feeRate: 5, mostFee: sats(5_000) });
  if (built === null) throw new Error('it is worth its fee');
  const { spend } = built;
  const own = createKeys(seedOf(200), 'regtest').privateKey({ branch: 'taker', index: 0 });
  const nonce = newNonce(jointKeyOf(terms), spend.sighash, own);
  const ask = { preimage, publicNonce: nonce.shown, transaction: spend.bytes, index: 0 };
  const { publicNonce, partial } = accepted(await scene.node.service.cooperativeClaim(id, ask));
  const signature = nonce.sign(publicNonce, own)?.join(partial) ?? null;
  if (signature === null) throw new Error('it is signed');
  return withJointSignature(spend, signature);
}
