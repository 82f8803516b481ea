import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ArkadeEvmRecord } from '../../engine/contract/directions/arkade-evm.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { startOfTests } from '../sandbox/worlds.ts';
import { arkadeEvmClient, type ArkadeEvmClient } from '../support/arkade-evm-client.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

/*
 * One story: a client pays for a swap, strangers lock up all that strangers may, and what still goes on then.
 */

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const network = 'evm:137';
const most = 240;
const amount = 20_000n;

let scene: Scene;
let chain: EvmWorld;
let payer: ArkadeEvmClient;
/** Swaps of strangers for which we locked. */
const locked: { readonly id: string; readonly by: ArkadeEvmClient }[] = [];
let strangers = 0;
let ends: string[] = [];
let beside: string[] = [];

async function opened(by: ArkadeEvmClient, from: string, as?: Uint8Array): Promise<ArkadeEvmRecord> {
  const record = await by.create(scene.node, amount, from, as);
  if (isRefusal(record)) throw new Error(record.sentence);
  return record;
}

/** One more stranger, each at one of ten addresses, who pays and never claims. */
async function another(): Promise<'refused' | 'locked' | 'stopped'> {
  strangers += 1;
  const by = arkadeEvmClient(chain, scene.client.publicKey, 0x60 + strangers);
  const created = await by.create(scene.node, amount, `203.0.113.${strangers % 10}`);
  if (isRefusal(created)) {
    expect(created).toMatchObject({ refusal: 'flood', retryAfter: 86_400 });
    return 'refused';
  }
  scene.world.faucet(created.btc_vhtlc_address, BigInt(created.source_amount));
  const end = await scene.node.until(created.id, 'locked', 'stopped');
  if (end === 'locked') locked.push({ id: created.id, by });
  return end === 'locked' ? 'locked' : 'stopped';
}

/** Swaps that one client opens at once, and funds; each create is refused, or its lock is made. */
async function sideBySide(): Promise<string[]> {
  const clients = [0x41, 0x42, 0x43].map((seed) => arkadeEvmClient(chain, scene.client.publicKey, seed));
  const made = await Promise.all(clients.map((by) => by.create(scene.node, amount, '198.51.100.20')));
  for (const one of made) if (!isRefusal(one)) scene.world.faucet(one.btc_vhtlc_address, BigInt(one.source_amount));
  const end = (one: ArkadeEvmRecord) => scene.node.until(one.id, 'locked', 'stopped');
  return Promise.all(made.map(async (one) => (isRefusal(one) ? 'refused' : end(one))));
}

/** What was mined cost less than it might have: room that a stranger takes again. */
async function fillUp(): Promise<void> {
  for (let i = 0; i < 20; i++) if ((await another()) === 'refused') return;
  throw new Error('strangers go on without an end');
}

const spent = () => scene.node.store.outlays.since(network, 0);

beforeAll(async () => {
  let now = (): number => startOfTests;
  chain = await startEvmWorld(() => now());
  const config = { ceilings: { unpaidGasPerDaySats: most } };
  scene = await openScene({ evm: chain, config, untilMs: 150_000 }, 'usual');
  now = scene.world.now;
  await eventually(() => scene.node.runtime.clock.now()[network]?.height !== undefined, 'the chain is read');
  payer = arkadeEvmClient(chain, scene.client.publicKey, 0x51);
  scene.world.faucet(scene.client.address, 200_000n);
  const record = await opened(payer, '198.51.100.7');
  await payer.pay(record, scene.client);
  await scene.node.until(record.id, 'locked');
  await payer.claim(scene.node, record.id);
  await scene.node.until(record.id, 'claimed');
  await eventually(() => spent().all === 0n, 'a swap that brought its fee counts no more');
  beside = await sideBySide();
  ends = [];
  for (let i = 0; i < 20; i++) ends.push(await another());
});

afterAll(async () => {
  await scene.end();
  await chain.stop();
});

describe('strangers that never claim', () => {
  test('fault 67, evm: their swaps stop at half of what a day may cost', () => {
    const { all, strangers: theirs } = spent();
    expect([all === theirs, new Set(ends)]).toEqual([true, new Set(['locked', 'refused'])]);
    expect(ends.indexOf('refused')).toBeGreaterThan(1);
    // Whoever comes last may go over it by what one swap costs.
    expect(Number(theirs)).toBeLessThan(most / 2 + 20);
  });

  test('fault 259, evm: of swaps that one client opens at once, none is stopped once it is funded', () => {
    expect(beside.toSorted()).toEqual(['locked', 'refused', 'refused']);
  });

  test('fault 67, evm: a client who paid before swaps on, from whatever address', async () => {
    await fillUp();
    const record = await opened(payer, '198.51.100.8');
    await payer.pay(record, scene.client);
    expect(await scene.node.until(record.id, 'locked', 'stopped')).toBe('locked');
    expect((await payer.claim(scene.node, record.id)).startsWith('clientredeem')).toBe(true);
    await scene.node.until(record.id, 'claimed');
  });

  test('whoever names the account of such a client has to pay as it does, or nothing is locked', async () => {
    await fillUp();
    const record = await opened(arkadeEvmClient(chain, scene.client.publicKey, 0x52), '203.0.113.99', payer.account);
    scene.world.faucet(record.btc_vhtlc_address, BigInt(record.source_amount));
    expect(await scene.node.until(record.id, 'locked', 'stopped')).toBe('stopped');
    expect(scene.node.status(record.id)).toBe('serverwontfund');
  });

  test('fault 67, evm: what is open is claimed, and taken back, above every ceiling', async () => {
    const [claimed, walkedAway] = locked;
    if (claimed === undefined || walkedAway === undefined) throw new Error('nothing was locked');
    await claimed.by.claim(scene.node, claimed.id);
    await scene.node.until(claimed.id, 'claimed');
    await scene.world.advance(13 * 3_600);
    await scene.node.until(walkedAway.id, 'returned');
    expect(scene.node.store.swaps.byId(walkedAway.id)?.flag).toBeNull();
  });
});
