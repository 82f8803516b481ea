import { setImmediate as turn } from 'node:timers/promises';
import type { DoorPeer, DoorSocket } from '../api/door.ts';
import { costs } from '../contract/routes/route.ts';
import { isRefusal } from '../domain/errors.ts';
import type { DoorContext } from './context.ts';
import { statusOf, type Status } from './status.ts';
import { findSwap, type DoorSwap } from './swap.ts';
import { wordOf, type Word } from './words.ts';

const channel = 'swap.update';
/** Ids of one frame, and of one connection. */
const mostOfFrame = 100;
const mostOfPeer = 1_000;
/** Milliseconds after which what only the clock moves is looked at again. */
const againAfter = 30_000;
/** What is written of a swap says these, and no clock moves them: only what is written next leads out of them. */
const lastWords: ReadonlySet<Word> = new Set<Word>([
  'swap.expired',
  'invoice.expired',
  'invoice.failedToPay',
  'invoice.settled',
  'transaction.claimed',
  'transaction.failed',
  'transaction.refunded',
]);

const writtenOf = ({ pair, entry }: DoorSwap): Word => wordOf(pair.kind, entry.row.status);

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

/** In one go thousands would hold up all else (facts/faults.md 178). */
async function oneATurn(ids: readonly string[], act: (id: string) => void): Promise<void> {
  for (const id of ids) {
    await turn();
    act(id);
  }
}

/** Acts every half minute, unless the last time is not over; what it answers is called when `isOn` may have changed. */
function createAgain(
  isOn: () => boolean,
  run: (act: () => Promise<void>) => void,
  act: () => Promise<void>,
): () => void {
  let timer: NodeJS.Timeout | null = null;
  let isActing = false;

  async function once(): Promise<void> {
    if (isActing) return;
    isActing = true;
    await act();
    isActing = false;
  }

  return () => {
    if (isOn() && timer === null) {
      timer = setInterval(() => run(once), againAfter);
      timer.unref();
    } else if (!isOn() && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
}

/** The WebSocket of this interface: an acknowledgement, the status of now, and then whatever it becomes. */
export function createSocketSide(door: DoorContext) {
  const { runtime } = door.context;
  /** By the id of a swap here: who wants to hear of it, and what it heard last. */
  const peersOf = new Map<string, Map<DoorPeer, string | null>>();
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
        if (status !== null) tellNews(id, status);
        const isOver = status !== null && !isRefusal(swap) && lastWords.has(writtenOf(swap));
        if (isOver && peersOf.has(id)) over.add(id);
        else over.delete(id);
      } while (reading.get(id) === true);
    } finally {
      reading.delete(id);
    }
  }

  function tellNews(id: string, status: Status): void {
    const peers = peersOf.get(id) ?? new Map<DoorPeer, string | null>();
    for (const [peer, last] of peers) {
      if (last === status.status) continue;
      peers.set(peer, status.status);
      tell(peer, id, status);
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
      peersOf.set(id, (peersOf.get(id) ?? new Map<DoorPeer, string | null>()).set(peer, null));
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
