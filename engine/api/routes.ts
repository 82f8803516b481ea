import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { routeNames, routes, type RouteName } from '../contract/routes.ts';
import type { Caller, Dispatch } from './dispatch.ts';
import { send } from './send.ts';

/** What a path has besides its handler: the operation it serves, or the methods to use instead of this one. */
interface RouteConfig {
  readonly operation?: RouteName;
  readonly allow?: string;
}

export function routeOf(request: FastifyRequest): RouteConfig {
  return (request.routeOptions.config ?? {}) as RouteConfig;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Aborted once nobody waits for the answer: a client may have left while its request waited for its turn. */
export function untilClosed({ raw }: FastifyReply): AbortSignal {
  const closed = new AbortController();
  if (raw.destroyed) closed.abort();
  else raw.once('close', () => closed.abort());
  return closed.signal;
}

/** The table of routes at the server. `admitted` resolves once it is the turn of whoever sent the request. */
export function addRoutes(
  app: FastifyInstance,
  dispatch: Dispatch,
  admitted: (request: FastifyRequest, operation: RouteName) => Promise<Pick<Caller, 'client' | 'charge' | 'prove'>>,
): void {
  const allowed = new Map<string, string[]>();
  for (const name of routeNames) {
    const { method, path } = routes[name];
    const url = path.replace(/\{(\w+)\}/g, ':$1');
    allowed.set(url, [...(allowed.get(url) ?? []), method]);
    app.route({
      method,
      url,
      config: { operation: name } satisfies RouteConfig,
      handler: async (request, reply) => {
        const developerKey = request.headers['x-developer-key'];
        const answered = await dispatch(
          name,
          { params: request.params, query: request.query, body: request.body },
          {
            developerKey: typeof developerKey === 'string' && developerKey !== '' ? developerKey : null,
            signal: untilClosed(reply),
            ...(await admitted(request, name)),
          },
        );
        return send(reply, answered);
      },
    });
  }
  for (const [url, served] of allowed) {
    const others = methods.filter((method) => !served.includes(method));
    app.route({
      method: [...others],
      url,
      config: { allow: served.join(', ') } satisfies RouteConfig,
      handler: () => undefined,
    });
  }
}
