import { z } from 'zod';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { takes, type Fault } from '../domain/takes.ts';

/** The JSON Schema of a request field, as the published contract shows it. */
export interface FieldSchema {
  readonly type: 'string' | 'integer' | 'boolean' | 'array' | 'object';
  readonly description: string;
  readonly [keyword: string]: unknown;
}

/** What a field is called and what a client should send in it, for its sentences. */
export interface FieldInfo {
  readonly name: string;
  /** Continues "send ...". */
  readonly hint: string;
  /** True where the value must never be repeated in an answer or a log. */
  readonly secret?: boolean;
}

/** A given value as an error sentence may show it: short, printable, without markup. */
export function shown(given: unknown): string {
  if (typeof given === 'number' || typeof given === 'boolean' || typeof given === 'bigint') return String(given);
  if (Array.isArray(given)) return `a list of ${given.length}`;
  if (given === undefined || given === null) return 'nothing';
  if (typeof given === 'object') return 'an object';
  const text = String(given).replace(/[^\x20-\x7e]|[<>&"'`\\]/g, '?');
  return text === '' ? 'an empty text' : `"${text.length > 72 ? `${text.slice(0, 72)}...` : text}"`;
}

function missing(info: FieldInfo): Refusal {
  return refuse('invalid', `${info.name} is required: send ${info.hint}.`);
}

/** `fact` says what is wrong with the value; without one the value is simply not what was asked for. */
export function wrong(info: FieldInfo, given: unknown, fact?: string): Refusal {
  const value = info.secret === true ? 'the given value' : shown(given);
  return refuse(
    'invalid',
    `${info.name} cannot be ${value}${fact === undefined ? '' : `, ${fact}`}: send ${info.hint}.`,
  );
}

export type Field<Wire, Domain> = z.ZodType<Domain, Wire>;

/** A required field: absent and null are refused, anything else is read by `read`. */
export function field<Wire, Domain>(
  info: FieldInfo,
  schema: FieldSchema,
  read: (given: unknown) => Domain | Refusal,
): Field<Wire, Domain> {
  return z
    .custom<Wire>()
    .meta({ ...schema })
    .transform((given: unknown, ctx): Domain => {
      const value = given === undefined || given === null ? missing(info) : read(given);
      if (!isRefusal(value)) return value;
      ctx.addIssue({ code: 'custom', message: value.sentence, input: undefined });
      return z.NEVER;
    });
}

/** The same field where it may be absent; null on the wire is absence too. */
export function optional<Wire, Domain>(inner: Field<Wire, Domain>): z.ZodOptional<z.ZodType<Domain, Wire | null>> {
  return inner.nullish().transform((value) => value ?? undefined) as unknown as z.ZodOptional<
    z.ZodType<Domain, Wire | null>
  >;
}

/** A field that may be absent, where null is refused: it would mean something that nobody asked for. */
export function leftOutOr<Wire, Domain>(
  info: FieldInfo,
  schema: FieldSchema,
  read: (given: unknown) => Domain | Refusal,
): z.ZodOptional<z.ZodType<Domain, Wire>> {
  return z
    .custom<Wire>((given) => given !== null, { error: `${info.name} cannot be null: send ${info.hint}.` })
    .meta({ ...schema })
    .pipe(field<Wire, Domain>(info, schema, read))
    .optional() as unknown as z.ZodOptional<z.ZodType<Domain, Wire>>;
}

/** An object inside a request. */
export function object<Shape extends z.ZodRawShape>(
  name: string,
  what: string,
  shape: Shape,
): z.ZodType<z.output<z.ZodObject<Shape>>, z.input<z.ZodObject<Shape>>> {
  return z
    .object(shape, { error: `${name} must be a JSON object: send ${what}.` })
    .meta({ description: what }) as unknown as z.ZodType<z.output<z.ZodObject<Shape>>, z.input<z.ZodObject<Shape>>>;
}

/** A list inside a request, of `min` to `max` items. */
export function list<Wire, Domain>(
  name: string,
  what: string,
  item: Field<Wire, Domain>,
  min: number,
  max: number,
): z.ZodType<Domain[], Wire[]> {
  const error = `${name} must be a list of ${min} to ${max} items: send ${what}.`;
  return z.array(item, { error }).min(min, { error }).max(max, { error }).meta({ description: what });
}

/** A request made of fields, then judged as a whole; unknown fields are ignored. */
export function request<Shape extends z.ZodRawShape, Domain>(
  shape: Shape,
  judge: (wire: z.output<z.ZodObject<Shape>>) => Domain | Refusal,
): z.ZodType<Domain, z.input<z.ZodObject<Shape>>> {
  return z.object(shape, { error: 'The request needs a JSON object.' }).transform((wire, ctx): Domain => {
    const value = judge(wire);
    if (!isRefusal(value)) return value;
    ctx.addIssue({ code: 'custom', message: value.sentence, input: undefined });
    return z.NEVER;
  }) as unknown as z.ZodType<Domain, z.input<z.ZodObject<Shape>>>;
}

/** The domain value of a request, or its first fault as one sentence. */
export function parse<Domain>(schema: z.ZodType<Domain>, given: unknown): Domain | Refusal {
  // Fields have sentences of their own; this one is for what they leave to the schema.
  const error: z.core.$ZodErrorMap = (issue) => {
    const place = issue.path?.join('.') ?? '';
    return `${place === '' ? 'The request' : place} cannot be ${shown(issue.input)}: send ${takes(issue as Fault)}.`;
  };
  const result = schema.safeParse(given, { error });
  if (result.success) return result.data;
  return refuse('invalid', result.error.issues[0]?.message ?? 'The request is not valid.');
}

/** A request that refuses fields it does not know, for controls where a misspelt field would do the wrong thing. */
export function exact<Shape extends z.ZodRawShape, Domain = z.output<z.ZodObject<Shape>>>(
  shape: Shape,
  judge: (wire: z.output<z.ZodObject<Shape>>) => Domain | Refusal = (wire) => wire as unknown as Domain,
): z.ZodType<Domain, z.input<z.ZodObject<Shape>>> {
  const names = Object.keys(shape);
  const allowed = names.length === 0 ? 'an empty object' : `only ${names.join(', ')}`;
  const error = (issue: { code?: string | undefined; keys?: readonly string[] | undefined }) =>
    issue.code === 'unrecognized_keys'
      ? `${shown(issue.keys?.[0] ?? '')} is not a field of this request: send ${allowed}.`
      : 'The request needs a JSON object.';
  return z.strictObject(shape, { error }).transform((wire, ctx): Domain => {
    const value = judge(wire as z.output<z.ZodObject<Shape>>);
    if (!isRefusal(value)) return value;
    ctx.addIssue({ code: 'custom', message: value.sentence, input: undefined });
    return z.NEVER;
  }) as unknown as z.ZodType<Domain, z.input<z.ZodObject<Shape>>>;
}
