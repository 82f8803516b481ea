import { z } from 'zod';
import type { Hash160, PublicKey, Sha256, XOnly } from '../domain/hash.ts';
import type { Sats } from '../domain/money.ts';
import type { Outpoint } from '../domain/outpoint.ts';
import type { Locktime, Seconds, Unix } from '../domain/time.ts';
import type { KeyRef } from './signer.ts';
import type { TimeoutPolicy } from './timeout-policy.ts';

/** The form in which something is kept. What was saved is read by the version that it was saved with. */
export interface Shape<T> {
  /** Of what is saved now. */
  readonly version: number;
  /** Throws for what is not of that version, and for a version that only a newer build knows. */
  read(stored: unknown, version: number): T;
}

/** `older`: what makes version n + 1 of version n, from the first on. */
export function shapeOf<T>(schema: z.ZodType<T>, ...older: readonly ((stored: unknown) => unknown)[]): Shape<T> {
  const now = older.length + 1;
  return {
    version: now,
    read(stored, version) {
      if (version < 1 || version > now)
        throw new Error(`it was saved in version ${version}, this build knows 1 to ${now}`);
      return schema.parse(older.slice(version - 1).reduce((value, upcast) => upcast(value), stored));
    },
  };
}

/** A shape for every effect: one that is missing does not compile. */
export type EffectShapes<E extends { readonly do: string }> = {
  readonly [D in E['do']]: Shape<Extract<E, { do: D }>>;
};

/** What each effect of a network is asked with, by its name. */
type EffectFields = Readonly<Record<string, z.ZodRawShape>>;

/** Any effect with these fields. */
export type EffectsOf<F extends EffectFields> = {
  readonly [D in keyof F]: ValueOf<F[D]> & { readonly do: D };
}[keyof F];

/** Each of them in its first form. */
export function effectShapes<F extends EffectFields>(effects: F) {
  const all = Object.entries(effects).map(([name, fields]) => [
    name,
    shapeOf(z.strictObject({ do: z.literal(name), ...fields })),
  ]);
  return Object.fromEntries(all) as unknown as { readonly [D in keyof F]: Shape<ValueOf<F[D]> & { readonly do: D }> };
}

/** What is kept under these fields. */
export type ValueOf<F extends z.ZodRawShape> = keyof F extends never ? object : Readonly<z.infer<z.ZodObject<F>>>;

/** Of a wider value what is kept under these fields, in their order: what is left out is not named. */
export function partOf<F extends z.ZodRawShape>(fields: F): (of: ValueOf<F>) => ValueOf<F> {
  const names = Object.keys(fields);
  return (of) => {
    const values = of as Readonly<Record<string, unknown>>;
    const part = names.filter((name) => values[name] !== undefined).map((name) => [name, values[name]]);
    return Object.fromEntries(part) as ValueOf<F>;
  };
}

/** Several of a kind: nobody adds to them where they are. */
export function listOf<S extends z.ZodType>(one: S) {
  return z.array(one) as unknown as z.ZodType<readonly z.output<S>[]>;
}

/** The states that are kept under these fields, by name. */
export type StatesOf<F extends Readonly<Record<string, z.ZodRawShape>>> = {
  readonly [S in keyof F]: ValueOf<F[S]> & { readonly at: S };
};

/** Any of them. */
export type AnyOf<F extends Readonly<Record<string, z.ZodRawShape>>> = StatesOf<F>[keyof F];

/** What is kept under these fields, in its first form. */
export function fieldsShape<F extends z.ZodRawShape>(fields: F): Shape<ValueOf<F>> {
  return shapeOf(z.strictObject(fields) as unknown as z.ZodType<ValueOf<F>>);
}

/** One of these states, in its first form. */
export function statesShape<F extends Readonly<Record<string, z.ZodRawShape>>>(states: F): Shape<AnyOf<F>> {
  const all = Object.entries(states).map(([at, fields]) => z.strictObject({ at: z.literal(at), ...fields }));
  return shapeOf(z.discriminatedUnion('at', all as never) as unknown as z.ZodType<AnyOf<F>>);
}

/** A type without what a schema cannot say: readonly, and how its parts were put together. */
type Plain<T> = T extends bigint | string | number | boolean | null | undefined | Uint8Array
  ? T
  : { -readonly [K in keyof T]: Plain<T[K]> };

type Same<A, B> =
  (<G>() => G extends Plain<A> ? 1 : 2) extends <G>() => G extends Plain<B> ? 1 : 2
    ? []
    : [drift: 'the schema is not that of the type'];

/** The schema of exactly this type: with a field or a state more or less on either side it does not compile. */
export function exactly<T>() {
  return <S extends z.ZodType>(schema: S, ..._drift: Same<z.output<S>, T>): z.ZodType<T> =>
    schema as unknown as z.ZodType<T>;
}

// What was saved must be readable: these refuse nothing that the types let in, and so ask for no more than the types
// do.

export const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

export function sized<T extends Uint8Array>(length: number) {
  return z.custom<T>((value) => value instanceof Uint8Array && value.length === length);
}

export const sha256 = sized<Sha256>(32);
export const hash160 = sized<Hash160>(20);
export const xOnly = sized<XOnly>(32);
export const publicKey = sized<PublicKey>(33);

export const sats = z.custom<Sats>((value) => typeof value === 'bigint' && value >= 0n);
export const unix = z.custom<Unix>((value) => typeof value === 'number');
export const locktime = z.custom<Locktime>((value) => typeof value === 'number');
export const seconds = z.custom<Seconds>((value) => typeof value === 'number');

export const txid = z.string();
export const outpoint = exactly<Outpoint>()(z.strictObject({ txid, vout: z.number() }));

export const keyRef = exactly<KeyRef>()(
  z.union([
    z.strictObject({
      branch: z.enum(['swap', 'taker', 'bitcoin-deposit', 'bitcoin-change']),
      index: z.number(),
    }),
    z.strictObject({ branch: z.enum(['arkade-wallet', 'delegate', 'evm-account']) }),
  ]),
);

export const timeoutPolicy = exactly<TimeoutPolicy>()(
  z.strictObject({
    clientLeg: seconds,
    serverLeg: seconds,
    fundingWindow: seconds,
    margin: seconds,
    longestLeg: seconds,
    routeBlocks: z.number(),
    resolveBlocks: z.number().exactOptional(),
    slowBlock: seconds,
    fastBlock: seconds,
    mtpLag: seconds,
    lndCancelBlocks: z.number(),
    reactionBlocks: z.number(),
    leastClaimTime: seconds,
    bitcoinStillAfter: seconds.exactOptional(),
    evmStillAfter: seconds.exactOptional(),
  }),
);
