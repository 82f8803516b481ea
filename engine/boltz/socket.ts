import type { DoorPeer, DoorSocket } from '../api/door.ts';
import { costs } from '../contract/routes/route.ts';
import { isRefusal } from '../domain/errors.ts';
import { createAgain, isTold, oneATurn } from './again.ts';
import type { DoorContext } from './context.ts';
import { statusOf, type Status } from './status.ts';
import { findSwap } from './swap.ts';
import type { Pair } from './pair.ts';
import { wordsSince, type Word } from './words.ts';

const channel = 'swap.update';
/** Ids of one frame, and of one connection. */
const mostOfFrame = 100;
const mostOfPeer = 1_000;

interface Frame {
  readonly op: 'subscribe' | 'unsubscribe';
  readonly args: readonly string[];
}

/** The frame, or what is wrong with it; `ping` is one of its own. */
function read(text: string): Frame | 'ping' | { readonly fault: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { fault: 'the frame is not JSON' };
  }
  const frame = (typeof json === 'object' && json !== null ? json : {}) as Readonly<Record<string, unknown>>;
  const { op, args } = frame;
  if (op === 'ping') return 'ping';
  if (op !== 'subscribe' && op !== 'unsubscribe') return { fault: 'op: it takes subscribe, unsubscribe or ping' };
  if (frame['channel'] !== channel) return { fault: `channel: it takes ${channel}` };
  if (!Array.isArray(args) || !args.every((id) => typeof id === 'string')) return { fault: 'args: it takes ids' };
  if (args.length > mostOfFrame) return { fault: `args: it takes ${mostOfFrame} ids at once` };
  return { op, args: args as string[] };
}

/** The WebSocket of this interface: an acknowledgement, the status of now, and then whatever it becomes. */
export function createSocketSide(door: DoorContext) {
  const { runtime } = door.context;
  /** By the id of a swap here: who wants to hear of it, and what it heard last. */
  const peersOf = new Map<string, Map<DoorPeer, Word | null>>();
  const idsOf = new Map<DoorPeer, Set<string>>();
  /** Ids whose status is being read; true where it is to be read again after that. */
  const reading = new Map<string, boolean>();
  /** Ids of swaps whose clients were told the last word of them. */
  const over = new Set<string>();

  const event = (peer: DoorPeer, name: string, more: object): void =>
    peer.send({ event: name, ...more, timestamp: String(runtime.clock.now().wall * 1_000) });

  /** One status in a frame: some clients read no further. */
  const tell = (peer: DoorPeer, id: string, status: Status | { readonly error: string }): void =>
    event(peer, 'update', { channel, args: [{ id, ...status }] });

  /** What moved meanwhile is told once, and in its order: one look at a time for a swap. */
  async function look(id: string): Promise<void> {
    if (reading.has(id)) return void reading.set(id, true);
    try {
      do {
        reading.set(id, false);
        const swap = findSwap(door, id);
        const status = isRefusal(swap) ? null : await statusOf(door, swap);
        const news = isRefusal(swap) || status === null ? null : { swap, status };
        if (news !== null) tellNews(id, news.swap.pair, news.status);
        const isOver = news !== null && isTold(news.swap);
        if (isOver && peersOf.has(id)) over.add(id);
        else over.delete(id);
      } while (reading.get(id) === true);
    } finally {
      reading.delete(id);
    }
  }

  function tellNews(id: string, pair: Pair, now: Status): void {
    const peers = peersOf.get(id) ?? new Map<DoorPeer, Word | null>();
    for (const [peer, last] of peers) {
      // A subscription begins with the status of now alone.
      const words = last === null ? [now.status] : wordsSince(pair, last, now.status);
      if (words.length > 0) peers.set(peer, now.status);
      for (const status of words) tell(peer, id, { ...now, status });
    }
  }

  const lookSoon = (id: string): void => runtime.background('telling of a swap', () => look(id));

  const lookAt = (ids: readonly string[]): Promise<void> =>
    oneATurn(ids, (id) => {
      if (peersOf.has(id)) lookSoon(id);
    });

  function subscribe(peer: DoorPeer, args: readonly string[]): void {
    const ids = idsOf.get(peer) ?? new Set<string>();
    if (ids.size + args.length > mostOfPeer)
      return event(peer, 'error', { error: `a connection takes ${mostOfPeer} ids: unsubscribe some` });
    if (!peer.affords(args.length * costs.id)) return;
    idsOf.set(peer, ids);
    event(peer, 'subscribe', { channel, args });
    for (const id of new Set(args)) {
      const swap = findSwap(door, id);
      if (isRefusal(swap)) {
        tell(peer, id, { error: swap.sentence });
        continue;
      }
      ids.add(id);
      peersOf.set(id, (peersOf.get(id) ?? new Map<DoorPeer, Word | null>()).set(peer, null));
    }
    runtime.background('telling of swaps', () => lookAt(args));
    followClock();
  }

  function forget(peer: DoorPeer, id: string): void {
    idsOf.get(peer)?.delete(id);
    peersOf.get(id)?.delete(peer);
    if (peersOf.get(id)?.size === 0) {
      peersOf.delete(id);
      over.delete(id);
    }
    followClock();
  }

  function message(peer: DoorPeer, text: string): void {
    const frame = read(text);
    if (frame === 'ping') return peer.send({ event: 'pong' });
    if ('fault' in frame) return event(peer, 'error', { error: frame.fault });
    if (frame.op === 'subscribe') return subscribe(peer, frame.args);
    for (const id of frame.args) forget(peer, id);
    event(peer, 'unsubscribe', { channel, args: [...(idsOf.get(peer) ?? [])] });
  }

  runtime.commits.onCommit(({ entry }) => {
    if (peersOf.size === 0) return;
    const id = runtime.store.boltzSwaps.idOf(entry.row.id);
    if (id !== null && peersOf.has(id)) lookSoon(id);
  });
  /** While anybody listens. */
  const followClock = createAgain(
    () => peersOf.size > 0,
    (act) => runtime.background('looking at swaps again', act),
    () => lookAt([...peersOf.keys()].filter((id) => !over.has(id))),
  );

  return {
    connect: (peer: DoorPeer): DoorSocket => ({
      message: (text) => message(peer, text),
      left() {
        for (const id of [...(idsOf.get(peer) ?? [])]) forget(peer, id);
        idsOf.delete(peer);
      },
    }),
  };
}
