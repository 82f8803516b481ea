import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { send, type Json } from '../../stories/client/http.ts';
import type { Stage } from '../../crash/support/scenario.ts';
import { dearest } from '../../support/dear-calls.ts';
import type { Arena } from './arena.ts';
import { count, type Kind, type Tally } from './kind.ts';

/** Swaps that an address may have open without funding them, as the node under test is told. */
export const openCreatesPerClient = 25;

/** What a flood asks for. */
export interface Ask {
  readonly path: string;
  readonly body: Json;
  readonly isCreate: boolean;
}

/** How a door is flooded: from a few addresses, and over connections that nobody ends. */
export interface Flood {
  readonly door: string;
  readonly addresses: readonly string[];
  readonly socketPath: string;
  readonly ask: (stage: Stage, reply: Json | null) => Ask;
}

const connections = 4;
const sockets = 60;

/** Creates that nobody funds, and the dearest questions there are, as fast as a few connections bring them. */
export function floodOf(flood: Flood): Kind {
  return async (arena, tally, isOver) => {
    const held = openSockets(arena, flood);
    const opened = new Map<string, number>();
    await Promise.all(
      flood.addresses.flatMap((address) =>
        Array.from({ length: connections }, async () => {
          let last: Json | null = null;
          while (!isOver()) {
            last = (await one(arena, tally, address, opened, flood, last)) ?? last;
            await pause(arena.chance.between(0, 40));
          }
        }),
      ),
    );
    for (const socket of held) socket.terminate();
  };
}

/** The swap that was made, if one was. */
async function one(
  { node, stage, age }: Arena,
  tally: Tally,
  address: string,
  opened: Map<string, number>,
  { door, ask }: Flood,
  last: Json | null,
): Promise<Json | null> {
  const { path, body, isCreate } = ask(stage, last);
  // Places come back when the node starts anew and when the funding windows are over.
  const before = age();
  const reply = await send(node.url, 'POST', path, body, { 'x-forwarded-for': address }).catch(() => null);
  if (reply === null) return null;
  const { status } = reply;
  // 503: not now.
  if (status >= 500 && status !== 503) throw new Error(`POST ${path} of a flood answered ${status}`);
  const why = status === 503 ? `: ${String(reply.body['error'])}` : '';
  count(tally, `${isCreate ? 'creates' : 'other calls'}${door} answered ${status}${why}`);
  if (!isCreate || (status !== 200 && status !== 201)) return null;
  if (age() !== before) return reply.body;
  const place = `${address} ${before}`;
  const now = (opened.get(place) ?? 0) + 1;
  opened.set(place, now);
  if (now > openCreatesPerClient)
    throw new Error(`${address} has ${now} swaps that wait for their funding, ${openCreatesPerClient} are the most`);
  return reply.body;
}

/** They say nothing and are never ended. */
function openSockets({ node }: Arena, { addresses, socketPath }: Flood): WebSocket[] {
  return Array.from({ length: sockets }, () => {
    const headers = { 'x-forwarded-for': addresses[0] };
    return new WebSocket(`${node.url.replace('http', 'ws')}${socketPath}`, { headers }).on('error', () => undefined);
  });
}

/** Over the door of this project's own interface. */
export const flood = floodOf({
  door: '',
  addresses: ['203.0.113.1', '203.0.113.2', '203.0.113.3'],
  socketPath: '/ws',
  ask: (stage) => (stage.chance.next() < 0.7 ? create(stage) : dearCall(stage)),
});

function create({ wallet, chance }: Stage): Ask {
  return {
    path: '/swap/lightning/arkade',
    body: {
      arkade_htlc_script_version: 1,
      claim_pk: wallet.publicKey,
      hash_lock: `0x${randomBytes(32).toString('hex')}`,
      target_arkade_address: wallet.address,
      user_id: randomUUID(),
      source_amount_sats: Math.floor(chance.between(2_000, 60_000)),
    },
    isCreate: true,
  };
}

function dearCall({ scenarios, chance }: Stage): Ask {
  const some = scenarios.length === 0 ? randomUUID() : chance.pick(scenarios).record.id;
  const [path, body] = chance.pick(dearest(some))();
  return { path, body: JSON.parse(body) as Json, isCreate: false };
}
