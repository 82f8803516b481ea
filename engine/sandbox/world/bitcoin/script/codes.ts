import { fail } from './fault.ts';

/** The opcodes that are named somewhere; all others have one meaning in one table. */
export const code = {
  pushData1: 0x4c,
  pushData4: 0x4e,
  negative1: 0x4f,
  one: 0x51,
  sixteen: 0x60,
  nop: 0x61,
  if: 0x63,
  notIf: 0x64,
  else: 0x67,
  endIf: 0x68,
  codeSeparator: 0xab,
  checkSig: 0xac,
  checkSigVerify: 0xad,
  checkMultisig: 0xae,
  checkMultisigVerify: 0xaf,
  nop1: 0xb0,
  checkLockTime: 0xb1,
  checkSequence: 0xb2,
  nop10: 0xb9,
  checkSigAdd: 0xba,
} as const;

/** One operation of a script: its opcode, what it pushes, and where the next one begins. */
export interface Operation {
  readonly opcode: number;
  readonly data: Uint8Array;
  readonly next: number;
}

const nothing = new Uint8Array();

/** The operation at a place; fails where a push runs over the end. */
export function operationAt(script: Uint8Array, at: number): Operation {
  const opcode = script[at] ?? fail('BAD_OPCODE');
  if (opcode > code.pushData4) return { opcode, data: nothing, next: at + 1 };
  const wide = opcode < code.pushData1 ? 0 : 2 ** (opcode - code.pushData1);
  const start = at + 1 + wide;
  if (start > script.length) fail('BAD_OPCODE');
  let length = wide === 0 ? opcode : 0;
  for (let i = 0; i < wide; i++) length += (script[at + 1 + i] ?? 0) * 256 ** i;
  const next = start + length;
  if (next > script.length) fail('BAD_OPCODE');
  return { opcode, data: script.subarray(start, next), next };
}

/** Whether data is pushed by the shortest operation that there is for it. */
export function isShortestPush({ opcode, data }: Operation): boolean {
  const [first = 0] = data;
  if (data.length === 0) return opcode === 0;
  if (data.length === 1 && first >= 1 && first <= 16) return false;
  if (data.length === 1 && first === 0x81) return false;
  if (data.length <= 75) return opcode === data.length;
  if (data.length <= 255) return opcode === code.pushData1;
  return data.length > 65_535 || opcode === code.pushData1 + 1;
}

export function isPushOnly(script: Uint8Array): boolean {
  try {
    for (let at = 0; at < script.length;) {
      const { opcode, next } = operationAt(script, at);
      if (opcode > code.sixteen) return false;
      at = next;
    }
    return true;
  } catch {
    return false; // a push that runs over the end
  }
}

/** The script without each place at which these bytes stand where an operation begins, and how many there were. */
export function without(
  script: Uint8Array,
  bytes: Uint8Array,
): { readonly script: Uint8Array; readonly count: number } {
  const left: Uint8Array[] = [];
  let count = 0;
  let from = 0;
  let at = 0;
  for (;;) {
    left.push(script.subarray(from, at));
    while (bytes.length > 0 && startsWith(script, at, bytes)) {
      at += bytes.length;
      count++;
    }
    from = at;
    if (at >= script.length) break;
    try {
      at = operationAt(script, at).next;
    } catch {
      left.push(script.subarray(from)); // what is no operation stays as it is
      break;
    }
  }
  return { script: new Uint8Array(Buffer.concat(left)), count };
}

function startsWith(script: Uint8Array, at: number, bytes: Uint8Array): boolean {
  return at + bytes.length <= script.length && bytes.every((byte, i) => script[at + i] === byte);
}

/** BIP-342: whoever mines may take a leaf that has one of these, whatever follows. */
export function isSuccess(opcode: number): boolean {
  return (
    opcode === 80 ||
    opcode === 98 ||
    (opcode >= 126 && opcode <= 129) ||
    (opcode >= 131 && opcode <= 134) ||
    opcode === 137 ||
    opcode === 138 ||
    opcode === 141 ||
    opcode === 142 ||
    (opcode >= 149 && opcode <= 153) ||
    (opcode >= 187 && opcode <= 254)
  );
}

/** In a leaf they are of the successes above; elsewhere they fail a script even where they are not reached. */
export function isDisabled(opcode: number): boolean {
  return isSuccess(opcode) && opcode !== 80 && opcode !== 98 && opcode !== 137 && opcode !== 138 && opcode < 187;
}
