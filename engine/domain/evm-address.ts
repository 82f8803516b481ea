import { keccak_256 } from '@noble/hashes/sha3.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { asEvmAddress, type EvmAddress } from './evm.ts';
import { fromHex, toHex } from './hex.ts';

/** Chains whose wallets also write addresses with the chain's number in the checksum (EIP-1191). */
const chainsWithOwnCase: readonly number[] = [30, 31];

/**
 * An address as people write it: `0x`, 40 hex digits, and, where they are of both cases, the right ones (EIP-55, on
 * chains 30 and 31 EIP-1191 too). Null for anything else. Loses money when wrong: what is sent to an address with a
 * wrong letter is gone.
 */
export function readEvmAddress(text: string, chain: number | 'any' = 'any'): EvmAddress | null {
  return /^0x[0-9a-fA-F]{40}$/.test(text) && hasRightCase(text, chain) ? asEvmAddress(fromHex(text.slice(2))) : null;
}

/**
 * Whether the case of the letters says that none of them is wrong; `any`: in the form of any chain. Letters of one case
 * alone say nothing.
 */
export function hasRightCase(text: string, chain: number | 'any'): boolean {
  const digits = text.slice(2);
  const lower = digits.toLowerCase();
  if (digits === lower || digits === digits.toUpperCase() || digits === spelled(lower, '')) return true;
  const own = chainsWithOwnCase.filter((one) => chain === 'any' || chain === one);
  return own.some((one) => digits === spelled(lower, `${one}0x`));
}

/** As people read it, with its checksum in the case of its letters (EIP-55). */
export function checksummed(address: EvmAddress): `0x${string}` {
  return `0x${spelled(toHex(address), '')}`;
}

/**
 * What lists and records name a token or account by, in its one form: an address with its checksum, whatever case it is
 * kept in; any other text (`btc`, an account elsewhere) as it is.
 */
export function withChecksum(text: string): string {
  const address = readEvmAddress(text.toLowerCase());
  return address === null ? text : checksummed(address);
}

/**
 * Whether two name the same: addresses say nothing by the case of their letters, and no name of another network is told
 * from another by it.
 */
export function sameName(one: string, other: string): boolean {
  return withChecksum(one) === withChecksum(other);
}

function spelled(lower: string, before: string): string {
  const hash = toHex(keccak_256(utf8ToBytes(`${before}${lower}`)));
  return lower.replace(/[a-f]/g, (letter, at: number) => (hash.charAt(at) >= '8' ? letter.toUpperCase() : letter));
}
