import { readFileSync } from 'node:fs';
import { OPS } from 'bitcoinjs-lib/src/script';
import { describe, expect, test } from 'vitest';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { inputFault } from '../../engine/sandbox/world/bitcoin/interpreter.ts';
import { parseTx, type Tx } from '../../engine/sandbox/world/bitcoin/tx.ts';

function vectors<Row>(name: string): readonly Row[] {
  const url = new URL(`../vectors/bitcoin-core/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as Row[];
}

interface Side {
  readonly scriptSig: string;
  readonly witness: readonly string[];
}

interface Asset {
  readonly tx: string;
  readonly prevouts: readonly string[];
  readonly index: number;
  readonly success?: Side;
  readonly failure?: Side;
  readonly comment: string;
}

/** The transaction with this input script and witness in one of its inputs. */
function filled(tx: Tx, index: number, { scriptSig, witness }: Side): Tx {
  const inputs = tx.inputs.map((input, i) =>
    i === index ? { ...input, script: fromHex(scriptSig), witness: witness.map(fromHex) } : input,
  );
  return { ...tx, inputs };
}

/** An output as it is serialised, its script shorter than 253 bytes or not. */
function outputOf(text: string): { readonly amount: ReturnType<typeof sats>; readonly script: Uint8Array } {
  const bytes = fromHex(text);
  const { outputs } = parseTx(Uint8Array.of(...[2, 0, 0, 0, 1], ...new Uint8Array(41), 1, ...bytes, 0, 0, 0, 0));
  return outputs[0] ?? expect.fail('no output');
}

describe('the interpreter of the sandbox by the vectors of Bitcoin Core', () => {
  test('takes what is right and refuses what is wrong: Taproot, leaves, witnesses, sighashes', () => {
    const wrong: string[] = [];
    const assets = vectors<Asset>('script-assets');
    expect(assets.length).toBeGreaterThan(100);
    for (const { tx: text, prevouts, index, success, failure, comment } of assets) {
      const tx = parseTx(fromHex(text));
      const coins = prevouts.map(outputOf);
      const faultOf = (side: Side) => inputFault({ tx: filled(tx, index, side), coins, index, standard: false });
      if (success !== undefined && faultOf(success) !== null) wrong.push(`${comment}: ${faultOf(success)}`);
      if (failure !== undefined && faultOf(failure) === null) wrong.push(`${comment}: taken`);
    }
    expect(wrong).toEqual([]);
  });

  test('names the fault that Core names, by consensus and by what nodes relay', () => {
    const [wrong, otherName]: [string[], string[]] = [[], []];
    let older = 0;
    for (const row of vectors<readonly (string | readonly (string | number)[])[]>('script-tests')) {
      if (row.length < 4) continue;
      const [first] = row;
      const witness = typeof first === 'string' ? [] : (first ?? []);
      const [scriptSig = '', script = '', flags = '', expected = ''] = (
        typeof first === 'string' ? row : row.slice(1)
      ) as string[];
      // That an input script pushes only is a rule of the sandbox's policy, which is asked before any script runs.
      if (flags.includes('SIGPUSHONLY')) continue;
      const amount = sats(Math.round(Number(witness.at(-1) ?? 0) * 1e8));
      const coin = { amount, script: compiled(script) };
      const tx = spendOf(coin, compiled(scriptSig), witness.slice(0, -1) as string[]);
      const judge = (standard: boolean) => inputFault({ tx, coins: [coin], index: 0, standard }) ?? 'OK';
      const [consensus, standard] = [judge(false), judge(true)];
      const line = `${flags} | ${scriptSig} | ${script}: ${expected}, not ${consensus}, ${standard}`;
      const old = expected === 'OK' && isOlderRule(consensus, flags, `${scriptSig} ${script}`);
      if (old) older++;
      else if (expected === 'OK' ? consensus !== 'OK' : standard === 'OK') wrong.push(line);
      else if (expected !== 'OK' && ![consensus, standard].includes(expected))
        otherName.push(`${expected}: ${consensus}, ${standard}`);
    }
    expect(wrong).toEqual([]);
    // Core asks for a clean stack first by now, and the other rows lack the flag of a rule that is always asked here.
    expect([...new Set(otherName)].sort()).toEqual([
      'DISCOURAGE_UPGRADABLE_NOPS: UNSATISFIED_LOCKTIME, UNSATISFIED_LOCKTIME',
      'EVAL_FALSE: CLEANSTACK, CLEANSTACK',
      'EVAL_FALSE: CLEANSTACK, MINIMALIF',
      'EVAL_FALSE: SIG_DER, SIG_DER',
      'EVAL_FALSE: SIG_DER, SIG_FINDANDDELETE',
      'EVAL_FALSE: UNKNOWN_ERROR, DISCOURAGE_UPGRADABLE_NOPS',
      'EVAL_FALSE: UNSATISFIED_LOCKTIME, DISCOURAGE_UPGRADABLE_NOPS',
      'INVALID_STACK_OPERATION: SIG_NULLDUMMY, SIG_NULLDUMMY',
      'NULLFAIL: OK, PUBKEYTYPE',
      'OP_COUNT: SIG_NULLDUMMY, SIG_NULLDUMMY',
    ]);
    expect(older).toBeLessThan(40);
  });
});

const codes = new Map<string, number>(
  Object.entries(OPS).filter((entry): entry is [string, number] => Number.isInteger(entry[1])),
);

/** The words of the vectors: numbers, `0x` bytes as they stand, 'text', and operations without their OP_. */
function compiled(text: string): Uint8Array {
  return Uint8Array.from(
    text
      .split(/\s+/)
      .filter((word) => word !== '')
      .flatMap((word) => {
        if (/^-?\d+$/.test(word)) return numberPush(BigInt(word));
        if (word.startsWith('0x')) return [...fromHex(word.slice(2))];
        if (word.startsWith("'")) return push([...Buffer.from(word.slice(1, -1))]);
        return [codes.get(`OP_${word}`) ?? expect.fail(`no operation ${word}`)];
      }),
  );
}

function push(bytes: readonly number[]): number[] {
  if (bytes.length < 0x4c) return [bytes.length, ...bytes];
  return bytes.length <= 0xff
    ? [0x4c, bytes.length, ...bytes]
    : [0x4d, bytes.length & 0xff, bytes.length >> 8, ...bytes];
}

function numberPush(value: bigint): number[] {
  if (value === 0n) return [0];
  if (value === -1n || (value >= 1n && value <= 16n)) return [Number(value) + 0x50];
  const bytes: number[] = [];
  for (let rest = value < 0n ? -value : value; rest > 0n; rest >>= 8n) bytes.push(Number(rest & 0xffn));
  if ((bytes.at(-1) ?? 0) >= 0x80) bytes.push(value < 0n ? 0x80 : 0);
  else if (value < 0n) bytes.push((bytes.pop() ?? 0) | 0x80);
  return push(bytes);
}

/** A vector from before a rule was one: what was right by its flags fails by the rule that they lack. */
function isOlderRule(fault: string, flags: string, text: string): boolean {
  const has = (flag: string) => flags.split(',').includes(flag);
  switch (fault) {
    case 'SIG_DER':
      return !has('DERSIG') && !has('STRICTENC') && !has('LOW_S');
    case 'SIG_NULLDUMMY':
      return !has('NULLDUMMY');
    case 'UNSATISFIED_LOCKTIME':
    case 'INVALID_STACK_OPERATION':
    case 'UNKNOWN_ERROR':
      return /CHECK(LOCKTIME|SEQUENCE)VERIFY/.test(text) && !has('CHECKSEQUENCEVERIFY');
    default:
      return fault !== 'OK' && (!has('P2SH') || !has('WITNESS')) && /0x1[46] |0x2[02] |HASH160/.test(text);
  }
}

function u64(value: bigint): number[] {
  return Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}

/** The crediting transaction of the vectors, and the one that spends it. */
function spendOf(coin: { amount: bigint; script: Uint8Array }, scriptSig: Uint8Array, witness: string[]): Tx {
  const sized = (bytes: Uint8Array) => [
    ...(bytes.length < 0xfd ? [bytes.length] : [0xfd, bytes.length & 0xff, bytes.length >> 8]),
    ...bytes,
  ];
  const ends = [0xff, 0xff, 0xff, 0xff];
  const credit = parseTx(
    Uint8Array.from([
      1,
      0,
      0,
      0,
      1,
      ...new Uint8Array(32),
      ...ends,
      2,
      0,
      0,
      ...ends,
      1,
      ...u64(coin.amount),
      ...sized(coin.script),
      0,
      0,
      0,
      0,
    ]),
  );
  const spend = parseTx(
    Uint8Array.from([
      1,
      0,
      0,
      0,
      1,
      ...fromHex(credit.txid).reverse(),
      0,
      0,
      0,
      0,
      ...sized(scriptSig),
      ...ends,
      1,
      ...u64(coin.amount),
      0,
      0,
      0,
      0,
      0,
    ]),
  );
  return filled(spend, 0, { scriptSig: Buffer.from(scriptSig).toString('hex'), witness });
}
