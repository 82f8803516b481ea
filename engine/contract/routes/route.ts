import { z } from 'zod';
import { words } from '../wire.ts';

/**
 * What requests cost of their client's allowance, in units (DECISIONS.md, "Limits count cost"): one is about a
 * millisecond of this node, or a promise of liquidity. `flood` in the configuration says how many a client has.
 */
export const costs = {
  /** Before it has this answer the owner cannot show whose request it is. */
  proof: 0,
  id: 0.1,
  read: 0.2,
  /** Of each coin that a transaction takes beside the first: a source of the chain is asked what made it. */
  input: 1,
  create: 1,
  gasless: 2,
  asksOutside: 5,
  psbts: 10,
  recover: 20,
} as const;

/** What a payee's server or a DEX is asked for takes a socket and a wait, whoever asked. */
export function moreOutside(outside: boolean, paid: number): number {
  return outside ? costs.asksOutside - paid : 0;
}

/** What a client or the owner may want of one swap. */
export type SwapOperation =
  | 'refund-arkade'
  | 'claim-evm'
  | 'fund-evm'
  | 'refund-evm'
  | 'refund-evm-alone'
  | 'claim-together'
  | 'refund-together'
  | 'sign-server-claim'
  | 'owner';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** One operation of the wire. Null stands for "takes none". */
export interface Route<
  Params extends z.ZodType | null = z.ZodType | null,
  Query extends z.ZodType | null = z.ZodType | null,
  Body extends z.ZodType | null = z.ZodType | null,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly method: Method;
  /** With `{name}` for each path parameter. */
  readonly path: string;
  readonly access: 'public' | 'owner' | 'sandbox';
  readonly summary: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly reply: Reply;
  /** Status codes that the operation itself answers besides 200. */
  readonly refusals: readonly number[];
  /** The status of an unknown swap: 400 under /swap, 404 elsewhere (facts/clients.md 4). */
  readonly unknownSwap: 400 | 404;
  /** True for the routes that carry PSBTs: 1 MiB instead of 64 KiB. */
  readonly large: boolean;
  /** What the same reply looks like in another kind of text, by its media type. */
  readonly also: Readonly<Record<string, z.ZodType>>;
  /** The media type of a reply that is plain text; null for JSON. */
  readonly text: string | null;
  /** What is asked of the swap that the path names, where it carries something to be judged after the swap itself. */
  readonly judged: SwapOperation | null;
  /**
   * Moves money or decides what may be moved, so a page may ask for it only right after a press. Every act of the
   * owner's does, unless its row says that it does not: a route that is forgotten here asks for one press too many,
   * never for one too few.
   */
  readonly spends: boolean;
  /** Units that a request costs before anything of it is read. */
  readonly cost: number;
  /** Units on top of that for what it asks for, once it was read. */
  readonly more: ((request: RequestParts<Query, Body>) => number) | null;
}

interface RequestParts<Query, Body> {
  readonly query: Query extends z.ZodType ? z.output<Query> : null;
  readonly body: Body extends z.ZodType ? z.output<Body> : null;
}

interface Parts<
  P extends z.ZodType | null,
  Q extends z.ZodType | null,
  B extends z.ZodType | null,
  R extends z.ZodType,
> {
  readonly summary: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly reply: R;
  readonly refusals: readonly number[];
  readonly large?: boolean;
  readonly judged?: SwapOperation;
  readonly spends?: false;
  readonly cost?: number;
  readonly also?: Readonly<Record<string, z.ZodType>>;
  readonly text?: string;
  /** Where the path does not say it. */
  readonly access?: 'owner';
  readonly more?: (request: RequestParts<Q, B>) => number;
}

export function route<
  R extends z.ZodType,
  P extends z.ZodType | null = null,
  Q extends z.ZodType | null = null,
  B extends z.ZodType | null = null,
>(method: Method, path: string, parts: Parts<P, Q, B, R>): Route<P, Q, B, R> {
  const access =
    parts.access ?? (path.startsWith('/owner') ? 'owner' : path.startsWith('/sandbox') ? 'sandbox' : 'public');
  return {
    method,
    path,
    access,
    summary: parts.summary,
    params: (parts.params ?? null) as P,
    query: (parts.query ?? null) as Q,
    body: (parts.body ?? null) as B,
    reply: parts.reply,
    refusals: parts.refusals,
    unknownSwap: path.startsWith('/swap') ? 400 : 404,
    large: parts.large ?? false,
    also: parts.also ?? {},
    text: parts.text ?? null,
    judged: parts.judged ?? null,
    spends: parts.spends ?? (access === 'owner' && method !== 'GET'),
    cost: parts.cost ?? (method === 'GET' ? costs.read : costs.create),
    more: parts.more ?? null,
  };
}

/** A swap's id. Any text is taken: a malformed id is an unknown id (DECISIONS.md, "Limits count cost"). */
export const swapId = z.object({ id: words('Swap id') });

/** What every route has under which a client's refund of a VHTLC is countersigned. */
export const refundOfSwap = {
  params: swapId,
  refusals: [400, 403, 404, 500, 503],
  large: true,
  judged: 'refund-arkade',
  cost: costs.psbts,
} as const;
