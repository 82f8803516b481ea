import { afterEach, beforeEach, expect, test } from 'vitest';
import { Intent } from '@arkade-os/sdk';
import { deleteMessage, proofLife, signedProof } from '../../engine/adapters/arkade/proofs.ts';
import type { Preimage } from '../../engine/domain/hash.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { Vtxo } from '../../engine/legs/arkade/vtxo.ts';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import type { VhtlcTerms } from '../../engine/legs/arkade/terms.ts';
import { clientSecret, register } from '../support/registrant.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

function rowOf(id: string) {
  const row = scene.node.store.swaps.byId(id);
  if (row === null) throw new Error('there is no such swap');
  return row;
}

/** The client withdraws what it registered over the coin. */
function withdraw(terms: VhtlcTerms, coin: Vtxo, secret: Uint8Array): void {
  const script = vhtlcScript(terms);
  const input = {
    outpoint: coin.outpoint,
    amount: coin.amount,
    script: coin.script,
    tapLeaf: script.leaf.claim.tapLeaf,
    tapTree: script.tapTree,
    locked: false,
    condition: [secret],
  };
  const { proof, message } = signedProof(
    deleteMessage(proofLife({ wall: scene.world.now, mtp: () => null })),
    [input],
    [],
    clientSecret(),
  );
  scene.world.operator.deleteIntent({ proof, message: Intent.encodeMessage(message) });
}

/**
 * Our lock, past its locktime, with a refund that is on its way to the operator and does not arrive before it is let.
 */
async function refundOnItsWay(then: () => void = () => undefined) {
  const { world, client, node } = scene;
  const { record, secret } = await lockLightningArkade(scene);
  const { vhtlc: terms } = rowOf(record.id).terms as { vhtlc: VhtlcTerms };
  const [coin] = await client.coins(record);
  if (coin === undefined) throw new Error('there is no lock');
  const arkade = node.ports.arkade as { -readonly [name in keyof ArkadePort]: ArkadePort[name] };
  const { submit } = arkade;
  let arrive = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let sent = false;
  const answers: string[] = [];
  arkade.submit = async (bytes) => {
    sent = true;
    await held;
    const answer = await submit(bytes);
    answers.push(answer.is);
    then();
    return answer;
  };
  await world.advance(record.vhtlc_refund_locktime - world.now() + 60);
  await eventually(() => sent, 'the refund is on its way');
  return { record, secret, terms, coin, arrive, answers };
}

/** The swap is settled, its lock is back, and the owner knows whom that belongs to. */
async function bothLegsAreHome(id: string, total: bigint, secret: Preimage): Promise<void> {
  const { world, client } = scene;
  await scene.node.until(id, 'claimed');
  await eventually(() => rowOf(id).flag?.startsWith('Both legs of this swap are ours') === true, 'the owner is told');
  await eventually(async () => (await scene.walletTotal()) === total, 'our lock is back in the wallet');
  await eventually(() => !rowOf(id).open, 'nothing is left to do');
  const { address } = await client.port.address();
  expect({
    payment: world.paid(sha256Of(secret)),
    refund: scene.node.store.transactions.of(id).find(({ purpose }) => purpose === 'refund')?.state,
    flag: rowOf(id).flag,
  }).toEqual({
    payment: 'settled',
    refund: 'final',
    flag: expect.stringContaining(`99750 sats are owed to the client: pay them to ${address}`),
  });
}

test('the claim is withdrawn and the refund wins: what is owed to the client is told, with where to pay', async () => {
  const total = await scene.walletTotal();
  const { record, secret, terms, coin, arrive } = await refundOnItsWay();
  register(scene.world, terms, coin, 'claim', secret);
  await scene.node.until(record.id, 'claiming', 'claimed');
  withdraw(terms, coin, secret);
  arrive();
  await bothLegsAreHome(record.id, total, secret);
});

test('and so it is when the node dies before it has the answer', async () => {
  const total = await scene.walletTotal();
  const { record, secret, terms, coin, arrive, answers } = await refundOnItsWay(() => void scene.node.kill());
  register(scene.world, terms, coin, 'claim', secret);
  await scene.node.until(record.id, 'claiming', 'claimed');
  withdraw(terms, coin, secret);
  arrive();
  await eventually(() => answers.length > 0, 'the operator answered');
  await scene.restart();
  await bothLegsAreHome(record.id, total, secret);
});

test('the claim is still there when the refund arrives: that takes nothing, and the client has its coin', async () => {
  const { world, node, client } = scene;
  const { record, secret, terms, coin, arrive, answers } = await refundOnItsWay();
  // Nothing is taken by a round before this test is over.
  world.operator.configure({ stages: { registration: 60_000, confirmation: 2_000, finalization: 2_000 } });
  register(world, terms, coin, 'claim', secret);
  await node.until(record.id, 'claiming', 'claimed');
  arrive();
  await eventually(() => answers.length > 0, 'the operator answered our refund');
  withdraw(terms, coin, secret);
  await client.claim(record, secret);
  await node.until(record.id, 'claimed');
  await eventually(() => !rowOf(record.id).open, 'the race is over');
  const claimed = (await client.coins(record)).every(
    ({ spentIn }) => spentIn !== null && node.store.transactions.byId(spentIn) === null,
  );
  expect({ answers, payment: world.paid(sha256Of(secret)), claimed, both: rowOf(record.id).flag }).toEqual({
    answers: ['claimed'],
    payment: 'settled',
    claimed: true,
    both: null,
  });
});
