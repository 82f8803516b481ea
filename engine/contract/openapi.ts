import { z } from 'zod';
import { examples } from './examples.ts';
import { errorBody } from './records/node.ts';
import { routeNames, routes, type RouteName } from './routes.ts';
import type { Route } from './routes/route.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
interface Schema {
  [name: string]: Json;
}

const meanings: Record<number, string> = {
  400: 'The request is not valid, or names a swap that does not exist',
  401: 'The token or developer key is missing or unknown',
  403: 'The state of the swap does not allow it',
  404: 'Nothing has that name',
  409: 'The hash or invoice was used before',
  429: 'Too many requests; Retry-After says how long to wait',
  500: 'The node failed',
  502: 'An exchange that is read for the client does not answer',
  503: 'A network is away, or swaps are paused',
};

/** Parts of schemas with a name, moved out of the places that use them. */
type Components = Record<string, Schema>;

const isObject = (json: Json | undefined): json is Schema =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

function isNoise(key: string, value: Json, io: 'input' | 'output'): boolean {
  if (key === 'additionalProperties') return io === 'output' && value === false;
  if (key === 'minimum') return value === Number.MIN_SAFE_INTEGER;
  if (key === 'maximum') return value === Number.MAX_SAFE_INTEGER;
  return key === 'properties' && isObject(value) && Object.keys(value).length === 0;
}

/** Removes bounds that every JSON integer has, and the claim that a reply will never grow a field. */
function tidy(json: Json, io: 'input' | 'output'): Json {
  if (Array.isArray(json)) return json.map((one) => tidy(one, io));
  if (!isObject(json)) return json;
  const entries = Object.entries(json).filter(([key, value]) => !isNoise(key, value, io));
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string'
        ? value.replace('#/$defs/', '#/components/schemas/')
        : tidy(value, io),
    ]),
  );
}

/** `anyOf: [X, null]` of a request field becomes X: the wire promises absence, and merely tolerates null. */
function withoutNull(json: Json): Json {
  if (Array.isArray(json)) return json.map(withoutNull);
  if (!isObject(json)) return json;
  const choices = Array.isArray(json.anyOf) ? json.anyOf.filter((one) => !(isObject(one) && one.type === 'null')) : [];
  if (Array.isArray(json.anyOf) && choices.length === 1 && isObject(choices[0])) {
    const { anyOf: _, ...rest } = json;
    return withoutNull({ ...choices[0], ...rest });
  }
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, withoutNull(value)]));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Components): Schema {
  const { $schema: _, $defs, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as unknown as Schema;
  for (const [name, definition] of Object.entries(isObject($defs) ? $defs : {}))
    components[name] ??= tidy(definition, io) as Schema;
  const id = json.id;
  const clean = tidy(io === 'input' && !keepsNull.has(schema) ? withoutNull(json) : json, io) as Schema;
  if (typeof id !== 'string') return clean;
  delete clean.id;
  components[id] ??= clean;
  return { $ref: `#/components/schemas/${id}` };
}

/** The one request where null says something: no blocks on their own. */
const keepsNull = new Set<z.ZodType>([routes.bitcoinMine.body]);

type Given = Readonly<Record<string, unknown>>;

function parameters(place: 'path' | 'query', schema: z.ZodType | null, given: Given, components: Components): Json[] {
  if (schema === null) return [];
  const json = schemaOf(schema, 'input', components);
  const required = Array.isArray(json.required) ? json.required : [];
  return Object.entries(isObject(json.properties) ? json.properties : {}).map(([name, property]) => {
    const { description, ...rest } = isObject(property) ? property : {};
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
      ...(name in given ? { example: given[name] as Json } : {}),
    };
  });
}

function content(schema: Json, example?: unknown): Schema {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example: example as Json }) } };
}

function requestBody(body: z.ZodType, example: unknown, components: Components): Schema {
  const schema = schemaOf(body, 'input', components);
  return { required: Array.isArray(schema.required), content: content(schema, example) };
}

const responseRef = (status: number | 'any'): Schema => ({ $ref: `#/components/responses/refusal-${status}` });

function refusalResponses(components: Components): Schema {
  const error = schemaOf(errorBody, 'output', components);
  const described = Object.entries(meanings).map(
    ([status, description]) => [`refusal-${status}`, { description, content: content(error) }] as const,
  );
  return Object.fromEntries([
    ...described,
    ['refusal-any', { description: 'Any other error', content: content(error) }],
  ]);
}

/** Who may call, which every operation says: an absent `security` would mean that nobody thought of it. */
const security = { public: [], owner: [{ owner: [] }], sandbox: [{ owner: [] }] } as const;

/** What any operation of the kind answers besides its own refusals: the allowance is used up, the token is missing. */
const anyRefusal = { public: 429, owner: 401, sandbox: 401 } as const;

function descriptionOf({ access, cost, more }: Route): string {
  if (access !== 'public')
    return access === 'owner'
      ? "Needs the owner's token."
      : "Exists in the sandbox alone, and needs the owner's token.";
  if (cost === 0) return 'Costs nothing of what a client may spend.';
  const beside = more === null ? '' : ', and more by what it asks for';
  return `Costs ${cost} of the units that a client may spend${beside}.`;
}

/** Answered in one shape, whether all is well or not. */
const sameShape: ReadonlySet<RouteName> = new Set<RouteName>(['status', 'ready']);

function operation(name: RouteName, route: Route, components: Components): Schema {
  const example = examples[name] ?? {};
  const given = [
    ...parameters('path', route.params, example.path ?? {}, components),
    ...parameters('query', route.query, example.query ?? {}, components),
  ];
  const reply = schemaOf(route.reply, 'output', components);
  const refusals = [...new Set([...route.refusals, anyRefusal[route.access]])].map(
    (status) =>
      [
        String(status),
        status === 503 && sameShape.has(name)
          ? { description: 'A network is away, or new swaps are stopped', content: content(reply) }
          : responseRef(status),
      ] as const,
  );
  return {
    operationId: name,
    summary: route.summary,
    description: descriptionOf(route),
    tags: [route.access],
    ...(given.length === 0 ? {} : { parameters: given }),
    ...(route.body === null ? {} : { requestBody: requestBody(route.body, example.body, components) }),
    responses: {
      '200': {
        description: 'Done',
        content: {
          ...(route.text === null ? content(reply, example.reply) : { [route.text]: { schema: reply } }),
          ...Object.fromEntries(
            Object.entries(route.also).map(([type, schema]) => [
              type,
              { schema: schemaOf(schema, 'output', components) },
            ]),
          ),
        },
      },
      ...Object.fromEntries(refusals),
      default: responseRef('any'),
    },
    security: security[route.access] as unknown as Json,
  };
}

/** The contract as OpenAPI 3.1, made from the table of routes alone. */
export function openapi(version: string): Schema {
  const components: Components = {};
  const paths: Record<string, Schema> = {};
  for (const name of routeNames) {
    const route: Route = routes[name];
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(name, route, components) };
  }
  const responses = refusalResponses(components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version,
      description:
        'A swap node. In requests null counts as absent, unknown fields are ignored, and integers may come as ' +
        'decimal text. Every error is an object with one field, error.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: 'http://127.0.0.1:{port}',
        description: 'The node listens on loopback only; a reverse proxy may stand before it',
        variables: { port: { default: '7733', description: 'port in the configuration' } },
      },
    ],
    tags: [
      { name: 'public', description: 'What wallets call, without a credential' },
      { name: 'owner', description: "What the node's owner calls, with the token of the data folder" },
      {
        name: 'sandbox',
        description: "Controls of the sandbox's networks; a node on real networks does not have them",
      },
    ],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses,
      securitySchemes: {
        owner: { type: 'http', scheme: 'bearer', description: "The token in the node's data folder" },
      },
    },
  };
}
