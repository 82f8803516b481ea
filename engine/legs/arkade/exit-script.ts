import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { Script } from '@scure/btc-signer';
import { sameBytes } from '../../domain/hash.ts';

/** What a leaf asks of the transaction that spends by it. */
export interface LeafChecks {
  /** Whether these bytes are the key's signature over the input. */
  signature(key: Uint8Array, signature: Uint8Array): boolean;
  /** Whether the transaction itself waits for this locktime (BIP 65). */
  locktime(least: number): boolean;
}

type Word = Exclude<ReturnType<typeof Script.decode>[number], Uint8Array | number>;

const longestNumber = 5;

/**
 * Runs a leaf on its arguments, the bottom of the stack first, and says why it does not hold; null when it does (BIP
 * 342). It knows the words that coins at an operator are made of, and takes no other for valid. Wrong: a way out is
 * believed in that no node relays.
 */
export function leafFailure(script: Uint8Array, given: readonly Uint8Array[], checks: LeafChecks): string | null {
  const stack = [...given];
  let words: ReturnType<typeof Script.decode>;
  try {
    words = Script.decode(script);
  } catch {
    return 'a leaf is no script';
  }
  for (const word of words) {
    if (word instanceof Uint8Array) stack.push(word);
    else if (typeof word === 'number') stack.push(numberBytes(word));
    else {
      const failure = run(word, stack, checks);
      if (failure !== null) return failure;
    }
  }
  return stack.length === 1 && truthy(stack[0]) ? null : 'a leaf does not hold';
}

function run(word: Word, stack: Uint8Array[], checks: LeafChecks): string | null {
  const top = stack.pop();
  if (top === undefined) return 'a leaf wants more than its witness has';
  switch (word) {
    case 'DROP':
      return null;
    case 'DUP':
      stack.push(top, top);
      return null;
    case 'VERIFY':
      return truthy(top) ? null : 'a condition of a leaf is not met';
    case 'SIZE':
      stack.push(top, numberBytes(top.length));
      return null;
    case 'SHA256':
      stack.push(sha256(top));
      return null;
    case 'HASH160':
      stack.push(ripemd160(sha256(top)));
      return null;
    case 'EQUAL':
    case 'EQUALVERIFY': {
      const other = stack.pop();
      const equal = other !== undefined && sameBytes(top, other);
      if (word === 'EQUAL') stack.push(equal ? Uint8Array.of(1) : new Uint8Array());
      return word === 'EQUAL' || equal ? null : 'a condition of a leaf is not met';
    }
    case 'CHECKLOCKTIMEVERIFY':
      stack.push(top);
      return top.length <= longestNumber && checks.locktime(numberOf(top)) ? null : 'a locktime is not kept';
    case 'CHECKSIG':
    case 'CHECKSIGVERIFY': {
      const signature = stack.pop();
      if (signature === undefined || !checks.signature(top, signature)) return 'a signature is missing or wrong';
      if (word === 'CHECKSIG') stack.push(Uint8Array.of(1));
      return null;
    }
    default:
      return `a leaf uses ${word}, which no coin at an operator needs`;
  }
}

function truthy(bytes: Uint8Array | undefined): boolean {
  return bytes?.some((byte, i) => byte !== 0 && !(i === bytes.length - 1 && byte === 0x80)) ?? false;
}

/** A script number, least byte first, its sign in the highest bit. */
function numberBytes(value: number): Uint8Array {
  const digits: number[] = [];
  for (let rest = Math.abs(value); rest > 0; rest = Math.floor(rest / 256)) digits.push(rest % 256);
  if ((digits.at(-1) ?? 0) >= 0x80) digits.push(0);
  if (value < 0) digits[digits.length - 1] = (digits.at(-1) ?? 0) | 0x80;
  return Uint8Array.from(digits);
}

function numberOf(bytes: Uint8Array): number {
  const negative = ((bytes.at(-1) ?? 0) & 0x80) !== 0;
  const value = bytes.reduce((sum, byte, i) => sum + (i === bytes.length - 1 ? byte & 0x7f : byte) * 2 ** (8 * i), 0);
  return negative ? -value : value;
}
