import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Hex } from 'viem';
import { toHex } from '../../../domain/hex.ts';

/** A number as JSON-RPC writes it. */
export function quantity(number: number | bigint): Hex {
  return `0x${number.toString(16)}`;
}

export function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value);
}

export function keccak(hex: Hex): Hex {
  return `0x${toHex(keccak_256(Buffer.from(hex.slice(2), 'hex')))}`;
}
