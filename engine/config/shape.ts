import { z } from 'zod';

/** What stands at one place of a schema: an object with names, a record of anything, or a value. */
export type Shape =
  | { is: 'object'; fields: Record<string, z.ZodType> }
  | { is: 'record'; value: z.ZodType }
  | { is: 'array'; element: z.ZodType }
  | { is: 'text' }
  | { is: 'value' };

export function shapeOf(schema: z.ZodType): Shape {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) return { is: 'object', fields: inner.shape as Record<string, z.ZodType> };
  if (inner instanceof z.ZodRecord) return { is: 'record', value: inner.valueType as z.ZodType };
  if (inner instanceof z.ZodArray) return { is: 'array', element: inner.element as z.ZodType };
  if (inner instanceof z.ZodTuple) return { is: 'array', element: inner.def.items[0] as z.ZodType };
  if (inner instanceof z.ZodString || inner instanceof z.ZodURL || inner instanceof z.ZodEnum) return { is: 'text' };
  return { is: 'value' };
}

/** The names known below a path, empty where there are none. */
export function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let shape = shapeOf(schema);
  for (const step of path) {
    const next = shape.is === 'object' ? shape.fields[String(step)] : shape.is === 'record' ? shape.value : undefined;
    if (next === undefined) return [];
    shape = shapeOf(next);
  }
  return shape.is === 'object' ? Object.keys(shape.fields) : [];
}

function unwrap(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault ||
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodNullable
  )
    inner = inner.unwrap() as z.ZodType;
  return inner;
}
