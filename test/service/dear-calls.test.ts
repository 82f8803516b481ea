import { randomBytes } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { Transaction } from '@scure/btc-signer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDispatch, type Dispatch } from '../../engine/api/dispatch.ts';
import type { RouteName } from '../../engine/contract/routes.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { longestTurn } from '../support/turns.ts';

/** Milliseconds of processor time for which one call may hold everybody else up. */
const most = 25;

let scene: Scene;
let dispatch: Dispatch;
let id: string;

beforeAll(async () => {
  scene = await openScene({}, 'usual');
  dispatch = createDispatch({ service: () => scene.node.service, openapi: null, log: { error: () => undefined } });
  ({ id } = await scene.client.createArkadeLightning(scene.node, scene.world.invoice(50_000n).bolt11, 50_000n));
});

afterAll(() => scene.end());

const wide = {
  version: 3,
  allowUnknown: true,
  allowUnknownInputs: true,
  allowUnknownOutputs: true,
  disableScriptCheck: true,
} as const;

function psbt(inputs: number, outputs: number, fields = 0): string {
  const tx = new Transaction(wide);
  for (let n = 0; n < inputs; n++) tx.addInput({ txid: randomBytes(32), index: n });
  if (fields > 0)
    tx.updateInput(0, {
      unknown: Array.from({ length: fields }, (_, n) => [
        { type: 0xde, key: Uint8Array.of(n >> 8, n & 0xff) },
        Uint8Array.of(1),
      ]) as never,
    });
  for (let n = 0; n < outputs; n++)
    tx.addOutput({ script: new Uint8Array([0x51, 0x20, ...randomBytes(32)]), amount: 10n });
  return Buffer.from(tx.toPSBT()).toString('base64');
}

const shapes: [string, string][] = [
  ['of ten thousand outputs', psbt(1, 10_000)],
  ['of thousands of outputs', psbt(1, 2_900)],
  ['of thousands of inputs', psbt(1_900, 1)],
  ['of thousands of fields', psbt(1, 1, 15_000)],
  ['of a few hundred outputs', psbt(1, 200)],
];

function call(name: RouteName, body: object): () => Promise<unknown> {
  const text = JSON.stringify(body);
  return () => dispatch(name, { params: { id }, body: JSON.parse(text) as unknown });
}

const one = psbt(1, 1);
const settle = {
  intent_message: '{}',
  cosigner_pk: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
};
const calls: [string, () => () => Promise<unknown>][] = [
  ...shapes.flatMap(([what, large]): [string, () => () => Promise<unknown>][] => [
    [`a refund ${what}`, () => call('collabRefund', { ark_tx: large, checkpoint_txs: [one] })],
    [`a delegate refund ${what}`, () => call('collabRefundDelegate', { intent_proof: large, forfeit_psbts: [one] })],
    [`a settlement ${what}`, () => call('delegateSettle', { ...settle, intent_proof: large, forfeit_psbts: [] })],
    [
      `a refund with many checkpoints ${what}`,
      () =>
        call('collabRefund', {
          ark_tx: one,
          checkpoint_txs: Array.from({ length: Math.min(100, Math.floor(1_000_000 / large.length)) }, () => large),
        }),
    ],
    [
      `a settlement with many forfeits ${what}`,
      () =>
        call('delegateSettle', {
          ...settle,
          intent_proof: one,
          forfeit_psbts: Array.from({ length: Math.min(100, Math.floor(1_000_000 / large.length)) }, () => large),
        }),
    ],
  ]),
  ['a hundred statuses', () => call('bulkStatus', { ids: Array.from({ length: 100 }, () => id) })],
  ['ids that are none', () => call('bulkStatus', { ids: Array.from({ length: 20_000 }, () => 7) })],
  ['a recovery', () => call('recover', { xpub: HDKey.fromMasterSeed(randomBytes(32)).publicExtendedKey })],
  [
    'a long invoice',
    () =>
      call('createArkadeLightning', {
        arkade_htlc_script_version: 1,
        refund_pk: toHex(scene.node.ports.arkade!.delegateKey()),
        user_id: 'x',
        lightning_invoice: `lnbcrt20u1${'q'.repeat(7_900)}`,
      }),
  ],
  [
    'ten thousand fields that nobody asked for',
    () => call('createLightningArkade', Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`field${n}`, n]))),
  ],
];

test.each(calls)('fault 51: nobody waits long for %s', async (_, make) => {
  const ask = make();
  await ask();
  // The best of three: what the machine does beside it is not the call's.
  const longest: number[] = [];
  for (let i = 0; i < 3; i++) longest.push(await longestTurn(ask));
  expect(Math.min(...longest)).toBeLessThan(most);
});
