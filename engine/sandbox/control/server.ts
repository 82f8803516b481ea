import { timingSafeEqual } from 'node:crypto';
import { type HttpServer, HttpError, serveHttp } from '../wire/http.ts';
import { readFields } from './fields.ts';
import { asHttpError } from './routes.ts';
import type { ControlRoute } from './route.ts';

export interface ControlOptions<Networks> {
  readonly port: number;
  readonly token: string;
  readonly routes: readonly ControlRoute<Networks>[];
  /** The present ones: a reset replaces them. */
  networks(): Networks;
  reset(): Promise<void>;
}

/** The controls over HTTP, behind a token of their own. The node checks its owner's token and hands on. */
export function serveControl<Networks>({
  port,
  token,
  routes,
  networks,
  reset,
}: ControlOptions<Networks>): Promise<HttpServer> {
  const expected = Buffer.from(`Bearer ${token}`);
  return serveHttp(
    port,
    async ({ method, path, headers, body }) => {
      const given = Buffer.from(headers.authorization ?? '');
      if (given.length !== expected.length || !timingSafeEqual(given, expected))
        throw new HttpError(401, 'The controls of the sandbox need its control token as bearer token.');
      if (method === 'POST' && path === '/sandbox/reset') {
        readFields(await body(), []);
        await reset();
        return { status: 200, body: {} };
      }
      const matching = routes.filter((route) => route.path.test(path));
      const route = matching.find((candidate) => candidate.method === method);
      if (route === undefined) {
        if (matching.length > 0)
          throw new HttpError(405, `${path} takes ${matching.map((other) => other.method).join(', ')}, not ${method}.`);
        throw new HttpError(404, `The sandbox has no ${path}.`);
      }
      const parameters = (route.path.exec(path) ?? []).slice(1);
      const content = method === 'POST' ? await body() : {};
      try {
        return { status: 200, body: await route.answer(networks(), content, parameters) };
      } catch (error) {
        throw asHttpError(error);
      }
    },
    (sentence) => ({ error: sentence }),
  );
}
