import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { asPublicKey } from '../../engine/domain/hash.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { newNonce } from '../../engine/legs/musig.ts';
import { buildJointSpend } from '../../engine/legs/onchain/joint-spend.ts';
import { jointKeyOf, refundAsk } from '../../engine/legs/onchain/key-spend.ts';
import { schnorrSign } from '../../engine/legs/secp256k1.ts';
import type { BitcoinLightningTerms } from '../../engine/swap/directions/bitcoin-lightning.ts';
import { accepted, deposit, payee, scriptOf } from '../support/bitcoin-wallet.ts';
import { seedOf } from '../support/node.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

/* We signed the refund of the client's coin with it, and neither the database nor any note of that is left. */

const withBitcoin = { bitcoinWallet: true, pollMs: 25 } as const;

let scene: Scene;
beforeEach(async () => {
  scene = await openScene(withBitcoin);
  await deposit(scene, 400_000);
});
afterEach(() => scene.end());

test('fault 157, bitcoin: nothing is paid for a coin that its client may take back at any time', async () => {
  const { client, world } = scene;
  const { bolt11 } = world.invoice(100_000n, { hold: true });
  const refundKey = { key: asPublicKey(fromHex(client.publicKey)), text: client.publicKey };
  const { id, source_amount: amount } = accepted(
    await scene.node.service.create(
      'bitcoin-lightning',
      {
        ...{ userId: 'client', extraFeesBps: 0, referralCode: null, refundKey, signsClaim: false },
        payee: { is: 'invoice', bolt11, amount: sats(100_000n) },
      },
      null,
    ),
  );
  scene.backUp();
  const { htlc, htlcScript } = scene.node.runtime.workingSet.find(id)?.row.terms as BitcoinLightningTerms;
  const outpoint = world.bitcoin.faucet(htlcScript, sats(BigInt(amount)));
  if (outpoint === null || htlc.form !== 'musig') throw new Error('there is no coin of both');
  await scene.node.until(id, 'seen');
  const coin = { ...outpoint, amount: sats(BigInt(amount)) };
  const built = buildJointSpend(htlc, { coin, to: scriptOf(payee), feeRate: 5, mostFee: sats(5_000) });
  if (built === null) throw new Error('it is worth its fee');
  const { spend } = built;
  const own = createKeys(seedOf(200), 'regtest').privateKey({ branch: 'taker', index: 0 });
  accepted(
    await scene.node.service.cooperativeRefund(id, {
      ...{ publicNonce: newNonce(jointKeyOf(htlc), spend.sighash, own).shown, transaction: spend.bytes, index: 0 },
      signature: schnorrSign(refundAsk(spend), own),
    }),
  );
  await scene.node.kill();
  rmSync(join(scene.node.nextFolder, 'partials'));
  await scene.restore({ ...withBitcoin, restored: true });
  await world.mine(3);
  await eventually(() => ['stopped', 'paying'].includes(scene.node.at(id)), 'it is decided');
  expect(scene.node.at(id)).toBe('stopped');
});
