import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { bech32, utf8 } from '@scure/base';
import { parsePaymentRequest } from 'invoices';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import { type Refusal, refuse } from '../../domain/errors.ts';
import { asSha256, type PublicKey, sameBytes, type Sha256 } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import { type Unix, unix } from '../../domain/time.ts';
import { networkOfInvoice, type Bolt11 } from '../../legs/lightning/invoice.ts';
import { isPublicKey, recoveredKey } from '../../legs/secp256k1.ts';

/** lnd's own limit: the longest text that fits into a QR code. */
const longestInvoice = 7_089;
const signatureWords = 104;
const timestampWords = 7;

/** Tags that may come once; where two came, payers disagree on which one counts. */
const singleTags: Record<number, string> = {
  1: 'p',
  5: '9',
  6: 'x',
  13: 'd',
  16: 's',
  19: 'n',
  23: 'h',
  24: 'c',
  27: 'm',
};
/** Words that p, s and h take, and n: any other length must be skipped, so nobody would agree on it. */
const exactWords: Record<number, number> = { 1: 52, 16: 52, 19: 53, 23: 52 };
/** An address on the Bitcoin chain. */
const fallbackTag = 9;
/** `b` of bLIP 39. lnd takes the delay of a path of one hop from its payee, and counts it in no limit of a payment. */
const blindedPaths = 20;
const featuresTag = 5;
/** Bits of AMP: lnd pays such an invoice in another way alone, whose parts have hashes of their own. */
const ampBits = [30, 31];
/** Fallback addresses and routing hints, which have forms of their own: the library refuses those that are wrong. */
const libraryTags = [fallbackTag, 3];
/** Picobitcoin: a tenth of a millisatoshi. */
const picoPerUnit: Record<string, bigint> = {
  '': 1_000_000_000_000n,
  m: 1_000_000_000n,
  u: 1_000_000n,
  n: 1_000n,
  p: 1n,
};

/**
 * Reads a BOLT 11 invoice and recovers the payee from its signature. Stricter than the library (repeated and misshaped
 * fields, amounts below a millisatoshi, the payee field), because lnd reads such an invoice differently; what both
 * take they read alike, which a test holds them to.
 */
export function decodeInvoice(text: string): Bolt11 | Refusal {
  if (text.length > longestInvoice) {
    return refuse(
      'invalid',
      `The Lightning invoice has ${text.length} characters; at most ${longestInvoice} are allowed.`,
    );
  }
  try {
    return parse(text.toLowerCase(), text);
  } catch {
    // The text is a stranger's and may be anything: what the parser stumbled over says nothing to its sender.
    return malformed('it is not a valid BOLT 11 text');
  }
}

/** What an invoice of our own node says of itself. */
export interface OwnInvoice {
  readonly network: BitcoinNetwork | 'other';
  readonly amountMsat: bigint | null;
  readonly hash: Sha256;
  readonly descriptionHash: Sha256 | null;
  readonly expiresAt: Unix;
}

/** BOLT 11: how long an invoice lives that does not say. */
const defaultExpiry = 3_600;
/** BOLT 11: 18 blocks, as a field would say it. */
const defaultFinalCltv = [18];

/** Seconds. */
function expiryOf(fields: ReadonlyMap<number, readonly number[]>): number {
  const words = fields.get(6);
  return words === undefined ? defaultExpiry : numberOf(words);
}

/**
 * Reads back an invoice that our own node has just made: checksum, network, amount, hash and expiry. Its signature is
 * not judged: recovering the key takes longer than all the rest, and it would only tell us who we asked. Null when the
 * text is none, or lacks a hash.
 */
export function readOwnInvoice(text: string): OwnInvoice | null {
  try {
    const { prefix, words } = bech32.decode(text as `${string}1${string}`, false);
    const fields = tags(words);
    const amountMsat = amountOf(prefix);
    const hash = typeof fields === 'string' ? undefined : fields.get(1);
    if (typeof fields === 'string' || hash === undefined || amountMsat === undefined) return null;
    return {
      network: networkOfInvoice(prefix),
      amountMsat,
      hash: asSha256(bech32.fromWords([...hash])),
      descriptionHash: hashIn(fields.get(23)),
      expiresAt: unix(numberOf(words.slice(0, timestampWords)) + expiryOf(fields)),
    };
  } catch {
    return null; // whatever is wrong with it, it is not what was asked for
  }
}

function hashIn(field: readonly number[] | undefined): Sha256 | null {
  return field === undefined ? null : asSha256(bytesOf(field));
}

/** Words of five bits, the highest first. */
function numberOf(words: readonly number[]): number {
  return words.reduce((value, word) => value * 32 + word, 0);
}

function malformed(why: string): Refusal {
  return refuse(
    'invalid',
    `The Lightning invoice cannot be read: ${why}. Copy it again or ask the payee for a new one.`,
  );
}

function parse(text: string, given: string): Bolt11 | Refusal {
  const { prefix, words } = bech32.decode(given as `${string}1${string}`, false);
  const fields = tags(words);
  if (typeof fields === 'string') return malformed(fields);
  const amountMsat = amountOf(prefix);
  if (amountMsat === undefined) return malformed('its amount is not written as BOLT 11 asks');
  const { routes = [] } = libraryTags.some((tag) => fields.has(tag)) ? parsePaymentRequest({ request: text }) : {};
  if (routes.some((hops) => hops.some(({ public_key: key }) => !isPublicKey(fromHex(key)))))
    return malformed('a way that it names leads over a key that is none');
  const payee = payeeOf(prefix, words);
  const named = fields.get(19);
  if (named !== undefined && !sameBytes(bech32.fromWords([...named]), payee))
    return malformed('its payee did not sign it');
  const createdAt = numberOf(words.slice(0, timestampWords));
  const [description, descriptionHash] = [fields.get(13), fields.get(23)];
  return {
    text,
    network: networkOfInvoice(prefix),
    amountMsat,
    hash: asSha256(bytesOf(fields.get(1) ?? [])),
    createdAt: unix(createdAt),
    expiresAt: unix(createdAt + expiryOf(fields)),
    finalCltv: numberOf(fields.get(24) ?? defaultFinalCltv),
    description: description === undefined ? null : Buffer.from(bytesOf(description)).toString('utf8'),
    descriptionHash: hashIn(descriptionHash),
    payee,
    hasFallback: fields.has(fallbackTag),
    hinted: mostOf(routes, amountMsat ?? 0n),
  };
}

type Routes = NonNullable<ReturnType<typeof parsePaymentRequest>['routes']>;

/** Whoever pays takes the cheapest of the ways that lead there, and only the payee knows which ones do. */
function mostOf(routes: Routes, amountMsat: bigint): Bolt11['hinted'] {
  const ways = routes.map((hops) => ({
    feeMsat: hops.reduceRight((sum, { base_fee_mtokens: base = '0', fee_rate: ppm = 0 }) => {
      return sum + BigInt(base) + (sum * BigInt(ppm)) / 1_000_000n;
    }, amountMsat),
    blocks: hops.reduce((sum, { cltv_delta: delta = 0 }) => sum + delta, 0),
  }));
  return {
    feeMsat: ways.reduce((most, { feeMsat }) => (feeMsat > most ? feeMsat : most), amountMsat) - amountMsat,
    blocks: Math.max(0, ...ways.map(({ blocks }) => blocks)),
  };
}

/** Whoever signed the invoice; throws when nobody can have. */
function payeeOf(prefix: string, words: readonly number[]): PublicKey {
  const signed = words.slice(0, -signatureWords);
  const end = Math.ceil((signed.length * 5) / 8);
  // Filled up with zeros to whole bytes (BOLT 11), where a field drops what is left over.
  const data = bytesOf([...signed, 0, 0]).subarray(0, end);
  const signature = bytesOf(words.slice(-signatureWords));
  return recoveredKey(
    sha256(concatBytes(utf8.decode(prefix), data)),
    signature.subarray(0, 64),
    signature[64] ?? Number.NaN,
  );
}

/** Whole bytes of five-bit words; bits that are left over say nothing. */
function bytesOf(words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(Math.floor((words.length * 5) / 8));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const word of words) {
    held = ((held << 5) | word) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = held >> bits;
  }
  return bytes;
}

/** Millisatoshis of the human readable part; null where it has none, undefined where it is wrong. */
function amountOf(prefix: string): bigint | null | undefined {
  const parts = /^ln(?:bcrt|tbs|tb|bc)(?:([1-9]\d{0,17})([munp]?))?$/.exec(prefix);
  if (parts === null) return undefined;
  const [, digits, unit = ''] = parts;
  if (digits === undefined) return null;
  const pico = BigInt(digits) * (picoPerUnit[unit] ?? 0n);
  return pico % 10n === 0n ? pico / 10n : undefined;
}

/** Whether a feature bit is set: bit 0 is the lowest one of the last word. */
function hasBit(words: readonly number[], bit: number): boolean {
  return (((words.at(-1 - Math.floor(bit / 5)) ?? 0) >> (bit % 5)) & 1) === 1;
}

/** The tagged fields by tag, or why they are wrong. */
function tags(words: readonly number[]): Map<number, readonly number[]> | string {
  const end = words.length - signatureWords;
  const fields = new Map<number, readonly number[]>();
  let at = timestampWords;
  while (at < end) {
    const [tag = 0, high = 0, low = 0] = words.slice(at, at + 3);
    const length = high * 32 + low;
    const value = words.slice(at + 3, at + 3 + length);
    at += 3 + length;
    if (at > end) return 'its fields run into its signature';
    if (tag === blindedPaths)
      return 'it asks to be paid over blinded paths, whose delay no limit bounds, and only one without them is paid';
    if (tag === featuresTag && ampBits.some((bit) => hasBit(value, bit)))
      return 'it is one for AMP, which is paid in another way, and only an ordinary one is paid';
    const name = singleTags[tag];
    if (name === undefined) {
      if (libraryTags.includes(tag)) fields.set(tag, value);
      continue;
    }
    if (fields.has(tag)) return `its field ${name} comes twice`;
    if (exactWords[tag] !== undefined && exactWords[tag] !== length) return `its field ${name} has the wrong length`;
    if ((tag === 6 || tag === 24) && (length > 7 || value.every((word) => word === 0)))
      return `its field ${name} is out of range`;
    fields.set(tag, value);
  }
  if (!fields.has(1)) return 'it has no payment hash';
  if (!fields.has(16)) return 'it has no payment secret';
  if (fields.has(13) === fields.has(23)) return 'it needs either a description or the hash of one';
  return fields;
}
