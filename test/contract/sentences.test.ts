import { describe, expect, it } from 'vitest';
import { examples } from '../../engine/contract/examples.ts';
import { openapi } from '../../engine/contract/openapi.ts';
import { parseRequest, routeNames, routes, type RawArgs, type RouteName } from '../../engine/contract/routes.ts';

/** How the library words what it refuses: none of it is for people. */
const library =
  /^(Invalid|Too (small|big)|Expected|Unrecognized|Required)\b|expected (string|number|object|array|boolean|record|int|nonoptional|one of)/i;

const wrongValues: readonly unknown[] = [
  null,
  7,
  -1,
  1.5,
  1e300,
  '',
  'x',
  'ü'.repeat(20),
  true,
  [],
  [null],
  {},
  { a: 1 },
];

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly $ref?: string;
}
interface Operation {
  readonly operationId: RouteName;
  readonly parameters?: readonly { readonly name: string; readonly in: 'path' | 'query' }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
}

const document = openapi('0.1.0') as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
const operations = new Map(
  Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .map((operation) => [operation.operationId, operation]),
);

/** The value with each of its places, that the schema or the value itself knows, made wrong in turn. */
function* spoiled(value: unknown, schema: Schema): Generator<unknown> {
  yield* wrongValues;
  const { properties = {}, items } =
    schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.replace(/.*\//, '')] ?? {});
  const given =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  for (const [name, inner] of Object.entries(properties))
    for (const wrong of spoiled(given[name], inner)) yield { ...given, [name]: wrong };
  if (items !== undefined)
    for (const wrong of spoiled(Array.isArray(value) ? value[0] : undefined, items)) yield [wrong];
  yield { ...given, neverHeardOf: 1 };
}

function refusals(name: RouteName): string[] {
  const { path = {}, query = {}, body = {} } = examples[name] ?? {};
  const { parameters = [], requestBody } = operations.get(name) as Operation;
  const requests: RawArgs[] = [];
  for (const parameter of parameters)
    for (const wrong of wrongValues) {
      const part = parameter.in === 'path' ? 'params' : 'query';
      requests.push({
        params: path,
        query,
        body,
        [part]: { ...(part === 'params' ? path : query), [parameter.name]: wrong },
      });
    }
  if (requestBody !== undefined)
    for (const wrong of spoiled(body, requestBody.content['application/json'].schema))
      requests.push({ params: path, query, body: wrong });
  requests.push({ params: path, query, body: undefined }, { params: path });
  return requests.flatMap((request) => {
    const parsed = parseRequest(name, request);
    return 'refusal' in parsed ? [parsed.sentence] : [];
  });
}

describe('whatever a request has wrong is told in a sentence of ours', () => {
  it.each(routeNames.filter((name) => routes[name].body !== null || routes[name].query !== null))('%s', (name) => {
    const sentences = [...new Set(refusals(name))];
    expect(sentences.filter((sentence) => library.test(sentence) || !/[.]$/.test(sentence))).toEqual([]);
    expect(sentences.length).toBeGreaterThan(0);
  });
});
