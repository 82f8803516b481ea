import { describe, expect, it } from 'vitest';
import { examples } from '../../engine/contract/examples.ts';
import { openapi } from '../../engine/contract/openapi.ts';
import { parseRequest, routeNames, routes, type RouteName } from '../../engine/contract/routes.ts';
import type { Route } from '../../engine/contract/routes/route.ts';

const named = Object.entries(examples) as [RouteName, NonNullable<(typeof examples)[RouteName]>][];

interface Operation {
  readonly operationId: RouteName;
  readonly tags: readonly string[];
  readonly security: unknown;
  readonly parameters?: readonly { readonly required: boolean; readonly example?: unknown }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: unknown } } };
}

const document = openapi('0.1.0') as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

describe('the examples of the contract', () => {
  it.each(named)('%s: the node reads the request', (name, { path, query, body }) => {
    const parsed = parseRequest(name, {
      params: path ?? {},
      query: query ?? {},
      ...(body === undefined ? {} : { body }),
    });
    expect('refusal' in parsed ? parsed.sentence : null).toBeNull();
  });

  it.each(named.filter(([, { reply }]) => reply !== undefined))(
    '%s: the reply is one of the node',
    (name, { reply }) => {
      const route: Route = routes[name];
      expect(route.reply.parse(reply)).toEqual(reply);
    },
  );

  it('are there for all that a wallet sends', () => {
    const without = operations
      .filter(({ tags }) => tags[0] === 'public')
      .filter(
        ({ parameters = [], requestBody }) =>
          (requestBody !== undefined && requestBody.content['application/json'].example === undefined) ||
          parameters.some(({ required, example }) => required && example === undefined),
      )
      .map(({ operationId }) => operationId);
    expect(without).toEqual([]);
  });
});

describe('every operation says who may call it', () => {
  it('with no credential, or with the token', () => {
    const expectations = routeNames.map((name) => [name, routes[name].access === 'public' ? [] : [{ owner: [] }]]);
    expect(operations.map(({ operationId, security }) => [operationId, security]).sort()).toEqual(expectations.sort());
  });
});
