import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { tokenProof } from '../domain/token-proof.ts';
import { failed, tooMany, type Answered } from './answers.ts';
import { bodyPatience } from './body.ts';
import { clientOf, peerOf } from './client-of.ts';
import type { Caller } from './dispatch.ts';
import { createFlood, defaultFlood, type Admit, type FloodOptions } from './flood.ts';
import { createGate, type Gate } from './gate.ts';
import { createSockets, defaultSocketsPerClient, type Crowded } from './sockets.ts';
import { bearer, createTokenCheck } from './token.ts';
import { createTurns } from './turns.ts';

/** By which names and how often the server may be called; the owner changes it while the node runs. */
export interface ServerRules {
  readonly hostnames?: readonly string[];
  readonly origins?: readonly string[];
  /** Believe what a proxy on this machine adds to X-Forwarded-For. */
  readonly trustLoopbackProxy?: boolean;
  /** Null sets no limit, for benchmarks. */
  readonly flood?: FloodOptions | null;
  /** Milliseconds that a body may take. */
  readonly bodyPatience?: number;
}

/** Who is let in: by what name of ours, with whose token, and how much at once. */
export interface Admission {
  gate(): Gate;
  isOwner(token: string | undefined): boolean;
  /** Whether the request bears the owner's token. */
  isOwners(request: IncomingMessage): boolean;
  /**
   * Why a request is turned away before anything of it is read, or null: its connection is one too many, or its client
   * used up what it has. `byOwner` where the owner's token came by another way than the header.
   */
  turnedAwayAs(request: IncomingMessage, cost: number, byOwner?: boolean): Answered | null;
  /** Takes units from the allowance of whoever sent it; answers the seconds to wait, or 0. */
  readonly charge: Admit<IncomingMessage>;
  callerOf(request: IncomingMessage): { readonly client: string | null } & Required<Pick<Caller, 'charge' | 'prove'>>;
  /** To be awaited before a stranger's work; undefined for who may begin at once, as the owner always may. */
  turnOf(request: IncomingMessage): Promise<void> | undefined;
  /** A new connection. */
  came(socket: Socket): void;
  /** Its request is answered. */
  rests(socket: Socket): void;
  bodyPatience(): number;
  /** The port belongs to the names by which the server is called, and shows when it listens. */
  listensAt(port: number): void;
  /** Requests from here on are judged by these; what a client used up of its limit is forgotten. */
  apply(rules: ServerRules): void;
}

/** The name under which the owner's requests are counted; no address. */
const theOwner = 'owner';

export function createAdmission(options: { rules: ServerRules; ownerToken: string; port: number }): Admission {
  const isOwner = createTokenCheck(options.ownerToken);
  const turns = createTurns();
  const sockets = createSockets(() =>
    rules.flood === null ? Infinity : (rules.flood?.socketsPerClient ?? defaultSocketsPerClient),
  );
  let { rules, port } = options;
  let admitted = floodOf(rules);
  let gate = gateOf(rules, port);

  const isOwners = (request: IncomingMessage): boolean => isOwner(bearer(request.headers.authorization));
  const whose = (request: IncomingMessage): string =>
    isOwners(request) ? theOwner : clientOf(request, rules.trustLoopbackProxy === true);

  return {
    gate: () => gate,
    isOwner,
    isOwners,
    turnedAwayAs(request, cost, byOwner = false) {
      const client = byOwner ? theOwner : whose(request);
      const crowded = sockets.serves(request.socket, client === theOwner ? null : client);
      if (crowded !== null) return tooManySockets(crowded);
      const wait = admitted(client, cost);
      return wait > 0 ? tooMany(wait) : null;
    },
    charge: (request, cost) => admitted(whose(request), cost),
    callerOf(request) {
      const client = whose(request);
      return {
        client: client === theOwner ? null : client,
        charge: (units) => (units > 0 ? admitted(client, units) : 0),
        prove: ({ nonce, origin }) => (gate.allows(origin) ? tokenProof(options.ownerToken, nonce, origin) : null),
      };
    },
    turnOf: (request) => (whose(request) === theOwner ? undefined : turns()),
    came: (socket) => sockets.came(socket, peerOf(socket, rules.trustLoopbackProxy === true)),
    rests: (socket) => sockets.rests(socket),
    bodyPatience: () => rules.bodyPatience ?? bodyPatience,
    listensAt(at) {
      port = at;
      gate = gateOf(rules, port);
    },
    apply(next) {
      rules = next;
      admitted = floodOf(rules);
      gate = gateOf(rules, port);
    },
  };
}

function tooManySockets(crowded: Crowded): Answered {
  const headers = { connection: 'close', 'retry-after': '5' };
  if (crowded === 'client')
    return failed(
      429,
      'Too many connections from this address are open: close some, or use those that are open.',
      headers,
    );
  return failed(503, 'The node has as many connections open as it takes: try again in a moment.', headers);
}

function gateOf({ hostnames = [], origins = [] }: ServerRules, port: number): Gate {
  return createGate({ port, hostnames, origins });
}

function floodOf({ flood }: ServerRules): Admit<string> {
  return flood === null ? () => 0 : createFlood(flood ?? defaultFlood);
}
