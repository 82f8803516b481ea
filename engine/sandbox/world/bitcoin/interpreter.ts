import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Coin } from './ledger.ts';
import { isPushOnly } from './script/codes.ts';
import { fail, ScriptFault, sentences, type Fault } from './script/fault.ts';
import { hasSuccess, pushOf, type Run, runScript } from './script/machine.ts';
import { isTrue } from './script/values.ts';
import { checkSchnorr } from './script/signatures.ts';
import { isAnchor } from './script-kind.ts';
import { type Tx, varint } from './tx.ts';

/** What is judged: one input of a transaction, and the coins that all of them spend. */
type Judged = Omit<Run, 'rules'>;

const annexTag = 0x50;
const tapscript = 0xc0;
const most = { push: 520, stack: 1_000 } as const;

/**
 * Runs every input's script against the coin that it spends, by what nodes relay. Null when all hold, else Core's words
 * for the first fault.
 */
export function scriptFault(tx: Tx, coins: readonly Pick<Coin, 'amount' | 'script'>[]): string | null {
  for (const index of coins.keys()) {
    const fault = inputFault({ tx, coins, index, standard: true });
    if (fault !== null) return sentences[fault];
  }
  return null;
}

/** The fault of one input, by consensus or by what nodes relay; null when it holds. */
export function inputFault(judged: Judged): Fault | null {
  try {
    verifyInput(judged);
    return null;
  } catch (error) {
    if (error instanceof ScriptFault) return error.fault;
    throw error;
  }
}

function verifyInput(judged: Judged): void {
  const { tx, coins, index, standard } = judged;
  const input = tx.inputs[index];
  const coin = coins[index];
  if (input === undefined || coin === undefined) throw new RangeError('more coins than inputs');
  const legacy: Run = { ...judged, rules: 'legacy' };
  const stack: Uint8Array[] = [];
  runScript(input.script, stack, legacy);
  const before = [...stack];
  runScript(coin.script, stack, legacy);
  checkTop(stack);
  let program = programOf(coin.script);
  if (program !== null) {
    if (input.script.length > 0) fail('WITNESS_MALLEATED');
    verifyProgram(program, input.witness, judged, false);
    return;
  }
  if (isPayToScriptHash(coin.script)) {
    if (!isPushOnly(input.script)) fail('SIG_PUSHONLY');
    const redeem = before.pop() ?? fail('INVALID_STACK_OPERATION');
    runScript(redeem, before, legacy);
    checkTop(before);
    program = programOf(redeem);
    if (program !== null) {
      if (!same(input.script, pushOf(redeem))) fail('WITNESS_MALLEATED_P2SH');
      verifyProgram(program, input.witness, judged, true);
      return;
    }
    if (standard && before.length !== 1) fail('CLEANSTACK');
  } else if (standard && stack.length !== 1) fail('CLEANSTACK');
  if (input.witness.length > 0) fail('WITNESS_UNEXPECTED');
}

function checkTop(stack: readonly Uint8Array[]): void {
  if (!isTrue(stack.at(-1) ?? new Uint8Array())) fail('EVAL_FALSE');
}

interface Program {
  readonly version: number;
  readonly bytes: Uint8Array;
}

/** BIP-141: a version and one push of 2 to 40 bytes. */
function programOf(script: Uint8Array): Program | null {
  const [first = 0xff, length = 0] = script;
  const isVersion = first === 0 || (first >= 0x51 && first <= 0x60);
  if (!isVersion || script.length < 4 || script.length > 42 || length !== script.length - 2) return null;
  return { version: first === 0 ? 0 : first - 0x50, bytes: script.subarray(2) };
}

function isPayToScriptHash(script: Uint8Array): boolean {
  return script.length === 23 && script[0] === 0xa9 && script[1] === 20 && script[22] === 0x87;
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.from(a).equals(b);
}

function verifyProgram(program: Program, witness: readonly Uint8Array[], judged: Judged, nested: boolean): void {
  const { version, bytes } = program;
  if (version === 0) {
    verifyVersion0(bytes, witness, judged);
  } else if (version === 1 && bytes.length === 32 && !nested) {
    verifyTaproot(bytes, witness, judged);
  } else if (!nested && isAnchor(Uint8Array.of(0x50 + version, bytes.length, ...bytes))) {
    return; // anyone may spend it, with nothing
  } else if (judged.standard) fail('DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM');
}

function verifyVersion0(program: Uint8Array, witness: readonly Uint8Array[], judged: Judged): void {
  const run: Run = { ...judged, rules: 'v0' };
  if (program.length === 20) {
    if (witness.length !== 2) fail('WITNESS_PROGRAM_MISMATCH');
    runWitness(Uint8Array.of(0x76, 0xa9, 20, ...program, 0x88, 0xac), witness, run);
    return;
  }
  if (program.length !== 32) fail('WITNESS_PROGRAM_WRONG_LENGTH');
  const script = witness.at(-1) ?? fail('WITNESS_PROGRAM_WITNESS_EMPTY');
  if (!same(sha256(script), program)) fail('WITNESS_PROGRAM_MISMATCH');
  runWitness(script, witness.slice(0, -1), run);
}

/** BIP-341. */
function verifyTaproot(program: Uint8Array, witness: readonly Uint8Array[], judged: Judged): void {
  if (witness.length === 0) fail('WITNESS_PROGRAM_WITNESS_EMPTY');
  const last = witness.at(-1);
  const annex = witness.length > 1 && last?.[0] === annexTag ? last : null;
  const items = annex === null ? witness : witness.slice(0, -1);
  const [signature] = items;
  if (items.length === 1 && signature !== undefined) {
    checkSchnorr(signature, program, judged, { annex, leaf: null });
    return;
  }
  const [script, control] = items.slice(-2) as [Uint8Array, Uint8Array];
  if (control.length < 33 || control.length > 33 + 128 * 32 || control.length % 32 !== 1)
    fail('TAPROOT_WRONG_CONTROL_SIZE');
  const version = (control[0] ?? 0) & 0xfe;
  const hash = schnorr.utils.taggedHash('TapLeaf', Uint8Array.of(version), varint(script.length), script);
  if (!isCommitted(program, control, hash)) fail('WITNESS_PROGRAM_MISMATCH');
  if (version !== tapscript) {
    if (judged.standard) fail('DISCOURAGE_UPGRADABLE_TAPROOT_VERSION');
    return;
  }
  if (hasSuccess(script)) {
    if (judged.standard) fail('DISCOURAGE_OP_SUCCESS');
    return;
  }
  const stack = items.slice(0, -2);
  if (stack.length > most.stack) fail('STACK_SIZE');
  const size = witness.reduce((sum, { length }) => sum + varint(length).length + length, varint(witness.length).length);
  runWitness(script, stack, { ...judged, rules: { hash, annex, budget: size + 50 } });
}

/** Whether the leaf is in the tree of the output key, and the control block says the parity of its y. */
function isCommitted(program: Uint8Array, control: Uint8Array, leafHash: Uint8Array): boolean {
  const internal = control.subarray(1, 33);
  let root = leafHash;
  for (let at = 33; at < control.length; at += 32) {
    const sibling = control.subarray(at, at + 32);
    const [low, high] = Buffer.compare(root, sibling) < 0 ? [root, sibling] : [sibling, root];
    root = schnorr.utils.taggedHash('TapBranch', low, high);
  }
  const tweak = numberOfBytes(schnorr.utils.taggedHash('TapTweak', internal, root));
  if (tweak >= secp256k1.Point.Fn.ORDER) return false;
  try {
    const key = schnorr.utils.lift_x(numberOfBytes(internal));
    const output = tweak === 0n ? key : key.add(secp256k1.Point.BASE.multiplyUnsafe(tweak));
    const odd = (output.toAffine().y & 1n) === 1n;
    return same(schnorr.utils.pointToBytes(output), program) && odd === (((control[0] ?? 0) & 1) === 1);
  } catch {
    return false; // an internal key off the curve, or no point at all
  }
}

function numberOfBytes(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

/** What a witness runs leaves one item that is true: by consensus, not by what nodes relay. */
function runWitness(script: Uint8Array, items: readonly Uint8Array[], run: Run): void {
  if (items.some(({ length }) => length > most.push)) fail('PUSH_SIZE');
  const stack = [...items];
  runScript(script, stack, run);
  if (stack.length !== 1) fail('CLEANSTACK');
  checkTop(stack);
}
