import type { z } from 'zod';
import { isRefusal, type Refusal } from '../domain/errors.ts';
import { parse } from './field.ts';
import { ownerRoutes } from './routes/owner.ts';
import { publicRoutes } from './routes/public.ts';
import type { Route } from './routes/route.ts';
import { sandboxRoutes } from './routes/sandbox.ts';

/** Every operation of the wire by name. The server, the client and the published contract are all made from it. */
export const routes = { ...publicRoutes, ...ownerRoutes, ...sandboxRoutes };

export type RouteName = keyof typeof routes;
export type OwnerRouteName = keyof typeof ownerRoutes;
export type SandboxRouteName = keyof typeof sandboxRoutes;

export const routeNames = Object.keys(routes) as RouteName[];

/** The WebSocket endpoints, which are no operations of request and reply. */
export const streams = { status: '/ws', owner: '/owner/events' } as const;

type Output<S> = S extends z.ZodType ? z.output<S> : null;
type Given<K extends string, S> = S extends z.ZodType
  ? object extends z.input<S>
    ? { readonly [k in K]?: z.input<S> }
    : { readonly [k in K]: z.input<S> }
  : unknown;

/** What a client passes to an operation, as it goes over the wire. */
export type Args<N extends RouteName> = Given<'params', (typeof routes)[N]['params']> &
  Given<'query', (typeof routes)[N]['query']> &
  Given<'body', (typeof routes)[N]['body']>;

/** A request in domain terms. */
export interface Parsed<N extends RouteName> {
  readonly params: Output<(typeof routes)[N]['params']>;
  readonly query: Output<(typeof routes)[N]['query']>;
  readonly body: Output<(typeof routes)[N]['body']>;
}

export type Reply<N extends RouteName> = z.output<(typeof routes)[N]['reply']>;

/** The parts of a request as they came; absent parts count as empty. */
export interface RawArgs {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/**
 * The request in domain terms, or its first fault as one sentence: path first, then what `standing` says of the thing
 * that the path names, then query, then body.
 */
export function parseRequest<N extends RouteName>(
  name: N,
  raw: RawArgs,
  standing: (params: Parsed<N>['params']) => Refusal | null = () => null,
): Parsed<N> | Refusal {
  const route: Route = routes[name];
  const params = route.params === null ? null : parse(route.params, raw.params ?? {});
  if (isRefusal(params)) return params;
  const against = standing(params as Parsed<N>['params']);
  if (against !== null) return against;
  const query = route.query === null ? null : parse(route.query, raw.query ?? {});
  if (isRefusal(query)) return query;
  // Nothing at all counts as an empty object; the word null does not.
  const body = route.body === null ? null : parse(route.body, raw.body === undefined ? {} : raw.body);
  if (isRefusal(body)) return body;
  return { params, query, body } as Parsed<N>;
}

/** Units that a request costs on top of its route's `cost`. */
export function moreOf<N extends RouteName>(name: N, request: Parsed<N>): number {
  const more = routes[name].more as ((request: Parsed<N>) => number) | null;
  return more === null ? 0 : Math.max(0, more(request));
}
