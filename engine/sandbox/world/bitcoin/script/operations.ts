import { ripemd160, sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { fail } from './fault.ts';
import { bytesOfBoolean, bytesOfNumber, isTrue, numberOf } from './values.ts';

/** The two stacks of a script that runs. */
export interface Stacks {
  readonly main: Uint8Array[];
  readonly other: Uint8Array[];
  /** Numbers have to be written as short as they can be. */
  readonly minimal: boolean;
}

/** The item so far below the top, 1 for the top itself. */
export function top(stack: readonly Uint8Array[], depth = 1): Uint8Array {
  return stack.at(-depth) ?? fail('INVALID_STACK_OPERATION');
}

export function need({ main }: Stacks, count: number): void {
  if (main.length < count) fail('INVALID_STACK_OPERATION');
}

function pop({ main }: Stacks): Uint8Array {
  return main.pop() ?? fail('INVALID_STACK_OPERATION');
}

export function popNumber(stacks: Stacks): number {
  return numberOf(pop(stacks), stacks.minimal);
}

/** Moves the items so far down from the top there, in the order they have. */
function raise(stacks: Stacks, depth: number, count = 1): void {
  need(stacks, depth);
  stacks.main.push(...stacks.main.splice(stacks.main.length - depth, count));
}

/** Copies them instead. */
function copy(stacks: Stacks, depth: number, count: number): void {
  need(stacks, depth);
  const from = stacks.main.length - depth;
  stacks.main.push(...stacks.main.slice(from, from + count));
}

function drop(stacks: Stacks, count: number): void {
  need(stacks, count);
  stacks.main.splice(stacks.main.length - count, count);
}

function indexed(stacks: Stacks): number {
  need(stacks, 2);
  const index = popNumber(stacks);
  return index >= 0 && index < stacks.main.length ? index + 1 : fail('INVALID_STACK_OPERATION');
}

function unary(of: (value: number) => number): (stacks: Stacks) => void {
  return (stacks) => {
    const value = numberOf(top(stacks.main), stacks.minimal);
    stacks.main.splice(-1, 1, bytesOfNumber(of(value)));
  };
}

function binary(of: (a: number, b: number) => number | boolean): (stacks: Stacks) => void {
  return (stacks) => {
    need(stacks, 2);
    const [a, b] = [numberOf(top(stacks.main, 2), stacks.minimal), numberOf(top(stacks.main), stacks.minimal)];
    stacks.main.splice(-2, 2, bytesOfNumber(Number(of(a, b))));
  };
}

function hashed(of: (bytes: Uint8Array) => Uint8Array): (stacks: Stacks) => void {
  return (stacks) => void stacks.main.push(of(pop(stacks)));
}

function verify(stacks: Stacks, fault: 'VERIFY' | 'EQUALVERIFY' | 'NUMEQUALVERIFY'): void {
  if (!isTrue(top(stacks.main))) fail(fault);
  stacks.main.pop();
}

function equal(stacks: Stacks): void {
  need(stacks, 2);
  const [a, b] = [pop(stacks), pop(stacks)];
  stacks.main.push(bytesOfBoolean(Buffer.from(a).equals(b)));
}

const numEqual = binary((a, b) => a === b);

/**
 * What an operation does that looks at nothing but the stacks, by its opcode (bitcoin/bitcoin,
 * src/script/interpreter.cpp).
 */
export const operations: Readonly<Record<number, (stacks: Stacks) => void>> = {
  0x61: () => undefined,
  0x69: (stacks) => verify(stacks, 'VERIFY'),
  0x6a: () => fail('OP_RETURN'),
  0x6b: (stacks) => void stacks.other.push(pop(stacks)),
  0x6c: ({ main, other }) => void main.push(other.pop() ?? fail('INVALID_ALTSTACK_OPERATION')),
  0x6d: (stacks) => drop(stacks, 2),
  0x6e: (stacks) => copy(stacks, 2, 2),
  0x6f: (stacks) => copy(stacks, 3, 3),
  0x70: (stacks) => copy(stacks, 4, 2),
  0x71: (stacks) => raise(stacks, 6, 2),
  0x72: (stacks) => raise(stacks, 4, 2),
  0x73: ({ main }) => void (isTrue(top(main)) && main.push(top(main))),
  0x74: ({ main }) => void main.push(bytesOfNumber(main.length)),
  0x75: (stacks) => drop(stacks, 1),
  0x76: (stacks) => copy(stacks, 1, 1),
  0x77: (stacks) => {
    need(stacks, 2);
    stacks.main.splice(-2, 1);
  },
  0x78: (stacks) => copy(stacks, 2, 1),
  0x79: (stacks) => copy(stacks, indexed(stacks), 1),
  0x7a: (stacks) => raise(stacks, indexed(stacks)),
  0x7b: (stacks) => raise(stacks, 3),
  0x7c: (stacks) => raise(stacks, 2),
  0x7d: (stacks) => {
    need(stacks, 2);
    stacks.main.splice(-2, 0, top(stacks.main));
  },
  0x82: ({ main }) => void main.push(bytesOfNumber(top(main).length)),
  0x87: equal,
  0x88: (stacks) => {
    equal(stacks);
    verify(stacks, 'EQUALVERIFY');
  },
  0x8b: unary((a) => a + 1),
  0x8c: unary((a) => a - 1),
  0x8f: unary((a) => -a),
  0x90: unary(Math.abs),
  0x91: unary((a) => (a === 0 ? 1 : 0)),
  0x92: unary((a) => (a === 0 ? 0 : 1)),
  0x93: binary((a, b) => a + b),
  0x94: binary((a, b) => a - b),
  0x9a: binary((a, b) => a !== 0 && b !== 0),
  0x9b: binary((a, b) => a !== 0 || b !== 0),
  0x9c: numEqual,
  0x9d: (stacks) => {
    numEqual(stacks);
    verify(stacks, 'NUMEQUALVERIFY');
  },
  0x9e: binary((a, b) => a !== b),
  0x9f: binary((a, b) => a < b),
  0xa0: binary((a, b) => a > b),
  0xa1: binary((a, b) => a <= b),
  0xa2: binary((a, b) => a >= b),
  0xa3: binary(Math.min),
  0xa4: binary(Math.max),
  0xa5: (stacks) => {
    need(stacks, 3);
    const [value = 0, low = 0, high = 0] = stacks.main.slice(-3).map((item) => numberOf(item, stacks.minimal));
    stacks.main.splice(-3, 3, bytesOfBoolean(low <= value && value < high));
  },
  0xa6: hashed(ripemd160),
  0xa7: hashed(sha1),
  0xa8: hashed(sha256),
  0xa9: hashed((bytes) => ripemd160(sha256(bytes))),
  0xaa: hashed((bytes) => sha256(sha256(bytes))),
};
