import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { example as toArkade } from '../../../engine/contract/examples/lightning-arkade.ts';
import { example as toBitcoin } from '../../../engine/contract/examples/lightning-bitcoin.ts';
import { example as toEvm } from '../../../engine/contract/examples/lightning-evm.ts';
import { parseRequest } from '../../../engine/contract/routes.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { startOfTests } from '../../sandbox/worlds.ts';
import { deposit } from '../../support/bitcoin-wallet.ts';
import { startEvmWorld, type EvmWorld } from '../../support/evm/world.ts';
import { eventually, openScene, type Scene } from '../../support/scene.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 300_000 });

const waitSeconds = 2;
let scene: Scene;
let chain: EvmWorld;

beforeAll(async () => {
  let now = (): number => startOfTests;
  chain = await startEvmWorld(() => now());
  const config = { timing: { createWaitSeconds: waitSeconds } };
  scene = await openScene({ evm: chain, bitcoinWallet: true, config }, 'usual');
  now = scene.world.now;
  const { node } = scene;
  await deposit(scene, 10_000_000);
  await eventually(() => node.runtime.clock.now()['evm:137']?.height !== undefined, 'the chain is read');
});

afterAll(async () => {
  await scene.end();
  await chain.stop();
});

const { body: arkadeBody } = toArkade;
const hashes = [1, 2, 3].map((n) => `0x${`${n}`.repeat(64)}`);

test.each([
  ['lightning-arkade', () => ({ ...arkadeBody, hash_lock: hashes[0], target_arkade_address: scene.client.address })],
  ['lightning-bitcoin', () => ({ ...toBitcoin.body, hash_lock: hashes[1] })],
  ['lightning-evm', () => ({ ...toEvm.body, hash_lock: hashes[2], token_address: chain.endpoints.tokens[0]?.address })],
] as const)('%s: a create waits for a slow Lightning node once, and not anew for its invoice', async (name, body) => {
  const route = { 'lightning-arkade': 'Arkade', 'lightning-bitcoin': 'Bitcoin', 'lightning-evm': 'Evm' }[name];
  const request = parseRequest(`createLightning${route}` as 'createLightningArkade', { body: body() });
  if (isRefusal(request)) throw new Error(request.sentence);
  const { lightning } = scene.node.ports;
  if (lightning === null) throw new Error('no Lightning node');
  const { hold, createHold } = lightning;
  vi.spyOn(lightning, 'hold').mockImplementation(async (hash) => (await pause(900 * waitSeconds), hold(hash)));
  vi.spyOn(lightning, 'createHold').mockImplementation(
    async (terms) => (await pause(900 * waitSeconds), createHold(terms)),
  );
  const begun = performance.now();
  const answered = await scene.node.service.create(name as 'lightning-arkade', request.body as never, null);
  const waited = performance.now() - begun;
  vi.restoreAllMocks();
  expect(answered).toMatchObject({
    refusal: 'unavailable',
    sentence: `The Lightning node did not answer within ${waitSeconds} seconds: try again later.`,
  });
  expect(waited).toBeLessThan(1_000 * waitSeconds + 700);
});
