import type { Socket } from 'node:net';
import { holderOf } from '../domain/site.ts';

/** Connections at once, of everybody but the owner. */
const mostSockets = 1_024;
/** Connections beyond a limit that are heard all the same: one of them may be the owner's. */
const onApproval = 64;
/** Milliseconds in which such a connection has to show the owner's token. */
const patience = 3_000;

export const defaultSocketsPerClient = 640;

/** Who has used up its connections: this client, or all of them together. */
export type Crowded = 'client' | 'all';

export interface Sockets {
  /**
   * A new connection. `peer` is whose it is as far as its address says; null where that address speaks for many, as a
   * proxy's does.
   */
  came(socket: Socket, peer: string | null): void;
  /** Its next request says whose it is, null for the owner. Answers null where it may stay. */
  serves(socket: Socket, client: string | null): Crowded | null;
  /** The request is over: the connection is its peer's again. */
  rests(socket: Socket): void;
}

interface Place {
  readonly peer: string | null;
  /** Null where it counts for no client. */
  client: string | null;
  is: 'counted' | 'on approval' | "the owner's" | 'closed';
  /** It sent a request without the owner's token. */
  isStrangers: boolean;
}

/**
 * Who holds connections to the server (facts/faults.md 52). A client has fewer than there are, and the owner's count
 * apart; the IPv6 networks of a site count as one client. Where all are taken, whoever holds most gives way to a client
 * that holds less (facts/faults.md 331): two clients never keep everybody else out. Whether a connection is the owner's
 * shows in its first request: so some beyond the limits are accepted for a moment. When another one comes, one leaves
 * that has shown already that it is not the owner's, and only where there is none the oldest: else whoever opens
 * connections fast enough would close the owner's before it has said anything.
 */
export function createSockets(perClient: () => number): Sockets {
  const places = new Map<Socket, Place>();
  const waiting = new Set<Socket>();
  const held = new Map<string, number>();
  let all = 0;

  const heldBy = (client: string | null): number => (client === null ? 0 : (held.get(holderOf(client)) ?? 0));

  function count(place: Place, by: 1 | -1): void {
    all += by;
    if (place.client === null) return;
    const now = heldBy(place.client) + by;
    if (now === 0) held.delete(holderOf(place.client));
    else held.set(holderOf(place.client), now);
  }

  /** Takes the place out of what is counted, whatever it was. */
  function leave(socket: Socket, place: Place): void {
    if (place.is === 'counted') count(place, -1);
    waiting.delete(socket);
  }

  function enter(place: Place, client: string | null): Crowded | null {
    if (client !== null && heldBy(client) >= perClient()) return 'client';
    if (all >= mostSockets && !oneGivesWayTo(client)) return 'all';
    place.client = client;
    place.is = 'counted';
    count(place, 1);
    return null;
  }

  /** Closes the oldest connection of whoever holds most, where that is more than this client would then. */
  function oneGivesWayTo(client: string | null): boolean {
    let [most, largest] = [heldBy(client) + 1, ''];
    for (const [holder, count] of held) if (count > most) [most, largest] = [count, holder];
    if (largest === '') return false;
    for (const [socket, place] of places) {
      if (place.is !== 'counted' || place.client === null || holderOf(place.client) !== largest) continue;
      leave(socket, place);
      place.is = 'closed';
      socket.destroy();
      return true;
    }
    return false;
  }

  function oneThatLeaves(): Socket | undefined {
    for (const socket of waiting) if (places.get(socket)?.isStrangers === true) return socket;
    return waiting.values().next().value;
  }

  function wait(socket: Socket, place: Place): void {
    place.is = 'on approval';
    if (waiting.size >= onApproval) oneThatLeaves()?.destroy();
    waiting.add(socket);
    const timer = setTimeout(() => {
      if (waiting.has(socket)) socket.destroy();
    }, patience);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  }

  return {
    came(socket, peer) {
      const place: Place = { peer, client: peer, is: 'on approval', isStrangers: false };
      places.set(socket, place);
      socket.once('close', () => {
        leave(socket, place);
        places.delete(socket);
      });
      if (enter(place, peer) !== null) wait(socket, place);
    },
    serves(socket, client) {
      const place = places.get(socket);
      if (place === undefined || (place.is === 'counted' && client !== null && place.client === client)) return null;
      leave(socket, place);
      if (client === null) {
        place.is = "the owner's";
        return null;
      }
      const crowded = enter(place, client);
      place.isStrangers = true;
      if (crowded !== null) wait(socket, place);
      return crowded;
    },
    rests(socket) {
      const place = places.get(socket);
      if (place === undefined || place.is !== 'counted' || place.client === place.peer) return;
      count(place, -1);
      place.client = place.peer;
      count(place, 1);
    },
  };
}
