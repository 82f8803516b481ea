import { code, isDisabled, isShortestPush, isSuccess, operationAt, without } from './codes.ts';
import { fail } from './fault.ts';
import { checkLockTime, checkSequence } from './locks.ts';
import { need, operations, popNumber, top, type Stacks } from './operations.ts';
import { legacyHash, type Signed, witnessHash } from './sighash.ts';
import { checkKeyForm, checkSchnorr, checkSignatureForm, ecdsaHolds } from './signatures.ts';
import { bytesOfBoolean, bytesOfNumber, isTrue, numberOf } from './values.ts';

/** What a leaf may spend and signs (BIP-342). */
export interface LeafRun {
  readonly hash: Uint8Array;
  readonly annex: Uint8Array | null;
  /** Bytes of the witness and 50 more: each signature takes 50. */
  budget: number;
}

export interface Run extends Signed {
  /** Scripts before witnesses, version 0, or a Taproot leaf. */
  readonly rules: 'legacy' | 'v0' | LeafRun;
  /** With what nodes ask beyond consensus before they relay. */
  readonly standard: boolean;
}

const most = { script: 10_000, push: 520, operations: 201, stack: 1_000, keys: 20 } as const;
const signatureCost = 50;
const noSeparator = 0xffffffff;

/** A script as it runs. */
interface Running {
  readonly script: Uint8Array;
  readonly main: Uint8Array[];
  readonly run: Run;
  readonly rules: Run['rules'];
  readonly standard: Run['standard'];
  readonly tx: Run['tx'];
  readonly index: Run['index'];
  readonly leaf: LeafRun | null;
  readonly stacks: Stacks;
  /** Of each IF that is open, whether its branch runs. */
  readonly branches: boolean[];
  counted: number;
  codeFrom: number;
  separator: number;
}

/** Runs a script on a stack, in place; fails at the first fault (bitcoin/bitcoin, src/script/interpreter.cpp). */
export function runScript(script: Uint8Array, main: Uint8Array[], run: Run): void {
  const { rules, standard, tx, index } = run;
  const leaf = typeof rules === 'object' ? rules : null;
  if (leaf === null && script.length > most.script) fail('SCRIPT_SIZE');
  const stacks: Stacks = { main, other: [], minimal: standard };
  /** Of each IF that is open, whether its branch runs. */
  const branches: boolean[] = [];
  const own: Running = {
    script,
    main,
    run,
    rules,
    standard,
    tx,
    index,
    leaf,
    stacks,
    branches,
    counted: 0,
    codeFrom: 0,
    separator: noSeparator,
  };

  for (let [at, place] = [0, 0]; at < script.length; place++) {
    const operation = operationAt(script, at);
    const { opcode, data, next } = operation;
    const runs = !branches.includes(false);
    if (data.length > most.push) fail('PUSH_SIZE');
    if (opcode > code.sixteen) count(own, 1);
    if (isDisabled(opcode)) fail('DISABLED_OPCODE');
    if (opcode === code.codeSeparator && rules === 'legacy' && standard) fail('OP_CODESEPARATOR');
    if (opcode <= code.pushData4) {
      if (runs && standard && !isShortestPush(operation)) fail('MINIMALDATA');
      if (runs) main.push(data);
    } else if (opcode === code.if || opcode === code.notIf) begin(own, opcode, runs);
    else if (opcode === code.else)
      branches.push(branches.length === 0 ? fail('UNBALANCED_CONDITIONAL') : branches.pop() === false);
    else if (opcode === code.endIf) {
      if (branches.pop() === undefined) fail('UNBALANCED_CONDITIONAL');
    } else if (opcode > code.notIf && opcode < code.else) fail('BAD_OPCODE');
    else if (runs && opcode >= code.negative1 && opcode <= code.sixteen && opcode !== code.one - 1)
      main.push(bytesOfNumber(opcode - code.one + 1));
    else if (runs) execute(own, opcode, next, place);
    if (main.length + stacks.other.length > most.stack) fail('STACK_SIZE');
    at = next;
  }
  if (branches.length > 0) fail('UNBALANCED_CONDITIONAL');
}

function count(own: Running, operations: number): void {
  const { leaf } = own;
  own.counted += operations;
  if (leaf === null && own.counted > most.operations) fail('OP_COUNT');
}

/**
 * What an ECDSA signature is over: the script from the last separator on, before witnesses without the signatures
 * themselves.
 */
function scriptCode(own: Running, signatures: readonly Uint8Array[]): Uint8Array {
  const { script, rules, standard } = own;
  let rest = script.subarray(own.codeFrom);
  if (rules !== 'legacy') return rest;
  for (const signature of signatures) {
    const cut = without(rest, pushOf(signature));
    if (cut.count > 0 && standard) fail('SIG_FINDANDDELETE');
    rest = cut.script;
  }
  return rest;
}

function ecdsa({ run, rules, standard }: Running, signature: Uint8Array, key: Uint8Array, over: Uint8Array): boolean {
  checkSignatureForm(signature, standard);
  if (standard) checkKeyForm(key, rules === 'v0');
  const hashOf = rules === 'v0' ? witnessHash : legacyHash;
  return ecdsaHolds(signature, key, (type) => hashOf(run, over, type));
}

function signed(own: Running, signature: Uint8Array, key: Uint8Array): boolean {
  const { run, standard, leaf } = own;
  if (leaf === null) {
    const holds = ecdsa(own, signature, key, scriptCode(own, [signature]));
    if (!holds && standard && signature.length > 0) fail('NULLFAIL');
    return holds;
  }
  const given = signature.length > 0;
  if (given) {
    leaf.budget -= signatureCost;
    if (leaf.budget < 0) fail('TAPSCRIPT_VALIDATION_WEIGHT');
  }
  if (key.length === 0) fail('TAPSCRIPT_EMPTY_PUBKEY');
  if (key.length !== 32) {
    if (standard) fail('DISCOURAGE_UPGRADABLE_PUBKEYTYPE');
  } else if (given) {
    checkSchnorr(signature, key, run, { annex: leaf.annex, leaf: { hash: leaf.hash, separator: own.separator } });
  }
  return given;
}

function multisig(own: Running): boolean {
  const { main, standard, leaf } = own;
  if (leaf !== null) fail('TAPSCRIPT_CHECKMULTISIG');
  const keys = itemsBelow(own, most.keys, 'PUBKEY_COUNT');
  count(own, keys.length);
  const signatures = itemsBelow(own, keys.length, 'SIG_COUNT');
  const over = scriptCode(own, signatures);
  let holds = true;
  // From the top down; each signature needs a key at or below its own place.
  for (let [k, s] = [keys.length - 1, signatures.length - 1]; holds && s >= 0; k--) {
    if (ecdsa(own, signatures[s] as Uint8Array, keys[k] as Uint8Array, over)) s--;
    if (s + 1 > k) holds = false;
  }
  if (!holds && standard && signatures.some(({ length }) => length > 0)) fail('NULLFAIL');
  if (top(main).length > 0) fail('SIG_NULLDUMMY');
  main.pop();
  return holds;
}

/** So many items as the number above them says, bottom first. */
function itemsBelow({ main, stacks }: Running, atMost: number, fault: 'PUBKEY_COUNT' | 'SIG_COUNT'): Uint8Array[] {
  const wanted = popNumber(stacks);
  if (wanted < 0 || wanted > atMost) fail(fault);
  need(stacks, wanted);
  return main.splice(main.length - wanted, wanted);
}

function begin({ main, rules, standard, leaf, branches }: Running, opcode: number, runs: boolean): void {
  if (!runs) {
    branches.push(false);
    return;
  }
  const condition = main.pop() ?? fail('UNBALANCED_CONDITIONAL');
  const minimal = condition.length === 0 || (condition.length === 1 && condition[0] === 1);
  if (!minimal && leaf !== null) fail('TAPSCRIPT_MINIMALIF');
  if (!minimal && rules === 'v0' && standard) fail('MINIMALIF');
  branches.push(isTrue(condition) === (opcode === code.if));
}

function execute(own: Running, opcode: number, next: number, place: number): void {
  const { main, standard, tx, index, leaf, stacks } = own;
  switch (opcode) {
    case code.codeSeparator:
      own.codeFrom = next;
      own.separator = place;
      return;
    case code.checkSig:
    case code.checkSigVerify: {
      need(stacks, 2);
      const [signature, key] = main.splice(-2, 2) as [Uint8Array, Uint8Array];
      const holds = signed(own, signature, key);
      if (opcode === code.checkSig) main.push(bytesOfBoolean(holds));
      else if (!holds) fail('CHECKSIGVERIFY');
      return;
    }
    case code.checkSigAdd: {
      if (leaf === null) fail('BAD_OPCODE');
      need(stacks, 3);
      const [signature, sum, key] = main.splice(-3, 3) as [Uint8Array, Uint8Array, Uint8Array];
      const before = numberOf(sum, standard);
      main.push(bytesOfNumber(before + Number(signed(own, signature, key))));
      return;
    }
    case code.checkMultisig:
    case code.checkMultisigVerify: {
      const holds = multisig(own);
      if (opcode === code.checkMultisig) main.push(bytesOfBoolean(holds));
      else if (!holds) fail('CHECKMULTISIGVERIFY');
      return;
    }
    case code.checkLockTime:
      checkLockTime(top(main), tx, index, standard);
      return;
    case code.checkSequence:
      checkSequence(top(main), tx, index, standard);
      return;
    default:
      if (opcode >= code.nop1 && opcode <= code.nop10) {
        if (standard) fail('DISCOURAGE_UPGRADABLE_NOPS');
        return;
      }
      (operations[opcode] ?? fail('BAD_OPCODE'))(stacks);
  }
}

/** BIP-342: a leaf with an operation that means nothing yet is won, whatever else is in it. */
export function hasSuccess(script: Uint8Array): boolean {
  for (let at = 0; at < script.length;) {
    const { opcode, next } = operationAt(script, at);
    if (isSuccess(opcode)) return true;
    at = next;
  }
  return false;
}

/** The operation that pushes these bytes, as FindAndDelete looks for it. */
export function pushOf(bytes: Uint8Array): Uint8Array {
  const { length } = bytes;
  if (length < code.pushData1) return Uint8Array.of(length, ...bytes);
  if (length <= 0xff) return Uint8Array.of(code.pushData1, length, ...bytes);
  return Uint8Array.of(code.pushData1 + 1, length & 0xff, length >> 8, ...bytes);
}
