import { type EvmAddress, asEvmAddress } from '../../domain/evm.ts';
import { fromHex } from '../../domain/hex.ts';
import { type Unix, unix } from '../../domain/time.ts';
import type { EvmTip } from '../../legs/evm/port.ts';
import { NoAnswer } from '../probe/answer.ts';
import { asHex, asQuantity } from './rpc.ts';

/** What an RPC answers, read strictly: whatever has another form is no answer. */

export interface Block extends EvmTip {
  readonly parent: string;
}

export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new NoAnswer('not-it', `it answered without ${what}`);
  return value as Fields;
}

/** A height, a nonce, a time: whole and exact as a number. */
export function asCount(value: unknown, what: string): number {
  const count = asQuantity(value, what);
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw new NoAnswer('not-it', `it gave ${count} for ${what}`);
  return Number(count);
}

/** 32 bytes as hex without 0x, in small letters. */
export function asHash(value: unknown, what: string): string {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/i.test(value))
    throw new NoAnswer('not-it', `it gave no ${what} of 32 bytes`);
  return value.slice(2).toLowerCase();
}

export function asBytes(value: unknown, what: string): Uint8Array {
  const text = asHex(value, what).slice(2);
  if (text.length % 2 !== 0) throw new NoAnswer('not-it', `it gave half a byte in ${what}`);
  return fromHex(text);
}

export function asAddress(value: unknown, what: string): EvmAddress {
  const bytes = asBytes(value, what);
  if (bytes.length !== 20) throw new NoAnswer('not-it', `it gave no ${what} of 20 bytes`);
  return asEvmAddress(bytes);
}

export function asBlock(value: unknown): Block {
  const block = asFields(value, 'a block');
  return {
    height: asCount(block['number'], 'the height of a block'),
    hash: asHash(block['hash'], 'hash of a block'),
    parent: asHash(block['parentHash'], 'hash of a parent block'),
    time: asTime(block['timestamp']),
  };
}

function asTime(value: unknown): Unix {
  return unix(asCount(value, 'the time of a block'));
}
