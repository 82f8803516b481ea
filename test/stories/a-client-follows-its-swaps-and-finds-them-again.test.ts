import { randomBytes } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { hex } from '@scure/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { hashLockOf } from './client/vhtlc.ts';
import type { Client } from './client/client.ts';
import { startWireNode, type WireNode } from './wire-node.ts';

let node: WireNode;
let client: Client;

beforeAll(async () => {
  node = await startWireNode();
  client = await node.client();
});

afterAll(() => node.stop());

interface Frame {
  readonly op?: string;
  readonly channel?: string;
  readonly args?: readonly string[];
  readonly data?: Readonly<Record<string, string>>;
}

async function open(): Promise<{
  frames: Frame[];
  say(frame: object): void;
  until(test: (frames: Frame[]) => boolean): Promise<void>;
  close(): void;
}> {
  const socket = new WebSocket(`${node.url.replace('http', 'ws')}/ws`);
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data: Buffer) => {
    frames.push(JSON.parse(data.toString('utf8')) as Frame);
    for (const look of waiting) look();
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    frames,
    say: (frame) => socket.send(JSON.stringify(frame)),
    until: (reached) =>
      new Promise((resolve, reject) => {
        const patience = setTimeout(() => reject(new Error(`only ${JSON.stringify(frames)}`)), 15_000);
        function look(): void {
          if (!reached(frames)) return;
          clearTimeout(patience);
          waiting.delete(look);
          resolve();
        }
        waiting.add(look);
        look();
      }),
    close: () => socket.close(),
  };
}

function statusesIn(frames: readonly Frame[], id: string): string[] {
  return frames.flatMap(({ data }) => data?.[id] ?? []);
}

test('a socket tells where a swap is at once, then every step, and nothing after it was left', async () => {
  const [swap, other] = [
    await client.lightningToArkade({ source: 20_000 }),
    await client.lightningToArkade({ source: 20_000 }),
  ];
  const socket = await open();
  socket.say({ op: 'subscribe', channel: 'swap_status', args: [swap.id, other.id] });
  await socket.until((frames) => statusesIn(frames, swap.id).length > 0);
  socket.say({ op: 'unsubscribe', channel: 'swap_status', args: [other.id] });
  await socket.until((frames) => frames.some(({ op }) => op === 'unsubscribed'));
  for (const each of [other, swap]) {
    await node.pay(each.bolt11);
    await node.until(each, 'serverfunded');
    await client.claim(each);
  }
  await socket.until((frames) => statusesIn(frames, swap.id).includes('serverredeemed'));
  expect({
    ack: socket.frames[0],
    swap: statusesIn(socket.frames, swap.id),
    other: statusesIn(socket.frames, other.id),
  }).toEqual({
    ack: { op: 'subscribed', channel: 'swap_status', args: [swap.id, other.id] },
    swap: ['pending', 'clientfunded', 'serverfunded', 'clientredeemed', 'serverredeemed'],
    other: ['pending'],
  });
  socket.close();
});

test('many statuses are asked for in one request, each answered once and unknown ids apart', async () => {
  const swap = await client.lightningToArkade({ source: 20_000 });
  const unknown = ['00000000-0000-4000-8000-000000000000', 'nonsense'];
  const bulk = await node.raw('POST', '/swap/bulk-status', { ids: [swap.id, ...unknown, swap.id, ...unknown] });
  const tooMany = await node.raw('POST', '/swap/bulk-status', { ids: Array.from({ length: 101 }, () => swap.id) });
  expect([bulk, tooMany.status]).toEqual([
    { status: 200, body: { statuses: [{ id: swap.id, status: 'pending' }], not_found: unknown } },
    400,
  ]);
});

test('a wallet finds its swaps of both directions by its extended public key, over gaps and pages', async () => {
  const account = HDKey.fromMasterSeed(randomBytes(32)).derive("m/9419'/121923'/0'");
  const ids = account.deriveChild(9419).deriveChild(121923);
  const user = (index: number): string => hex.encode(ids.deriveChild(index).publicKey as Uint8Array);
  const first = await client.lightningToArkade({ source: 20_000, userId: user(0) });
  const second = await client.arkadeToLightning((await node.invoice(20_000)).bolt11, user(7));
  const third = await client.lightningToArkade({ source: 20_000, userId: user(125) });
  const xpub = account.publicExtendedKey;
  const { body } = await node.raw('POST', '/swap/recover', { xpub });
  const rest = await node.raw('POST', '/swap/recover', { xpub, start_index: 200 });
  const last = await node.raw('POST', '/swap/recover', { xpub, start_index: 2 ** 31 - 1 });
  const swaps = (body['swaps'] as { id: string; index: number; direction: string; arkade_vhtlc_address: string }[]).map(
    ({ id, index, direction, arkade_vhtlc_address }) => ({ id, index, direction, arkade_vhtlc_address }),
  );
  const none = await node.raw('POST', '/swap/recover', {
    xpub: HDKey.fromMasterSeed(randomBytes(32)).publicExtendedKey,
  });
  const secret = await node.raw('POST', '/swap/recover', { xpub: account.privateExtendedKey });
  const wrong = await node.raw('POST', '/swap/recover', { xpub: 'xpub1234' });
  const { swaps: _, ...place } = body;
  expect({ swaps, place, rest: rest.body, last: last.body, none: none.body, wrong: wrong.status, secret }).toEqual({
    swaps: [
      { id: first.id, index: 0, direction: 'lightning_to_arkade', arkade_vhtlc_address: first.vhtlc.address },
      { id: second.id, index: 7, direction: 'arkade_to_lightning', arkade_vhtlc_address: second.vhtlc.address },
      { id: third.id, index: 125, direction: 'lightning_to_arkade', arkade_vhtlc_address: third.vhtlc.address },
    ],
    // The page ended before the gap did: the client asks on.
    place: { highest_index: 125, next_index: 126, scanned_until: 199, complete: false },
    rest: { swaps: [], highest_index: 0, next_index: 200, scanned_until: 319, complete: true },
    last: { swaps: [], highest_index: 0, next_index: 2 ** 31 - 1, scanned_until: 2 ** 31 - 1, complete: true },
    none: { swaps: [], highest_index: 0, next_index: 0, scanned_until: 119, complete: true },
    wrong: 400,
    secret: { status: 400, body: { error: expect.stringContaining('private') } },
  });
});

test('a used hash is refused with the texts that clients look for', async () => {
  const secret = randomBytes(32);
  const body = {
    arkade_htlc_script_version: 1,
    claim_pk: client.arkade.publicKey,
    hash_lock: hashLockOf(secret),
    target_arkade_address: client.arkade.address,
    user_id: 'story',
    source_amount_sats: 20_000,
  };
  const first = await node.raw('POST', '/swap/lightning/arkade', body);
  const again = await node.raw('POST', '/swap/lightning/arkade', body);
  const { bolt11 } = await node.invoice(20_000);
  const pay = {
    arkade_htlc_script_version: 1,
    refund_pk: client.arkade.publicKey,
    user_id: 'story',
    lightning_invoice: bolt11,
  };
  const paid = await node.raw('POST', '/swap/arkade/lightning', pay);
  const paidAgain = await node.raw('POST', '/swap/arkade/lightning', pay);
  expect([
    first.status,
    again.status,
    again.body['error'],
    paid.status,
    paidAgain.status,
    paidAgain.body['error'],
  ]).toEqual([
    200,
    409,
    expect.stringContaining('a swap with this preimage hash exists already'),
    200,
    409,
    expect.stringContaining('a swap with this invoice exists already'),
  ]);
});

test('fault 19: a hash is used once over all directions, and neither zeros nor half a hash are one', async () => {
  const { bolt11, hash } = await node.invoice(20_000);
  await client.arkadeToLightning(bolt11);
  const create = (hash_lock: string) =>
    node.raw('POST', '/swap/lightning/arkade', {
      arkade_htlc_script_version: 1,
      claim_pk: client.arkade.publicKey,
      hash_lock,
      target_arkade_address: client.arkade.address,
      user_id: 'story',
      source_amount_sats: 20_000,
    });
  const replies = [
    await create(`0x${hash}`),
    await create(`0x${'00'.repeat(32)}`),
    await create(`0x${'ab'.repeat(20)}`),
    await create(hash),
  ];
  expect(replies.map(({ status, body }) => [status, body['error']])).toEqual([
    [409, expect.stringContaining('a swap with this preimage hash exists already')],
    [400, expect.stringContaining('hash_lock')],
    [400, expect.stringContaining('hash_lock')],
    [400, expect.stringContaining('hash_lock')],
  ]);
});

test('twenty creates of one hash at once make one swap', async () => {
  const body = {
    arkade_htlc_script_version: 1,
    claim_pk: client.arkade.publicKey,
    hash_lock: hashLockOf(randomBytes(32)),
    target_arkade_address: client.arkade.address,
    user_id: 'story',
    source_amount_sats: 20_000,
  };
  const replies = await Promise.all(Array.from({ length: 20 }, () => node.raw('POST', '/swap/lightning/arkade', body)));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
});
