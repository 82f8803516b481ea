import { configSchema } from './schema.ts';
import { nearest, plain } from './nearest.ts';
import { shapeOf } from './shape.ts';
import { refuse, isRefusal, type Refusal } from '../domain/errors.ts';
import type { z } from 'zod';

const prefix = 'SLUICE_';
/** What the suites on real daemons are told; no setting begins like that. */
const testPrefix = 'SLUICE_REGTEST_';

type Tree = { [name: string]: unknown };

/**
 * `SLUICE_TERMS__FEE_BPS=30` becomes `{ terms: { feeBps: 30 } }`: a double underscore is a level. A list is one
 * variable, as JSON or with commas, or a variable for each place: `SLUICE_BITCOIN__ESPLORA__0`.
 */
export function fromEnvironment(environment: Readonly<Record<string, string | undefined>>): Tree | Refusal {
  const tree: Tree = {};
  for (const [variable, text] of Object.entries(environment).toSorted()) {
    if (!variable.startsWith(prefix) || variable.startsWith(testPrefix) || text === undefined) continue;
    const refused = place(tree, variable, variable.slice(prefix.length).split('__'), text);
    if (refused !== null) return refused;
  }
  return firstHole(tree, []) ?? tree;
}

/** A list whose places were given one by one, and one of them was not. */
function firstHole(value: unknown, path: readonly string[]): Refusal | null {
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) {
    const hole = value.findIndex((one) => one === undefined);
    if (hole >= 0)
      return refuse(
        'invalid',
        `The environment sets ${path.join('.')} entry ${value.length - 1} but not entry ${hole}: count ` +
          'the places of a list from 0.',
      );
  }
  for (const [name, below] of Object.entries(value)) {
    const refused = firstHole(below, [...path, name]);
    if (refused !== null) return refused;
  }
  return null;
}

function place(tree: Tree, variable: string, steps: readonly string[], text: string): Refusal | null {
  let schema: z.ZodType = configSchema;
  let at = tree;
  for (const [i, step] of steps.entries()) {
    const setting = child(schema, step);
    if (isRefusal(setting))
      return refuse('invalid', `The environment variable ${variable} names no setting: ${setting.sentence}`);
    schema = setting.schema;
    if (i === steps.length - 1) {
      at[setting.name] = valueOf(schema, text);
      return null;
    }
    at = (at[setting.name] ??= shapeOf(schema).is === 'array' ? [] : {}) as Tree;
  }
  return null;
}

function child(schema: z.ZodType, step: string): { name: string; schema: z.ZodType } | Refusal {
  const shape = shapeOf(schema);
  if (shape.is === 'record')
    return {
      name: /^evm_\d+$/i.test(step) ? step.toLowerCase().replace('_', ':') : step.toLowerCase(),
      schema: shape.value,
    };
  if (shape.is === 'array' && /^\d{1,2}$/.test(step)) return { name: String(Number(step)), schema: shape.element };
  if (shape.is !== 'object') return refuse('invalid', `there is nothing below it, remove "__${step}".`);
  const names = Object.keys(shape.fields);
  const name = names.find((candidate) => plain(candidate) === plain(step));
  const field = name === undefined ? undefined : shape.fields[name];
  if (name === undefined || field === undefined) {
    const near = nearest(step, names);
    return refuse(
      'invalid',
      `"${step}" is unknown, ${near === null ? `known are ${names.join(', ')}.` : `did you mean "${near}"?`}`,
    );
  }
  return { name, schema: field };
}

/** Text stays text; everything else is read as JSON, a list also with commas. The schema judges what comes out. */
function valueOf(schema: z.ZodType, text: string): unknown {
  const shape = shapeOf(schema);
  if (text === 'null') return null;
  if (shape.is === 'text') return text;
  try {
    return JSON.parse(text);
  } catch {
    return shape.is === 'array' ? text.split(',').map((part) => part.trim()) : text;
  }
}
