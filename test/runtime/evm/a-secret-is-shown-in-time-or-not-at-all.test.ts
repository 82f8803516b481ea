import { expect, it } from 'vitest';
import { unix } from '../../../engine/domain/time.ts';
import type { EvmAct } from '../../../engine/legs/evm/acts.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import type { EvmPort, Simulation } from '../../../engine/legs/evm/port.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import type { Event } from '../../../engine/swap/machine.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { aWhile, client, evmScene, network, ours, preimage, until, type EvmScene } from './scene.ts';

/** A node whose claim every RPC would take, and what it asks them. */
async function claimScene(lying: (honest: EvmPort) => Partial<EvmPort>) {
  const chain = createEvmChain(network);
  chain.give(null, ours, 10n ** 21n);
  let simulations = 0;
  const scene = await evmScene({
    chain,
    lying: (honest) => ({
      simulate() {
        simulations += 1;
        return Promise.resolve({ is: 'passes', gas: 90_000n });
      },
      ...lying(honest),
    }),
  });
  scene.store.preimages.keep(hash160Of(preimage), preimage, unix(1));
  return { chain, scene, simulations: () => simulations };
}

const showsSecret = (data: Uint8Array): boolean => Buffer.from(data).includes(Buffer.from(preimage));

/** Of a lock that a provider made. */
function takerClaim(scene: EvmScene): EvmAct {
  const lock = scene.lock({ claimAddress: client });
  const payout = { sweepToken: lock.token, minAmountOut: lock.amount, destination: client };
  return { is: 'taker-claim', lock, calls: [], ...payout, key: { scheme: 'swap', index: 0 } };
}

it('fault 128, evm: a claim that is too dear now shows its secret to no RPC, until it is not', async () => {
  const { chain, scene, simulations } = await claimScene(() => ({}));
  chain.setBaseFee(10n ** 15n);
  const deadline = unix((chain.blocks.at(-1)?.time ?? 0) + 1_000);
  const id = scene.open([scene.effectOf(takerClaim(scene), { deadline, onlyIf: { notAfter: deadline } })]);
  await aWhile(300);
  expect([simulations(), scene.heard(id, 'evm.prepared')]).toEqual([0, []]);
  chain.setBaseFee(10n ** 9n);
  chain.mine();
  await until(() => simulations() > 0 && scene.heard(id, 'evm.prepared').length === 1);
});

it('fault 169, evm: a claim that costs more than it saves shows its secret to nobody, late either', async () => {
  const { chain, scene, simulations } = await claimScene(() => ({}));
  chain.setBaseFee(10n ** 15n);
  const deadline = unix((chain.blocks.at(-1)?.time ?? 0) + 1_000);
  const id = scene.open([scene.effectOf(takerClaim(scene), { deadline, onlyIf: { notAfter: deadline } })]);
  chain.setTime(deadline - 100);
  chain.mine();
  await aWhile(3_000);
  const inTime = [simulations(), scene.heard(id, 'evm.prepared'), scene.heard(id, 'evm.refused')];
  chain.setTime(deadline + 60);
  chain.mine();
  expect(await until(() => scene.heard(id, 'evm.refused')[0])).toMatchObject({ unshown: true });
  expect([inTime, simulations()]).toEqual([[0, [], []], 0]);
}, 60_000);

it('fault 128, evm: a claim that takes more gas than is known waits for no price once it was simulated', async () => {
  let simulations = 0;
  const { chain, scene } = await claimScene(() => ({
    simulate() {
      simulations += 1;
      return Promise.resolve({ is: 'passes', gas: 30_000_000n });
    },
  }));
  const deadline = unix((chain.blocks.at(-1)?.time ?? 0) + 1_000);
  const id = scene.open([scene.effectOf(takerClaim(scene), { deadline, onlyIf: { notAfter: deadline } })]);
  await until(() => scene.heard(id, 'evm.prepared').length === 1);
  expect(simulations).toBe(1);
});

it('fault 170, evm: a secret that a simulation showed is not called ours again, though it reverts', async () => {
  let shown = 0;
  const { chain, scene } = await claimScene(() => ({
    simulate({ data }) {
      if (showsSecret(data)) shown += 1;
      return Promise.resolve({ is: 'reverts', reason: 'too little received', data: new Uint8Array() });
    },
  }));
  const deadline = unix((chain.blocks.at(-1)?.time ?? 0) + 1_000);
  const id = scene.open([scene.effectOf(takerClaim(scene), { deadline, onlyIf: { notAfter: deadline } })]);
  await until(() => shown > 0);
  expect(scene.store.intents.has('payment', id)).toBe(true);
  const before = shown;
  chain.setTime(deadline + 60);
  chain.mine();
  // It is tried for as long as the lock may stand.
  await until(() => shown > before);
  expect(scene.heard(id, 'evm.refused')).toEqual([]);
}, 60_000);

it('fault 128, evm: a claim whose nonce nobody tells shows its secret to no RPC', async () => {
  const { chain, scene, simulations } = await claimScene(() => ({
    nonces: () => Promise.reject(evmFailure('evm-away', 'safe', 'away')),
  }));
  const deadline = unix((chain.blocks.at(-1)?.time ?? 0) + 1_000);
  const id = scene.open([scene.effectOf(takerClaim(scene), { deadline, onlyIf: { notAfter: deadline } })]);
  await aWhile(300);
  expect([simulations(), scene.heard(id, 'evm.prepared')]).toEqual([0, []]);
});

/** The same of a client's, that it asked us to send. */
function relayedClaim(scene: EvmScene): EvmAct {
  const lock = scene.lock({ claimAddress: client });
  const payout = { sweepToken: lock.token, minAmountOut: lock.amount, destination: client };
  const signature = { v: 27, r: new Uint8Array(32).fill(1), s: new Uint8Array(32).fill(2) };
  return { is: 'relay-claim', lock, calls: [], ...payout, signature };
}

const passes: Simulation = { is: 'passes', gas: 90_000n };
const reverts: Simulation = { is: 'reverts', reason: 'no such lock', data: new Uint8Array() };

/** A claim is signed by its deadline, and the chain's RPCs are away until that is over. */
async function lateClaim(
  isOut: boolean,
  { claimOf = takerClaim, isGone = false } = {},
): Promise<{ scene: EvmScene; id: string; txid: string }> {
  let away = true;
  const { chain, scene } = await claimScene((honest) => ({
    simulate: ({ data }) => Promise.resolve(isGone && !away && showsSecret(data) ? reverts : passes),
    tip: () => (away ? Promise.reject(evmFailure('evm-away', 'safe', 'away')) : honest.tip()),
  }));
  const deadline = unix((chain.blocks.at(-1)?.time ?? 0) + 600);
  const condition = isOut ? {} : { onlyIf: { notAfter: deadline } };
  const act = claimOf(scene);
  const id = scene.open([scene.effectOf(act, { deadline, ...condition })]);
  const signed = await until(() => scene.heard(id, 'evm.prepared')[0]);
  if (signed.is !== 'evm.prepared') throw new Error('it was not prepared');
  const { txid } = signed;
  chain.setTime(deadline + 60);
  chain.mine();
  away = false;
  return { scene, id: scene.open([], [{ on: 'evm-sent', network, purpose: act.is, txid }]), txid };
}

it('fault 126, evm: a claim that was handed to nobody in time is not sent for a lock that is gone', async () => {
  const { scene, id, txid } = await lateClaim(false, { isGone: true });
  // Its place is filled, and what comes behind it does not wait.
  while (scene.store.nonces.open(network).length > 0) {
    scene.chain.mine();
    await aWhile(30);
  }
  const isGone = (event: Event): boolean => event.is === 'evm.sent' && event.state.is === 'gone';
  // RPCs have read its secret: it is not called ours (facts/faults.md 170).
  expect(await until(() => scene.heard(id, 'evm.sent').find(isGone))).toMatchObject({ txid, state: { is: 'gone' } });
  expect(scene.heard(id, 'evm.sent').find(isGone)).not.toMatchObject({ state: { unsent: true } });
  expect([scene.chain.pool.has(txid), scene.chain.replay().receipts.has(txid)]).toEqual([false, false]);
});

it('fault 126, evm: a claim that was handed to nobody in time is sent while its lock stands', async () => {
  const { scene, txid } = await lateClaim(false);
  await until(() => scene.chain.pool.has(txid));
});

it('fault 126, evm: a client’s claim is sent by us for the first time before our timelock alone', async () => {
  const { scene, id, txid } = await lateClaim(true, { claimOf: relayedClaim });
  const isGone = (event: Event): boolean => event.is === 'evm.sent' && event.state.is === 'gone';
  while (!scene.heard(id, 'evm.sent').some(isGone)) {
    scene.chain.mine();
    await aWhile(30);
  }
  expect([scene.chain.pool.has(txid), scene.chain.replay().receipts.has(txid)]).toEqual([false, false]);
});

it('a claim whose secret is out already is late for nothing', async () => {
  const { scene, txid } = await lateClaim(true);
  await until(() => scene.chain.pool.has(txid));
});
