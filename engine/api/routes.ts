import type { FastifyInstance, FastifyRequest } from 'fastify';
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

/** The table of routes at the server. `admitted` resolves once it is the turn of whoever sent the request. */
export function addRoutes(
  app: FastifyInstance,
  dispatch: Dispatch,
  admitted: (request: FastifyRequest, operation: RouteName) => Promise<Pick<Caller, 'client' | 'charge'>>,
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
        const closed = new AbortController();
        const abort = (): void => closed.abort();
        reply.raw.once('close', abort);
        const developerKey = request.headers['x-developer-key'];
        const answered = await dispatch(
          name,
          { params: request.params, query: request.query, body: request.body },
          {
            developerKey: typeof developerKey === 'string' && developerKey !== '' ? developerKey : null,
            signal: closed.signal,
            ...(await admitted(request, name)),
          },
        );
        reply.raw.off('close', abort);
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
