import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { parse } from '../../../engine/contract/field.ts';
import { ownerSwapsQuery } from '../../../engine/contract/owner/swaps.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { asPublicKey } from '../../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { startOfTests } from '../../sandbox/worlds.ts';
import { arkadeEvmClient } from '../../support/arkade-evm-client.ts';
import { startEvmWorld, type EvmWorld } from '../../support/evm/world.ts';
import { evmNetworkOfWorld } from '../../support/node-evm.ts';
import { payArkadeLightning } from '../../support/openings.ts';
import { eventually, openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
let chain: EvmWorld;
beforeAll(async () => {
  let now = (): number => startOfTests;
  chain = await startEvmWorld(() => now());
  scene = await openScene({ evm: chain }, 'usual');
  now = scene.world.now;
  await eventually(() => scene.node.runtime.clock.now()[evmNetworkOfWorld]?.height !== undefined, 'the chain is read');
}, 120_000);
afterAll(async () => {
  await scene.end();
  await chain.stop();
});

/** Which ids a text brings, by whether only open swaps are looked at. */
async function idsBy(texts: Readonly<Record<string, string>>, open: boolean | null, limit = 50) {
  const wire = { limit: `${limit}`, ...(open === null ? {} : { open: `${open}` }) };
  const entries = Object.entries(texts).map(async ([name, q]) => {
    const query = parse(ownerSwapsQuery, { ...wire, q });
    if (isRefusal(query)) throw new Error(query.sentence);
    const page = await scene.node.service.owner.swaps(query);
    if (isRefusal(page)) throw new Error(page.sentence);
    return [name, page.swaps.map(({ id }) => id)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

const each = (texts: Readonly<Record<string, string>>, ids: readonly string[]) =>
  Object.fromEntries(Object.keys(texts).map((name) => [name, ids]));

test('a text brings the swaps whose id has it, or that have what begins with it, open or over', async () => {
  const beside = scene.client.secret();
  await scene.client.createLightningArkade(scene.node, 50_000n, beside);
  const { record, coin, hash, release } = await payArkadeLightning(scene);
  const { id, arkade_vhtlc_address: address } = record;
  const { bolt11 } = scene.node.runtime.workingSet.find(id)?.row.terms as { readonly bolt11: string };
  const texts = {
    'the id': id,
    'a part of it': id.slice(9, 23).toUpperCase(),
    'its hash': toHex(hash),
    'its hash with 0x, and capitals': `0x${toHex(hash).toUpperCase()}`,
    'what its hash begins with': toHex(hash).slice(0, 20),
    'its address': address,
    'its address in capitals': address.toUpperCase(),
    // Addresses of one operator begin alike.
    'what its address begins with': address.slice(0, -10),
    'its invoice, as a link': `lightning:${bolt11}`,
    'its invoice in capitals, as of a QR code': bolt11.toUpperCase(),
    'the transaction that paid it': coin.txid,
    'its coin': `${coin.txid}:${coin.vout}`,
  };
  expect(await idsBy(texts, true)).toEqual(each(texts, [id]));
  expect(await idsBy(texts, null)).toEqual(each(texts, [id]));
  expect(await idsBy(texts, false)).toEqual(each(texts, []));
  release('settles');
  await scene.node.until(id, 'claimed');
  await eventually(() => scene.node.store.swaps.isOpen(id) === false, 'the swap is over');
  const [claim] = scene.node.store.transactions.of(id);
  const later = { ...texts, 'our claim': claim?.txid ?? 'none', 'what it begins with': claim?.txid.slice(0, 16) ?? '' };
  expect(await idsBy(later, false)).toEqual(each(later, [id]));
  expect(await idsBy(later, null)).toEqual(each(later, [id]));
  expect(await idsBy(later, true)).toEqual(each(later, []));
}, 60_000);

test('an address of an EVM chain is met in any writing, and names of what swaps have bring nothing', async () => {
  const by = arkadeEvmClient(chain, scene.client.publicKey, 0x51);
  const record = await by.create(scene.node, 20_000n);
  if (isRefusal(record)) throw new Error(record.sentence);
  const texts = { 'as the client says it': `0x${toHex(by.account)}`, 'without 0x': toHex(by.account).toUpperCase() };
  expect(await idsBy(texts, true)).toEqual(each(texts, [record.id]));
  expect(await idsBy(texts, null)).toEqual(each(texts, [record.id]));
  const none = { short: toHex(by.account).slice(0, 15), signs: '%"%"%"%"%"%"%"%"%"', nothing: 'ab'.repeat(32) };
  expect(await idsBy(none, true)).toEqual(each(none, []));
  expect(await idsBy(none, null)).toEqual(each(none, []));
}, 60_000);

test('a whole id of a swap brings it alone, whatever others name themselves by', async () => {
  const { client, node, world } = scene;
  const { id } = await client.createLightningArkade(node, 50_000n, client.secret());
  const key = { key: asPublicKey(fromHex(client.publicKey)), text: client.publicKey };
  const { bolt11 } = world.invoice(50_000n);
  const payee = { is: 'invoice', bolt11, amount: sats(50_000n) } as const;
  const request = { userId: id, extraFeesBps: 0, referralCode: null, refundKey: key, payee };
  const other = await node.service.create('arkade-lightning', request, null);
  if (isRefusal(other)) throw new Error(other.sentence);
  // Half of it is enough to stand before what nobody paid for.
  world.faucet(other.arkade_vhtlc_address, BigInt(other.source_amount) / 2n + 1n);
  await node.until(other.id, 'stopped');
  const texts = { whole: id, 'in capitals, with spaces': ` ${id.toUpperCase()} ` };
  expect(await idsBy(texts, true, 1)).toEqual(each(texts, [id]));
  expect(await idsBy(texts, null)).toEqual(each(texts, [id]));
});

test('one search goes through the history at a time, and what waits for it goes through it once', async () => {
  const turns: string[] = [];
  const scan = vi.spyOn(scene.node.store.swaps, 'withWord').mockImplementation((word, from) => {
    turns.push(word.slice(0, 1));
    if (word.startsWith('b')) throw new Error('the disk fails');
    return { ids: [], next: from < 2 ? from + 1 : null };
  });
  onTestFinished(() => scan.mockRestore());
  const [a, b, c] = ['a'.repeat(20), 'b'.repeat(20), 'c'.repeat(20)];
  const searches = [a, b, c, c].map((text) => idsBy({ text }, null));
  expect((await Promise.allSettled(searches)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(turns.join('')).toBe('aaabccc');
});
