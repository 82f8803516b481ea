import { sha256 } from '@noble/hashes/sha2.js';
import { hex, utf8 } from '@scure/base';
import type { Txid } from '../../domain/outpoint.ts';
import { taggedHash } from '../secp256k1.ts';
import type { Tx } from '../psbt.ts';

/** A proof commits to its message through a transaction that is never sent, BIP 322's toSpend with Arkade's tag. */
const proofTag = 'ark-intent-proof-message';

/** Global PSBT field of BIP 322 that carries the signed message. */
const messageField = 0x09;

/** The members of a register message, in the order in which its text is signed. */
export interface RegisterMessage {
  readonly type: 'register';
  readonly onchain_output_indexes: readonly number[];
  readonly valid_at: number;
  readonly expire_at: number;
  readonly cosigners_public_keys: readonly string[];
}

/** The exact text that a register message is signed as; another order of members is another message. */
function registerText(message: RegisterMessage): string {
  return JSON.stringify({
    type: message.type,
    onchain_output_indexes: message.onchain_output_indexes,
    valid_at: message.valid_at,
    expire_at: message.expire_at,
    cosigners_public_keys: message.cosigners_public_keys,
  });
}

/** The message a proof carries in its own global field; null when it carries none. */
export function proofMessage(proof: Tx): string | null {
  const { unknown = [] } = (proof as unknown as { global: { unknown?: [{ type: number }, Uint8Array][] } }).global;
  const messages = unknown.filter(([at]) => at.type === messageField);
  const [field] = messages;
  if (messages.length !== 1 || !field) return null;
  try {
    return utf8.encode(field[1]);
  } catch {
    return null;
  }
}

/**
 * Id of the virtual transaction that input 0 of a proof spends: it binds the message and the script of the first coin.
 */
export function toSpendTxid(message: string, script: Uint8Array): Txid {
  const digest = taggedHash(proofTag, utf8.decode(message));
  const raw = Uint8Array.from([
    ...[0, 0, 0, 0, 1], // version 0, one input
    ...new Array<number>(32).fill(0), // of no transaction
    ...[0xff, 0xff, 0xff, 0xff],
    ...[34, 0, 32, ...digest], // scriptSig: OP_0 and the digest
    ...[0, 0, 0, 0], // sequence
    ...[1, 0, 0, 0, 0, 0, 0, 0, 0], // one output of no value
    ...[script.length, ...script],
    ...[0, 0, 0, 0], // locktime
  ]);
  return hex.encode(sha256(sha256(raw)).reverse());
}

/** Reads a register message strictly: exactly its members, of their types, in the text that would be signed. */
export function readRegister(text: string): RegisterMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const {
    type,
    onchain_output_indexes: indexes,
    valid_at,
    expire_at,
    cosigners_public_keys: keys,
  } = value as Record<string, unknown>;
  if (type !== 'register' || !Array.isArray(indexes) || !indexes.every((at) => Number.isSafeInteger(at))) return null;
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'string')) return null;
  if (!Number.isSafeInteger(valid_at) || !Number.isSafeInteger(expire_at)) return null;
  const message: RegisterMessage = {
    type,
    onchain_output_indexes: indexes as number[],
    valid_at: valid_at as number,
    expire_at: expire_at as number,
    cosigners_public_keys: keys as string[],
  };
  return registerText(message) === text ? message : null;
}
