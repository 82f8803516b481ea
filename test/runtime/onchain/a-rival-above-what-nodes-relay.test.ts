import { expect, onTestFinished, test, vi } from 'vitest';
import { connectBitcoin } from '../../../engine/adapters/bitcoin/connect.ts';
import { sats } from '../../../engine/domain/money.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import type { MemoryClaim } from '../../../engine/runtime/networks/act.ts';
import { claimFromMemory } from '../../../engine/runtime/networks/onchain/from-memory.ts';
import type { BitcoinWorld } from '../../../engine/sandbox/world/bitcoin/chain.ts';
import { serveCore } from '../../../engine/sandbox/wire/core.ts';
import { serveEsplora } from '../../../engine/sandbox/wire/esplora.ts';
import type { Effect } from '../../../engine/swap/machine.ts';
import { testConfig } from '../../support/node.ts';
import { eventually, patience } from './patience.ts';
import { bitcoinScene, newWorld, ours, swapKey } from './scene.ts';
import { clientPublic, clientSpend, scriptOf, secret, termsOf } from './support.ts';

vi.setConfig(patience);

const amount = sats(10_000_000);

async function overCore(world: BitcoinWorld): Promise<BitcoinPort> {
  const credentials = { user: 'sandbox', password: 'of the tests' };
  const server = await serveCore({ world, port: 0, ...credentials });
  onTestFinished(() => server.stop());
  return connected({ core: { url: server.url, ...credentials, ca: null }, esplora: [] });
}

async function overEsplora(world: BitcoinWorld): Promise<BitcoinPort> {
  const server = await serveEsplora(world, 0);
  onTestFinished(() => server.stop());
  return connected({ core: null, esplora: [server.url] });
}

function connected(sources: Omit<Parameters<typeof connectBitcoin>[0], 'network'>): BitcoinPort {
  const port = connectBitcoin({ network: 'regtest', ...sources });
  if (port === null) throw new Error('nothing is connected');
  return port;
}

/** The client's refund of a coin stands in the mempool, at so many sats per virtual byte, when we come to claim it. */
async function contested(rate: number, over: (world: BitcoinWorld) => Promise<BitcoinPort>) {
  const world = newWorld();
  const terms = termsOf(ours, clientPublic, world.tip().mtp - 100);
  const coin = world.faucet(scriptOf(terms), amount);
  if (coin === null) throw new Error('the faucet has no coin');
  world.mine(1);
  const refund = clientSpend(terms, { ...coin, amount }, { claim: false, rate });
  world.submit(refund.bytes);
  const port = await over(world);
  const scene = await bitcoinScene({ world, lying: () => port });
  const spend: Effect & { do: 'htlc.spend' } = {
    ...{ do: 'htlc.spend', purpose: 'claim', terms, script: scriptOf(terms), key: swapKey, coin, leastRate: 0 },
    deadline: terms.refundLocktime,
  };
  const isOurs = () => world.spend(coin) !== undefined && world.spend(coin)?.txid !== refund.txid;
  return { world, coin, scene, spend, isOurs, open: () => scene.open({ spend }, [spend], 'the secret') };
}

test('fault 273, bitcoin: a refund at all that nodes take by themselves does not keep our claim away', async () => {
  const { scene, isOurs, open } = await contested(9_950, overCore);
  const id = open();
  await eventually(isOurs, 'our claim is in its place');
  expect(scene.flag(id)).toBe(null);
  scene.world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
});

test('fault 273, bitcoin: nor does it keep a claim from memory away', async () => {
  const { scene, spend, isOurs } = await contested(9_950, overCore);
  const { runtime, store, wallet } = scene;
  const claim: MemoryClaim = {
    ...{ swap: 'a swap', ports: { ...runtime.ports, bitcoinWallet: wallet }, clock: runtime.clock, store },
    evm: () => {
      throw new Error('nothing of an EVM chain');
    },
    ...{ ceilings: () => testConfig().ceilings, preimage: secret, half: null, since: null },
  };
  for (let looks = 0; looks < 5; looks += 1) await claimFromMemory(spend, claim);
  expect(isOurs()).toBe(true);
});

test('fault 273, bitcoin: where an Esplora server alone hands it on, it pays the most that is taken', async () => {
  const { world, coin, isOurs, open } = await contested(9_500, overEsplora);
  open();
  await eventually(isOurs, 'our claim is in its place');
  expect(Number(world.waiting(world.spend(coin)?.txid ?? '')?.fee) / 140).toBeGreaterThan(9_500);
});

test('fault 273, bitcoin: what no server hands on stays as it is, and enters once the other is gone', async () => {
  const { world, scene, isOurs, open } = await contested(9_950, overEsplora);
  const id = open();
  await eventually(() => scene.rows(id).length > 1, 'it is raised above what is taken');

  await new Promise((resolve) => setTimeout(resolve, 500));
  expect([isOurs(), scene.rows(id).length, scene.flag(id)]).toEqual([false, 2, null]);
  expect(scene.heard(id, 'onchain.refused')).toEqual([]);
  world.setMempoolMinimum(9_970);
  world.setMempoolMinimum(1);
  await eventually(isOurs, 'our claim is in its place');
});
