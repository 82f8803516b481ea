import { Script } from '@scure/btc-signer';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { sameBytes } from '../../../domain/hash.ts';

const forbidden =
  /^(CHECKSIG|CHECKSIGVERIFY|CHECKSIGADD|CHECKMULTISIG|CHECKMULTISIGVERIFY|CHECKLOCKTIMEVERIFY|CHECKSEQUENCEVERIFY)$/;

/** Whether a condition stays within what an operator lets through: no signatures and no timelocks inside. */
export function conditionAllowed(script: Uint8Array): boolean {
  return Script.decode(script).every((item) => typeof item !== 'string' || !forbidden.test(item));
}

/**
 * Runs a condition alone on its witness and says why it does not hold, null when it does. Knows the operations that
 * hash conditions are made of and fails on any other.
 */
export function conditionFailure(script: Uint8Array, witness: readonly Uint8Array[]): string | null {
  const stack = [...witness];
  for (const item of Script.decode(script)) {
    if (typeof item === 'number') stack.push(numberBytes(item));
    else if (typeof item !== 'string') stack.push(item);
    else {
      const failure = run(item, stack);
      if (failure !== null) return failure;
    }
  }
  if (stack.length !== 1) return `condition leaves ${stack.length} elements`;
  return truthy(stack[0] ?? new Uint8Array()) ? null : 'false stack entry at end of script execution';
}

function run(operation: string, stack: Uint8Array[]): string | null {
  const top = stack.at(-1);
  if (top === undefined) return 'index 0 is invalid for stack size 0';
  switch (operation) {
    case 'SIZE':
      stack.push(numberBytes(top.length));
      return null;
    case 'SHA256':
      stack[stack.length - 1] = sha256(top);
      return null;
    case 'HASH160':
      stack[stack.length - 1] = ripemd160(sha256(top));
      return null;
    case 'EQUAL':
    case 'EQUALVERIFY': {
      if (stack.length < 2) return 'index 1 is invalid for stack size 1';
      const equal = sameBytes(stack.pop() as Uint8Array, stack.pop() as Uint8Array);
      if (operation === 'EQUAL') stack.push(equal ? Uint8Array.of(1) : new Uint8Array());
      return operation === 'EQUAL' || equal ? null : 'OP_EQUALVERIFY failed';
    }
    default:
      return `unsupported operation ${operation} in a condition`;
  }
}

function numberBytes(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  if ((bytes.at(-1) ?? 0) >= 128) bytes.push(0);
  return Uint8Array.from(bytes);
}

function truthy(bytes: Uint8Array): boolean {
  return bytes.some((byte, i) => byte !== 0 && !(i === bytes.length - 1 && byte === 0x80));
}
