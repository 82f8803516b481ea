import type { Hex } from 'viem';
import { HttpError } from '../wire/http.ts';

/** All there will ever be. */
export const mostSats = 2_100_000_000_000_000;
const mostGwei = 1_000_000;

/** The fields of a request body, each checked as it is read. */
export interface Fields {
  has(name: string): boolean;
  text(name: string): string;
  whole(name: string, least: number, most: number): number;
  flag(name: string): boolean;
  choice<const Choice extends string>(name: string, choices: readonly Choice[]): Choice;
  /** 32 bytes as 64 hex digits, lower case. */
  hash(name: string): string;
  /** A list of such. */
  hashes(name: string, most: number): string[];
  /** An account or contract of an EVM chain, lower case. */
  account(name: string): Hex;
  /** Smallest units of a token, as decimal text. */
  units(name: string): bigint;
  /** A price in billionths of a coin; answers wei. */
  gwei(name: string): bigint;
}

/** Refuses a body that is no object or has a field that is not listed. */
export function readFields(body: unknown, allowed: readonly string[]): Fields {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new HttpError(400, 'The body is one JSON object.');
  const values = new Map<string, unknown>(Object.entries(body));
  for (const name of values.keys()) {
    if (!allowed.includes(name))
      throw new HttpError(
        400,
        `There is no field "${name}" here; ` +
          `${allowed.length === 0 ? 'the body is empty' : `the fields are ${list(allowed)}`}.`,
      );
  }

  function text(name: string): string {
    const value = values.get(name);
    if (typeof value !== 'string') throw wrong(name, 'a text', value);
    return value;
  }

  return {
    has: (name) => values.has(name),
    text,
    whole(name, least, most) {
      const value = values.get(name);
      if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > most)
        throw wrong(name, `a whole number from ${least} to ${most}`, value);
      return value;
    },
    flag(name) {
      const value = values.get(name) ?? false;
      if (typeof value !== 'boolean') throw wrong(name, 'true or false', value);
      return value;
    },
    choice(name, choices) {
      const value = text(name);
      const option = choices.find((choice) => choice === value);
      if (option === undefined) throw wrong(name, list(choices), value);
      return option;
    },
    hash(name) {
      const value = text(name);
      if (!isHash(value)) throw wrong(name, '64 hexadecimal digits', value);
      return value.toLowerCase();
    },
    hashes(name, most) {
      const value = values.get(name);
      if (!Array.isArray(value) || value.length > most || !value.every(isPrefixedHash))
        throw wrong(name, `a list of at most ${most} texts of 64 hexadecimal digits`, value);
      return value.map((item) => item.replace(/^0x/i, '').toLowerCase());
    },
    account(name) {
      const value = text(name);
      if (!/^0x[0-9a-f]{40}$/i.test(value)) throw wrong(name, 'an address of 0x and 40 hexadecimal digits', value);
      return value.toLowerCase() as Hex;
    },
    units(name) {
      const value = text(name);
      if (!/^[1-9]\d{0,77}$/.test(value)) throw wrong(name, 'a whole number above zero, as text', value);
      return BigInt(value);
    },
    gwei(name) {
      const value = values.get(name);
      if (typeof value !== 'number' || !(value >= 0 && value <= mostGwei))
        throw wrong(name, `a number from 0 to ${mostGwei}`, value);
      return BigInt(Math.round(value * 1e9));
    },
  };
}

/** The one field of several that the body has. */
export function onlyOne<const Name extends string>(fields: Fields, names: readonly Name[]): Name {
  const given = names.filter((name) => fields.has(name));
  const [first] = given;
  if (first === undefined || given.length > 1)
    throw new HttpError(400, `The body has exactly one of ${list(names)}, not ${given.length}.`);
  return first;
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value);
}

/** EVM tools write it with a prefix. */
function isPrefixedHash(value: unknown): value is string {
  return typeof value === 'string' && isHash(value.replace(/^0x/i, ''));
}

function wrong(name: string, expected: string, value: unknown): HttpError {
  const given = value === undefined ? 'it is missing' : `not ${JSON.stringify(value)}`;
  return new HttpError(400, `"${name}" is ${expected}, ${given}.`);
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
