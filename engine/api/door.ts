import type { Answered } from './answers.ts';

/** A request below the path of another interface. */
export interface DoorCall {
  readonly method: string;
  /** Below the door's own path, its escapes read; without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Whose requests are counted together; null for whoever is not counted. */
  readonly client: string | null;
  /** Aborted once nobody waits for the answer. */
  readonly signal: AbortSignal;
  /** Takes units from the caller's allowance; answers the seconds to wait, or 0. */
  charge(units: number): number;
}

/** What a door may do with one WebSocket. */
export interface DoorPeer {
  send(frame: unknown): void;
  /** Takes units from the allowance of whoever opened it; false, and it is closed, where there are too few. */
  affords(units: number): boolean;
}

/** The door's end of one WebSocket. */
export interface DoorSocket {
  message(text: string): void;
  left(): void;
}

/**
 * Another interface of the node on the same listener, below a path of its own: the same names, origins, limits and
 * connections, with requests, answers and refusals in its own shapes.
 */
export interface Door {
  /** Units that a request costs before anything of it is read. */
  cost(method: string, path: string): number;
  answer(call: DoorCall): Promise<Answered>;
  connect(peer: DoorPeer): DoorSocket;
}

/** Where each door is, and its WebSocket. */
export const doorPath = '/v2/';
export const doorSocketPath = '/v2/ws';
