import { Intent, SingleKey } from '@arkade-os/sdk';
import { hex } from '@scure/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDispatch } from '../../engine/api/dispatch.ts';
import { toBase64 } from '../../engine/contract/base64.ts';
import type { RouteName } from '../../engine/contract/routes.ts';
import { openScene, type Scene } from '../support/scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
});

afterAll(() => scene.end());

async function ask(name: RouteName, args: object): Promise<[number, string]> {
  const dispatch = createDispatch({
    service: () => scene.node.service,
    openapi: null,
    log: { error: () => undefined },
  });
  const { status, body } = await dispatch(name, args);
  return [status, (body as { error?: string }).error ?? ''];
}

const noPsbt = Buffer.from('psbt\xff and nothing that belongs there', 'latin1').toString('base64');

test('a collaborative refund after the payment is forbidden, before and after our claim', async () => {
  const record = await scene.client.createArkadeLightning(scene.node, scene.world.invoice(100_000n).bolt11, 100_000n);
  const half = { ark_tx: noPsbt, checkpoint_txs: [noPsbt] };
  const pending = await ask('collabRefund', { params: { id: record.id }, body: half });
  scene.world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount));
  await scene.node.until(record.id, 'claimed');
  const claimed = [
    await ask('collabRefund', { params: { id: record.id }, body: half }),
    await ask('collabRefund', { params: { id: record.id }, body: {} }),
    await ask('collabRefundDelegate', { params: { id: record.id }, body: { intent_proof: noPsbt, forfeit_psbts: [] } }),
  ];
  const forbidden = [403, expect.stringMatching(/^Refund not allowed in current swap state \(serverredeemed\)/)];
  expect([pending, claimed]).toEqual([
    [400, expect.stringMatching(/^The refund was not signed:/)],
    [forbidden, forbidden, forbidden],
  ]);
});

async function settlement(change: { message?: object; forged?: true }): Promise<object> {
  const message = {
    type: 'register' as const,
    onchain_output_indexes: [],
    valid_at: scene.world.now(),
    expire_at: scene.world.now() + 120,
    cosigners_public_keys: [hex.encode(scene.node.ports.arkade!.delegateKey())],
    ...change.message,
  };
  const record = await scene.client.createArkadeLightning(scene.node, scene.world.invoice(50_000n).bolt11, 50_000n);
  const outpoint = scene.world.faucet(record.arkade_vhtlc_address, 5_000n);
  scene.world.expire(outpoint);
  const [coin] = await scene.client.coins(record);
  if (coin === undefined) throw new Error('the coin is not there');
  const proof = Intent.create(
    message,
    [
      {
        txid: hex.decode(outpoint.txid),
        index: outpoint.vout,
        witnessUtxo: { script: coin.script, amount: coin.amount },
        sequence: 0xffff_ffff,
      },
    ],
    [{ script: coin.script, amount: coin.amount }],
  );
  const signed = await SingleKey.fromPrivateKey(new Uint8Array(32).fill(7))
    .sign(proof)
    .catch(() => proof);
  return {
    intent_proof: toBase64(signed.toPSBT()),
    forfeit_psbts: [],
    intent_message: Intent.encodeMessage(message),
    cosigner_pk: hex.encode(scene.node.ports.arkade!.delegateKey()),
  };
}

test('of delegated settlements the malformed is invalid, the incomplete told, and only an outage is one', async () => {
  const body = await settlement({});
  const malformed = [
    await ask('delegateSettle', { body: { ...body, intent_proof: noPsbt } }),
    await ask('delegateSettle', { body: { ...body, intent_message: '{}' } }),
    await ask('delegateSettle', { body: await settlement({ message: { cosigners_public_keys: ['02'.repeat(33)] } }) }),
  ];
  const refused = await ask('delegateSettle', { body });
  scene.world.operator.faults.away();
  const away = await ask('delegateSettle', { body });
  scene.world.operator.faults.back();
  expect({ malformed, refused, away }).toEqual({
    malformed: [
      [400, 'The batch was not joined: the intent proof is not a PSBT.'],
      [400, 'The batch was not joined: the message is not the register message that the intent proof was signed for.'],
      [400, expect.stringMatching(/^The batch was not joined: the intent must name one cosigner/)],
    ],
    refused: [
      400,
      expect.stringMatching(
        /^The batch was not joined: input 1 of the intent proof must carry the refund, the claim or the refund-without-receiver leaf of this swap/,
      ),
    ],
    away: [503, 'A network that this request needs did not answer: try again in a minute.'],
  });
});
