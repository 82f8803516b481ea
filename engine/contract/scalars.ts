import { chainValues, type Chain } from '../domain/chain.ts';
import { isRefusal, type Refusal } from '../domain/errors.ts';
import { hasRightCase } from '../domain/evm-address.ts';
import { asEvmAddress, type EvmAddress } from '../domain/evm.ts';
import { asHash160, asPublicKey, asSha256, type Hash160, type PublicKey, type Sha256 } from '../domain/hash.ts';
import { fromHex } from '../domain/hex.ts';
import { sats, tokenAmount, type Sats, type TokenAmount } from '../domain/money.ts';
import { field, wrong, type FieldInfo, type FieldSchema, type Field } from './field.ts';

/** A client's key: compressed bytes for the engine, and the text as it came for the record that echoes it. */
export interface ClientKey {
  readonly key: PublicKey;
  /** 66 or 64 lower-case hex digits. */
  readonly text: string;
}

/** The EVM chains that the published interface names. Which of them a node serves is its owner's choice. */
const evmChainIds = [1, 137, 42161, 30, 31] as const;
export type EvmChainId = (typeof evmChainIds)[number];

const hexDigits = /^[0-9a-fA-F]*$/;
const maxUint256 = 2n ** 256n - 1n;

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/** Text of 1 to `max` characters. */
export function text(name: string, what: string, max = 300, min: 0 | 1 = 1): Field<string, string> {
  const info = { name, hint: `${what}, ${min} to ${max} characters of text` };
  return field(info, { type: 'string', description: what, minLength: min, maxLength: max }, (given) => {
    if (typeof given !== 'string') return wrong(info, given);
    if (given.length < min) return wrong(info, given);
    if (given.length > max) return wrong(info, given, `it has ${given.length} characters and the limit is ${max}`);
    return given;
  });
}

/** Text that must match a pattern; `refine` may change it, for example to lower case. */
export function patterned(
  info: FieldInfo,
  description: string,
  pattern: RegExp,
  refine: (given: string) => string = (given) => given,
): Field<string, string> {
  return field(info, { type: 'string', description, pattern: pattern.source }, (given) => {
    if (typeof given !== 'string' || !pattern.test(given)) return wrong(info, given);
    return refine(given);
  });
}

function hexOf(info: FieldInfo, given: unknown, bytes: number, prefix: 'must' | 'may' | 'never'): Uint8Array | Refusal {
  if (typeof given !== 'string') return wrong(info, given);
  const prefixed = given.startsWith('0x');
  if (prefix === 'must' && !prefixed) return wrong(info, given, 'it does not start with 0x');
  if (prefix === 'never' && prefixed) return wrong(info, given, 'it starts with 0x');
  const digits = prefixed ? given.slice(2) : given;
  if (!hexDigits.test(digits)) return wrong(info, given, 'it is not hexadecimal');
  if (digits.length !== 2 * bytes)
    return wrong(info, given, `it has ${digits.length} hex digits and needs ${2 * bytes}`);
  return fromHex(digits);
}

/** `0x` and 32 bytes: the SHA-256 of the secret, where the request does not ask for 20 bytes (facts/clients.md 18). */
export function sha256Field(name: string, what: string): Field<string, Sha256> {
  const info = { name, hint: `0x and 64 hex digits, ${what}` };
  return field(info, { type: 'string', description: what, pattern: '^0x[0-9a-fA-F]{64}$' }, (given) => {
    const bytes = hexOf(info, given, 32, 'must');
    return isRefusal(bytes)
      ? bytes
      : isZero(bytes)
        ? wrong(info, given, 'it is all zeros, which is the hash of nothing')
        : asSha256(bytes);
  });
}

/** 20 bytes of bare hex: HASH160 of the secret, where the client funds on chain. */
export function hash160Field(name: string, what: string): Field<string, Hash160> {
  const info = { name, hint: `40 hex digits without 0x, ${what}` };
  return field(info, { type: 'string', description: what, pattern: '^[0-9a-fA-F]{40}$' }, (given) => {
    const bytes = hexOf(info, given, 20, 'never');
    return isRefusal(bytes)
      ? bytes
      : isZero(bytes)
        ? wrong(info, given, 'it is all zeros, which is the hash of nothing')
        : asHash160(bytes);
  });
}

/** 32 bytes of hex, 0x optional. `secret` keeps the value out of the sentence. */
export function hex32Field(name: string, what: string, secret = false): Field<string, Uint8Array> {
  const info = { name, hint: `64 hex digits, 0x optional, ${what}`, secret };
  return field(info, { type: 'string', description: what, pattern: '^(0x)?[0-9a-fA-F]{64}$' }, (given) =>
    hexOf(info, given, 32, 'may'),
  );
}

/** Hex of any whole number of bytes after 0x, at most `max` bytes. */
export function bytesField(name: string, what: string, max: number): Field<string, Uint8Array> {
  const info = { name, hint: `0x and an even number of hex digits, ${what}, at most ${max} bytes` };
  return field(info, { type: 'string', description: what, pattern: '^0x([0-9a-fA-F]{2})*$' }, (given) => {
    if (typeof given !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(given) || given.length > 2 + 2 * max)
      return wrong(info, given);
    return fromHex(given.slice(2));
  });
}

/**
 * A secp256k1 public key: 33 bytes compressed, or 32 bytes x-only, which stands for the key with the even y
 * (facts/clients.md 16). That the point lies on the curve is checked where the request is handled.
 */
export function keyField(name: string, what: string): Field<string, ClientKey> {
  const info = { name, hint: `${what} as 66 hex digits (compressed) or 64 hex digits (x-only), without 0x` };
  return field(
    info,
    { type: 'string', description: what, pattern: '^((02|03)[0-9a-fA-F]{64}|[0-9a-fA-F]{64})$' },
    (given) => {
      if (typeof given !== 'string') return wrong(info, given);
      if (given.startsWith('0x')) return wrong(info, given, 'it starts with 0x');
      if (!hexDigits.test(given)) return wrong(info, given, 'it is not hexadecimal');
      if (given.length === 64) return { key: asPublicKey(fromHex(`02${given}`)), text: given.toLowerCase() };
      if (given.length !== 66) return wrong(info, given, `it has ${given.length} hex digits and needs 66 or 64`);
      if (!/^0[23]/.test(given)) return wrong(info, given, 'a compressed key starts with 02 or 03');
      return { key: asPublicKey(fromHex(given)), text: given.toLowerCase() };
    },
  );
}

/** `0x` and 20 bytes; letters of both cases have to be the checksum of some chain (EIP-55, EIP-1191). */
export function evmAddressField(name: string, what: string): Field<string, EvmAddress> {
  const info = { name, hint: `an EVM address (0x and 40 hex digits), ${what}` };
  return field(info, evmAddressSchema(what), (given) => evmAddressOf(info, given, 'any'));
}

/** An address that is asked for by the chain it is on, which another field of the request names. */
export type AddressByChain = ((chain: EvmChainId) => EvmAddress | Refusal) & {
  /** As the request spells it. */
  readonly text: string;
};

/** `0x` and 20 bytes; letters of both cases have to be the checksum on the chain that the request names. */
export function chainAddressField(name: string, what: string): Field<string, AddressByChain> {
  const info = { name, hint: `an EVM address (0x and 40 hex digits), ${what}` };
  return field(info, evmAddressSchema(what), (given) => {
    const some = evmAddressOf(info, given, 'any');
    if (isRefusal(some)) return some;
    return Object.assign((chain: EvmChainId) => evmAddressOf(info, given, chain), { text: String(given) });
  });
}

function evmAddressSchema(what: string): FieldSchema {
  return { type: 'string', description: what, pattern: '^0x[0-9a-fA-F]{40}$' };
}

function evmAddressOf(info: FieldInfo, given: unknown, chain: EvmChainId | 'any'): EvmAddress | Refusal {
  const bytes = hexOf(info, given, 20, 'must');
  if (isRefusal(bytes)) return bytes;
  return typeof given === 'string' && hasRightCase(given, chain)
    ? asEvmAddress(bytes)
    : wrong(info, given, wrongCase(chain));
}

/** The fact in the refusal of a mistyped address. */
export function wrongCase(chain: EvmChainId | 'any'): string {
  const where = chain === 'any' ? '' : ` on chain ${chain}`;
  return `whose capital letters do not fit its checksum${where}, so a letter is wrong`;
}

/** A whole number from JSON, or its decimal digits; null for anything else, and for what JSON cannot carry exactly. */
function whole(given: unknown): bigint | null {
  if (typeof given === 'number') return Number.isSafeInteger(given) && given >= 0 ? BigInt(given) : null;
  if (typeof given === 'string' && given.length <= 78 && /^\d+$/.test(given)) return BigInt(given);
  return null;
}

/** Whole satoshis above zero, an integer on the wire; its digits as text are read too. */
export function satsField(name: string, what: string): Field<number | string, Sats> {
  const info = { name, hint: `${what} as a whole number of satoshis, at least 1` };
  return field(info, { type: 'integer', description: `${what}, in satoshis`, minimum: 0 }, (given) => {
    const amount = whole(given);
    if (amount === null || amount === 0n || amount > 2_100_000_000_000_000n) return wrong(info, given);
    return sats(amount);
  });
}

/** The smallest units of an EVM token above zero, decimal digits as text; an integer is read too. */
export function unitsField(name: string, what: string): Field<string | number, TokenAmount> {
  const info = {
    name,
    hint: `${what} as the decimal digits of a whole number of the token's smallest units, at least 1`,
  };
  return field(
    info,
    { type: 'string', description: `${what}, in the token's smallest units`, pattern: '^\\d+$' },
    (given) => {
      const amount = whole(given);
      if (amount === null || amount === 0n || amount > maxUint256) return wrong(info, given);
      return tokenAmount(amount);
    },
  );
}

/** An amount in a token's smallest units, or `all` that there is to send. */
export function amountOrAllField(name: string, what: string): Field<string | number, TokenAmount | 'all'> {
  const info = {
    name,
    hint: `${what} as the decimal digits of a whole number of the token's smallest units, at least 1, or all`,
  };
  return field(
    info,
    { type: 'string', description: `${what}, in the token's smallest units, or all of it`, pattern: '^(\\d+|all)$' },
    (given) => {
      if (given === 'all') return given;
      const amount = whole(given);
      return amount === null || amount === 0n || amount > maxUint256 ? wrong(info, given) : tokenAmount(amount);
    },
  );
}

/** An unsigned 256-bit number as decimal digits, zero included: nonces, call values, permit values. */
export function uint256Field(name: string, what: string): Field<string | number, bigint> {
  const info = { name, hint: `${what} as decimal digits, below 2^256` };
  return field(info, { type: 'string', description: what, pattern: '^\\d+$' }, (given) => {
    const amount = whole(given);
    return amount === null || amount > maxUint256 ? wrong(info, given) : amount;
  });
}

/** A whole number within limits; digits as text are read too, for query strings. */
export function integerField(name: string, what: string, min: number, max: number): Field<number | string, number> {
  const info = { name, hint: `${what} as a whole number from ${min} to ${max}` };
  return field(info, { type: 'integer', description: what, minimum: min, maximum: max }, (given) => {
    const value = whole(given);
    return value === null || value < BigInt(min) || value > BigInt(max) ? wrong(info, given) : Number(value);
  });
}

export function flagField(name: string, what: string): Field<boolean, boolean> {
  const info = { name, hint: `true or false, ${what}` };
  return field(info, { type: 'boolean', description: what }, (given) =>
    typeof given === 'boolean' ? given : wrong(info, given),
  );
}

/** One of a fixed list of words. */
export function oneOf<const Word extends string>(
  name: string,
  what: string,
  words: readonly Word[],
): Field<Word, Word> {
  const info = { name, hint: words.length === 1 ? words.join() : `one of ${words.join(', ')}` };
  return field(
    info,
    { type: 'string', description: what, enum: words },
    (given) => words.find((word) => word === given) ?? wrong(info, given),
  );
}

/** The version of an HTLC's script. New swaps use 1 (facts/clients.md 6); another one would be another address. */
export function scriptVersionField<V extends 1 | 2 = 1>(name: string, version = 1 as V): Field<number | string, V> {
  const info = { name, hint: `the integer ${version}, the version of new swaps` };
  const schema = { type: 'integer', description: `Script version; new swaps use ${version}`, minimum: 0 } as const;
  return field(info, schema, (given) => (whole(given) === BigInt(version) ? version : wrong(info, given)));
}

export function evmChainIdField(name: string): Field<number | string, EvmChainId> {
  const info = { name, hint: `the number of a chain this protocol knows: ${evmChainIds.join(', ')}` };
  return field(
    info,
    { type: 'integer', description: 'EVM chain id, for example 1, 137, 42161', minimum: 0 },
    (given) => {
      const value = whole(given);
      return evmChainIds.find((id) => BigInt(id) === value) ?? wrong(info, given);
    },
  );
}

export function chainField(name: string, what: string): Field<string, Chain> {
  return oneOf<Chain>(name, what, chainValues) as Field<string, Chain>;
}

/**
 * A per-swap surcharge in basis points; the ceiling belongs to the developer key (DECISIONS.md, "A surcharge belongs to
 * a developer key").
 */
export function extraFeesField(name: string): Field<number | string, number> {
  return integerField(name, 'a surcharge in basis points', 0, 10_000);
}
