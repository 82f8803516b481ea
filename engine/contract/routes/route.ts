import { z } from 'zod';
import { words } from '../wire.ts';

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
  /** The status of an unknown swap: 400 under /swap, 404 elsewhere (design decision 6). */
  readonly unknownSwap: 400 | 404;
  /** True for the routes that carry PSBTs: 1 MiB instead of 64 KiB. */
  readonly large: boolean;
}

interface Parts<P extends z.ZodType | null, Q extends z.ZodType | null, B extends z.ZodType | null, R extends z.ZodType> {
  readonly summary: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly reply: R;
  readonly refusals: readonly number[];
  readonly large?: boolean;
}

export function route<R extends z.ZodType, P extends z.ZodType | null = null, Q extends z.ZodType | null = null, B extends z.ZodType | null = null>(
  method: Method,
  path: string,
  parts: Parts<P, Q, B, R>,
): Route<P, Q, B, R> {
  return {
    method,
    path,
    access: path.startsWith('/owner') ? 'owner' : path.startsWith('/sandbox') ? 'sandbox' : 'public',
    summary: parts.summary,
    params: (parts.params ?? null) as P,
    query: (parts.query ?? null) as Q,
    body: (parts.body ?? null) as B,
    reply: parts.reply,
    refusals: parts.refusals,
    unknownSwap: path.startsWith('/swap') ? 400 : 404,
    large: parts.large ?? false,
  };
}

/** A swap's id. Any text is taken: a malformed id is an unknown id (design decision 8). */
export const swapId = z.object({ id: words('Swap id') });
