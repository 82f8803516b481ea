import { bech32 } from '@scure/base';
import { parsePaymentRequest } from 'invoices';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import { type Refusal, refuse } from '../../domain/errors.ts';
import { asPublicKey, asSha256 } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import { type Unix, unix } from '../../domain/time.ts';
import type { Bolt11 } from '../../legs/lightning/invoice.ts';

/** lnd's own limit: the longest text that fits into a QR code. */
const longestInvoice = 7_089;
const signatureWords = 104;
const timestampWords = 7;

const networks: Record<string, BitcoinNetwork> = { bitcoin: 'mainnet', signet: 'signet', regtest: 'regtest' };

/** Tags that may come once; where two came, payers disagree on which one counts. */
const singleTags: Record<number, string> = { 1: 'p', 5: '9', 6: 'x', 13: 'd', 16: 's', 19: 'n', 23: 'h', 24: 'c', 27: 'm' };
/** Words that p, s and h take, and n: any other length must be skipped, so nobody would agree on it. */
const exactWords: Record<number, number> = { 1: 52, 16: 52, 19: 53, 23: 52 };
/** Picobitcoin: a tenth of a millisatoshi. */
const picoPerUnit: Record<string, bigint> = { '': 1_000_000_000_000n, m: 1_000_000_000n, u: 1_000_000n, n: 1_000n, p: 1n };

/**
 * Reads a BOLT 11 invoice. The library checks the checksum and recovers the payee from the signature; what it is lax
 * about (repeated and misshaped fields, amounts below a millisatoshi, the payee field) is checked here, because lnd
 * reads such an invoice differently.
 */
export function decodeInvoice(text: string): Bolt11 | Refusal {
  if (text.length > longestInvoice) {
    return refuse('invalid', `The Lightning invoice has ${text.length} characters; at most ${longestInvoice} are allowed.`);
  }
  try {
    return parse(text.toLowerCase(), text);
  } catch {
    // The text is a stranger's and may be anything: what the parser stumbled over says nothing to its sender.
    return malformed('it is not a valid BOLT 11 text');
  }
}

function malformed(why: string): Refusal {
  return refuse('invalid', `The Lightning invoice cannot be read: ${why}. Copy it again or ask the payee for a new one.`);
}

function parse(text: string, given: string): Bolt11 | Refusal {
  const { prefix, words } = bech32.decode(given as `${string}1${string}`, false);
  const fields = tags(words);
  if (typeof fields === 'string') return malformed(fields);
  const amountMsat = amountOf(prefix);
  if (amountMsat === undefined) return malformed('its amount is not written as BOLT 11 asks');
  const read = parsePaymentRequest({ request: text });
  if (BigInt(read.mtokens) !== (amountMsat ?? 0n)) return malformed('its amount can be read in two ways');
  const payee = fields.get(19);
  if (payee !== undefined && toHex(bech32.fromWords([...payee])) !== read.destination) return malformed('its payee did not sign it');
  return {
    text,
    network: networks[read.network] ?? 'other',
    amountMsat,
    hash: asSha256(fromHex(read.id)),
    createdAt: moment(read.created_at),
    expiresAt: moment(read.expires_at),
    finalCltv: read.cltv_delta,
    description: fields.has(13) ? (read.description ?? '') : null,
    descriptionHash: read.description_hash === undefined ? null : asSha256(fromHex(read.description_hash)),
    payee: asPublicKey(fromHex(read.destination)),
  };
}

function moment(iso: string): Unix {
  return unix(Math.floor(Date.parse(iso) / 1_000));
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

/** The tagged fields by tag, or why they are wrong. */
function tags(words: readonly number[]): Map<number, readonly number[]> | string {
  const end = words.length - signatureWords;
  const found = new Map<number, readonly number[]>();
  let at = timestampWords;
  while (at < end) {
    const [tag = 0, high = 0, low = 0] = words.slice(at, at + 3);
    const length = high * 32 + low;
    const value = words.slice(at + 3, at + 3 + length);
    at += 3 + length;
    if (at > end) return 'its fields run into its signature';
    const name = singleTags[tag];
    if (name === undefined) continue;
    if (found.has(tag)) return `its field ${name} comes twice`;
    if (exactWords[tag] !== undefined && exactWords[tag] !== length) return `its field ${name} has the wrong length`;
    if ((tag === 6 || tag === 24) && (length > 7 || value.every((word) => word === 0))) return `its field ${name} is out of range`;
    found.set(tag, value);
  }
  if (!found.has(1)) return 'it has no payment hash';
  if (!found.has(16)) return 'it has no payment secret';
  if (found.has(13) === found.has(23)) return 'it needs either a description or the hash of one';
  return found;
}
