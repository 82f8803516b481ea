import type { SwapStatus } from '../domain/status.ts';

/** The protocol of `/ws` (facts/clients.md 8), apart from sockets. */
export interface StatusStream<Peer> {
  message(peer: Peer, text: string): void;
  changed(id: string, status: SwapStatus): void;
  left(peer: Peer): void;
}

const channel = 'swap_status';
/**
 * Some published clients send all their ids in one frame, and ignore what is wrong with it (facts/clients.md 9): the
 * first ones are taken.
 */
const mostSubscriptions = 256;

interface Frame {
  readonly op: 'subscribe' | 'unsubscribe';
  readonly args: readonly string[];
}

/** The frame, or what is wrong with it. */
function read(text: string): Frame | { readonly op: string; readonly fault: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return {
      op: 'error',
      fault: 'The frame is not JSON: send {"op":"subscribe","channel":"swap_status","args":[id]}.',
    };
  }
  const frame = (typeof json === 'object' && json !== null ? json : {}) as {
    op?: unknown;
    channel?: unknown;
    args?: unknown;
  };
  const { op, args } = frame;
  if (op !== 'subscribe' && op !== 'unsubscribe') return { op: 'error', fault: 'op must be subscribe or unsubscribe.' };
  if (frame.channel !== channel) return { op, fault: `channel must be ${channel}.` };
  if (!Array.isArray(args) || !args.every((id) => typeof id === 'string' && id.length <= 100))
    return { op, fault: 'args must be a list of swap ids.' };
  return { op, args: args as string[] };
}

export function statusStream<Peer>(
  statuses: (ids: readonly string[]) => readonly { readonly id: string; readonly status: SwapStatus }[],
  send: (peer: Peer, frame: unknown) => void,
  /**
   * Takes what looking up so many swaps costs from the peer's allowance; false, and nothing is answered, when it has
   * too little.
   */
  affords: (peer: Peer, ids: number) => boolean = () => true,
): StatusStream<Peer> {
  const peersOf = new Map<string, Set<Peer>>();
  const idsOf = new Map<Peer, Set<string>>();

  function subscribe(peer: Peer, args: readonly string[]): void {
    const ids = idsOf.get(peer) ?? new Set<string>();
    const wanted = new Set(args);
    const taken = [...wanted].filter((id) => ids.has(id) || (ids.size < mostSubscriptions && ids.add(id)));
    // What is dropped costs nothing, or a client with many swaps would be cut off for them at every reconnection.
    if (!affords(peer, taken.length)) return;
    idsOf.set(peer, ids);
    for (const id of taken) peersOf.set(id, (peersOf.get(id) ?? new Set()).add(peer));
    send(peer, { op: 'subscribed', channel, args: taken });
    send(peer, { channel, data: Object.fromEntries(statuses(taken).map(({ id, status }) => [id, status])) });
    const dropped = wanted.size - taken.length;
    if (dropped === 0) return;
    send(peer, {
      op: 'error',
      message:
        `${dropped} ${dropped === 1 ? 'swap was' : 'swaps were'} not subscribed: a connection takes ` +
        `${mostSubscriptions}. Unsubscribe some, or use another connection.`,
    });
  }

  function forget(peer: Peer, id: string): void {
    idsOf.get(peer)?.delete(id);
    const peers = peersOf.get(id);
    peers?.delete(peer);
    if (peers?.size === 0) peersOf.delete(id);
  }

  return {
    message(peer, text) {
      const frame = read(text);
      if ('fault' in frame) return send(peer, { op: frame.op, message: frame.fault });
      if (frame.op === 'subscribe') return subscribe(peer, frame.args);
      for (const id of frame.args) forget(peer, id);
      send(peer, { op: 'unsubscribed', channel, args: frame.args });
    },
    changed(id, status) {
      for (const peer of peersOf.get(id) ?? []) send(peer, { channel, data: { [id]: status } });
    },
    left(peer) {
      for (const id of [...(idsOf.get(peer) ?? [])]) forget(peer, id);
      idsOf.delete(peer);
    },
  };
}
