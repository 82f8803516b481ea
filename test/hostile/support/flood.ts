import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { send, type Json } from '../../stories/client/http.ts';
import { dearest } from '../../support/dear-calls.ts';
import type { Arena } from './arena.ts';
import { count, type Kind, type Tally } from './kind.ts';

/** Swaps that an address may have open without funding them, as the node under test is told. */
export const openCreatesPerClient = 25;

const addresses = ['203.0.113.1', '203.0.113.2', '203.0.113.3'];
const connections = 4;
const sockets = 60;
/** Creates that nobody funds, and the dearest questions there are, as fast as a few connections bring them. */
export const flood: Kind = async (arena, tally, isOver) => {
  const held = openSockets(arena);
  const opened = new Map<string, number>();
  await Promise.all(
    addresses.flatMap((address) =>
      Array.from({ length: connections }, async () => {
        while (!isOver()) {
          await one(arena, tally, address, opened);
          await pause(arena.chance.between(0, 40));
        }
      }),
    ),
  );
  for (const socket of held) socket.terminate();
};

async function one(
  { node, stage, chance, age }: Arena,
  tally: Tally,
  address: string,
  opened: Map<string, number>,
): Promise<void> {
  const isCreate = chance.next() < 0.7;
  const [path, body] = isCreate ? create(stage) : dearCall(stage);
  // Places come back when the node starts anew and when the funding windows are over.
  const before = age();
  const sent = { 'x-forwarded-for': address };
  const reply = await send(node.url, 'POST', path, JSON.parse(body) as Json, sent).catch(() => null);
  if (reply === null) return;
  const { status } = reply;
  // 503: not now.
  if (status >= 500 && status !== 503) throw new Error(`POST ${path} of a flood answered ${status}`);
  const why = status === 503 ? `: ${String(reply.body['error'])}` : '';
  count(tally, `${isCreate ? 'creates' : 'other calls'} answered ${status}${why}`);
  if (!isCreate || status !== 200 || age() !== before) return;
  const place = `${address} ${before}`;
  const now = (opened.get(place) ?? 0) + 1;
  opened.set(place, now);
  if (now > openCreatesPerClient)
    throw new Error(`${address} has ${now} swaps that wait for their funding, ${openCreatesPerClient} are the most`);
}

function create({ wallet, chance }: Arena['stage']): readonly [path: string, body: string] {
  return [
    '/swap/lightning/arkade',
    JSON.stringify({
      arkade_htlc_script_version: 1,
      claim_pk: wallet.publicKey,
      hash_lock: `0x${randomBytes(32).toString('hex')}`,
      target_arkade_address: wallet.address,
      user_id: randomUUID(),
      source_amount_sats: Math.floor(chance.between(2_000, 60_000)),
    }),
  ];
}

function dearCall({ scenarios, chance }: Arena['stage']): readonly [path: string, body: string] {
  const some = scenarios.length === 0 ? randomUUID() : chance.pick(scenarios).record.id;
  return chance.pick(dearest(some))();
}

/** They say nothing and are never ended. */
function openSockets({ node }: Arena): WebSocket[] {
  return Array.from({ length: sockets }, () => {
    const headers = { 'x-forwarded-for': addresses[0] };
    return new WebSocket(`${node.url.replace('http', 'ws')}/ws`, { headers }).on('error', () => undefined);
  });
}
