import { createRequire } from 'node:module';
import type { Coin } from './ledger.ts';
import { isAnchor } from './script-kind.ts';
import type { Tx } from './tx.ts';

/** The part of bitcore-lib that judges scripts. */
interface Bitcore {
  readonly Script: { fromBuffer(bytes: Buffer): unknown; Interpreter: InterpreterClass };
  readonly crypto: { readonly Point: { getG(): { readonly x: object } } };
  readonly Transaction: {
    new (): { fromBuffer(bytes: Buffer): BitcoreTx };
    Output: new (output: { satoshis: number; script: Buffer }) => unknown;
  };
}
interface BitcoreTx {
  readonly inputs: { output: unknown }[];
}
interface InterpreterClass {
  new (): {
    verify(
      scriptSig: unknown,
      script: unknown,
      tx: BitcoreTx,
      input: number,
      flags: number,
      witness: Buffer[],
      satoshis: number,
    ): boolean;
    readonly errstr: string;
  };
  readonly [flag: `SCRIPT_VERIFY_${string}`]: number;
}

// CLEANSTACK is left out: bitcore looks at the wrong stack. A witness program's stack is checked without it.
const flagNames = [
  'P2SH',
  'STRICTENC',
  'DERSIG',
  'LOW_S',
  'NULLDUMMY',
  'MINIMALDATA',
  'DISCOURAGE_UPGRADABLE_NOPS',
  'CHECKLOCKTIMEVERIFY',
  'CHECKSEQUENCEVERIFY',
  'WITNESS',
  'DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM',
  'MINIMALIF',
  'NULLFAIL',
  'WITNESS_PUBKEYTYPE',
  'CONST_SCRIPTCODE',
  'TAPROOT',
  'DISCOURAGE_UPGRADABLE_TAPROOT_VERSION',
  'DISCOURAGE_OP_SUCCESS',
  'DISCOURAGE_UPGRADABLE_PUBKEYTYPE',
];

const sentences: Readonly<Record<string, string>> = {
  EVAL_FALSE: 'Script evaluated without error but finished with a false/empty top stack element',
  EVAL_FALSE_IN_STACK: 'Script evaluated without error but finished with a false/empty top stack element',
  VERIFY: 'Script failed an OP_VERIFY operation',
  EQUALVERIFY: 'Script failed an OP_EQUALVERIFY operation',
  CHECKSIGVERIFY: 'Script failed an OP_CHECKSIGVERIFY operation',
  CHECKMULTISIGVERIFY: 'Script failed an OP_CHECKMULTISIGVERIFY operation',
  SIG_NULLFAIL: 'Signature must be zero for failed CHECK(MULTI)SIG operation',
  NULLFAIL: 'Signature must be zero for failed CHECK(MULTI)SIG operation',
  UNSATISFIED_LOCKTIME: 'Locktime requirement not satisfied',
  NEGATIVE_LOCKTIME: 'Negative locktime',
  INVALID_STACK_OPERATION: 'Operation not valid with the current stack size',
  SCHNORR_SIG: 'Invalid Schnorr signature',
  SCHNORR_SIG_SIZE: 'Invalid Schnorr signature size',
  SCHNORR_SIG_HASHTYPE: 'Invalid Schnorr signature hash type',
  WITNESS_PROGRAM_MISMATCH: 'Witness program hash mismatch',
  WITNESS_PROGRAM_WITNESS_EMPTY: 'Witness program was passed an empty witness',
  WITNESS_MALLEATED: 'Witness requires empty scriptSig',
  WITNESS_UNEXPECTED: 'Witness provided for non-witness script',
  DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM: 'Witness version reserved for soft-fork upgrades',
  TAPROOT_WRONG_CONTROL_SIZE: 'Invalid Taproot control block size',
  SIG_DER_INVALID_FORMAT: 'Non-canonical DER signature',
  SIG_DER_HIGH_S: 'Non-canonical signature: S value is unnecessarily high',
};

let loaded: { bitcore: Bitcore; flags: number } | null = null;

/** Runs every input's script against the coin that it spends. Null when all hold, else Core's words for the first fault. */
export function scriptFault(tx: Tx, coins: readonly Coin[]): string | null {
  const { bitcore, flags } = load();
  const judged = new bitcore.Transaction().fromBuffer(Buffer.from(tx.bytes));
  for (const [i, coin] of coins.entries()) {
    const input = judged.inputs[i];
    if (input !== undefined)
      input.output = new bitcore.Transaction.Output({
        satoshis: Number(coin.amount),
        script: Buffer.from(coin.script),
      });
  }
  for (const [i, coin] of coins.entries()) {
    const input = tx.inputs[i];
    if (input === undefined) throw new RangeError('more coins than inputs');
    // Anyone may spend an anchor; the interpreter knows no version-1 program of two bytes.
    if (isAnchor(coin.script) && input.script.length === 0 && input.witness.length === 0) continue;
    const interpreter = new bitcore.Script.Interpreter();
    const [scriptSig, script] = [
      bitcore.Script.fromBuffer(Buffer.from(input.script)),
      bitcore.Script.fromBuffer(Buffer.from(coin.script)),
    ];
    try {
      if (
        interpreter.verify(
          scriptSig,
          script,
          judged,
          i,
          flags,
          input.witness.map((item) => Buffer.from(item)),
          Number(coin.amount),
        )
      )
        continue;
    } catch {
      return 'unknown error';
    }
    return inCoresWords(interpreter.errstr);
  }
  return null;
}

function inCoresWords(errstr: string): string {
  // A key path with a wrong signature comes without a name.
  if (errstr === '' || errstr === undefined) return 'Invalid Schnorr signature';
  const name = errstr.replace(/^SCRIPT_ERR_/, '').replace(/:.*$/, '');
  return sentences[name] ?? (name.startsWith('UNKNOWN') ? 'unknown error' : name.toLowerCase().replaceAll('_', ' '));
}

/** Loaded at the first use: it takes a tenth of a second, which a world that is only a clock need not wait. */
function load(): { bitcore: Bitcore; flags: number } {
  if (loaded !== null) return loaded;
  const require = createRequire(import.meta.url);
  const bitcore = require('bitcore-lib') as Bitcore;
  keepLeadingZeros(bitcore);
  const flags = flagNames.reduce((all, name) => all | flagOf(bitcore.Script.Interpreter, name), 0);
  loaded = { bitcore, flags };
  return loaded;
}

function flagOf(interpreter: InterpreterClass, name: string): number {
  const flag = interpreter[`SCRIPT_VERIFY_${name}`];
  if (flag === undefined) throw new Error(`the interpreter has no flag ${name}`);
  return flag;
}

/**
 * bitcore asks the coordinates of a point for 32 bytes in a way that the curve library's numbers do not understand: they
 * leave out leading zeros, and one key in 256 could not sign. Makes them understand it.
 */
function keepLeadingZeros({ crypto: { Point } }: Bitcore): void {
  const numbers = Object.getPrototypeOf(Point.getG().x) as { toBuffer(endian?: unknown, length?: number): Buffer };
  const plain = numbers.toBuffer;
  numbers.toBuffer = function toBuffer(endianness, length) {
    return typeof endianness === 'object' && endianness !== null && 'size' in endianness
      ? plain.call(this, 'be', Number(endianness.size))
      : plain.call(this, endianness, length);
  };
}
