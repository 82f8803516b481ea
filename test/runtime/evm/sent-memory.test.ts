import { expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import type { SentState } from '../../../engine/legs/evm/events.ts';
import type { EvmBroadcast, EvmPort } from '../../../engine/legs/evm/port.ts';
import type { Watch } from '../../../engine/swap/machine.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { client, evmScene, network, ours, until, type EvmScene } from './scene.ts';

const coin = 10n ** 18n;
const payee = client;

/** A node whose chain answers a transaction as it is told to, and keeps what it was given. */
async function sceneOf(answer: { now: EvmBroadcast }) {
  const chain = createEvmChain(network);
  chain.give(null, ours, 10n * coin);
  const given: string[] = [];
  const scene = await evmScene({
    chain,
    lying: (honest: EvmPort) => ({
      async broadcast(bytes) {
        given.push(toHex(bytes));
        return answer.now.is === 'accepted' ? honest.broadcast(bytes) : answer.now;
      },
    }),
  });
  const token = new Uint8Array(20) as typeof ours;
  const id = scene.open([scene.effectOf({ is: 'pay', token, to: payee, amount: 5n })]);
  const [first] = await until(() => scene.heard(id, 'evm.prepared').length > 0 && scene.heard(id, 'evm.prepared'));
  const txid = first?.is === 'evm.prepared' ? first.txid : '';
  const watch: Watch = { on: 'evm-sent', network, purpose: 'pay', txid };
  return { scene, chain, given, txid, listening: scene.open([], [watch]) };
}

function states(scene: EvmScene, listening: string): SentState[] {
  return scene.heard(listening, 'evm.sent').flatMap((event) => (event.is === 'evm.sent' ? [event.state] : []));
}

it('fault 79, evm: a transaction is told of as taken once a node says so, and not while all refuse it', async () => {
  const answer: { now: EvmBroadcast } = { now: { is: 'refused', reason: 'the node is starting' } };
  const { scene, chain, given, txid, listening } = await sceneOf(answer);
  const txids: string[] = [];
  scene.runtime.taken.on((one) => txids.push(one));
  await until(() => states(scene, listening).length > 0);
  expect([states(scene, listening), scene.runtime.taken.has(txid)]).toEqual([[{ is: 'waiting', taken: null }], false]);
  answer.now = { is: 'accepted' };
  // Sent again after a while, by the wall.
  const sentBefore = given.length;
  chain.mine(15, () => false);
  await until(() => states(scene, listening).length > 1);
  expect(states(scene, listening)[1]).toEqual({ is: 'waiting', taken: txid });
  expect([txids, new Set(given).size, given.length > sentBefore]).toEqual([[txid], 1, true]);
});

it('fault 79, evm: one that a node dropped is sent again as it was, and called gone by nobody', async () => {
  const { scene, chain, given, txid, listening } = await sceneOf({ now: { is: 'accepted' } });
  await until(() => states(scene, listening).some((state) => state.is === 'waiting' && state.taken === txid));
  chain.pool.delete(txid);
  chain.mine(15, () => false);
  await until(() => chain.pool.has(txid));
  chain.mine(1);
  await until(() => states(scene, listening).some((state) => state.is === 'mined'));
  const all = states(scene, listening);
  expect([all.some((state) => state.is === 'gone'), given.length > 1, new Set(given).size]).toEqual([false, true, 1]);
});
