import { readFileSync } from 'node:fs';
import { hex } from '@scure/base';
import { keyAggExport, keyAggregate, nonceAggregate, nonceGen, Session, sortKeys } from '@scure/btc-signer/musig2.js';
import { describe, expect, test } from 'vitest';
import { schnorrVerify } from '../../engine/legs/secp256k1.ts';

interface Case {
  readonly comment?: string;
  readonly key_indices: number[];
  readonly nonce_indices?: number[];
  readonly pnonce_indices: number[];
  readonly tweak_indices?: number[];
  readonly is_xonly?: boolean[];
  readonly psig_indices: number[];
  readonly aggnonce: string;
  readonly aggnonce_index: number;
  readonly secnonce_index?: number;
  readonly msg_index: number;
  readonly signer_index: number;
  readonly sig: string;
  readonly expected: string;
}

interface File {
  readonly sk: string;
  readonly pubkeys: string[];
  readonly sorted_pubkeys: string[];
  readonly tweaks: string[];
  readonly pnonces: string[];
  readonly secnonces: string[];
  readonly secnonce: string;
  readonly aggnonces: string[];
  readonly aggnonce: string;
  readonly msgs: string[];
  readonly msg: string;
  readonly psigs: string[];
  readonly valid_test_cases: Case[];
  readonly error_test_cases: Case[];
  readonly sign_error_test_cases: Case[];
  readonly verify_fail_test_cases: Case[];
  readonly verify_error_test_cases: Case[];
  readonly test_cases: Record<string, string | null>[];
}

const of = (name: string): File =>
  JSON.parse(readFileSync(new URL(`../vectors/bip327/${name}_vectors.json`, import.meta.url), 'utf8')) as File;
const bytes = (text: string | undefined): Uint8Array => hex.decode((text ?? expect.fail('no such row')).toLowerCase());
const pick = (rows: readonly string[], at: readonly number[] = []): Uint8Array[] => at.map((i) => bytes(rows[i]));
const upper = (value: Uint8Array): string => hex.encode(value).toUpperCase();

describe('keys', () => {
  const file = of('key_agg');
  const aggregate = ({ key_indices: keys, tweak_indices: tweaks, is_xonly: xonly }: Case): string =>
    upper(keyAggExport(keyAggregate(pick(file.pubkeys, keys), pick(file.tweaks, tweaks), xonly)));

  test.each(file.valid_test_cases)('of $key_indices are one', (row) => {
    expect(aggregate(row)).toBe(row.expected);
  });
  test.each(file.error_test_cases)('are refused: $comment', (row) => {
    expect(() => aggregate(row)).toThrow();
  });
  test('are sorted by their bytes', () => {
    const { pubkeys, sorted_pubkeys: sorted } = of('key_sort');
    expect(sortKeys(pubkeys.map(bytes)).map(upper)).toEqual(sorted);
  });
});

describe('nonces', () => {
  test.each(of('nonce_gen').test_cases)('are made, case %#', (row) => {
    const optional = (name: string): Uint8Array | undefined =>
      typeof row[name] === 'string' ? bytes(row[name]) : undefined;
    const { secret, public: shown } = nonceGen(
      bytes(row['pk'] ?? undefined),
      optional('sk'),
      optional('aggpk'),
      optional('msg'),
      optional('extra_in'),
      bytes(row['rand_'] ?? undefined),
    );
    expect([upper(secret), shown.length]).toEqual([row['expected'], 66]);
  });

  const file = of('nonce_agg');
  test.each(file.valid_test_cases)('of $pnonce_indices are one', ({ pnonce_indices: at, expected }) => {
    expect(upper(nonceAggregate(pick(file.pnonces, at)))).toBe(expected);
  });
  test.each(file.error_test_cases)('are refused: $comment', ({ pnonce_indices: at }) => {
    expect(() => nonceAggregate(pick(file.pnonces, at))).toThrow();
  });
});

describe('partial signatures', () => {
  const file = of('sign_verify');
  const session = (row: Case, aggnonce: Uint8Array): Session =>
    new Session(aggnonce, pick(file.pubkeys, row.key_indices), bytes(file.msgs[row.msg_index]));
  const sign = (row: Case): Uint8Array =>
    session(row, bytes(file.aggnonces[row.aggnonce_index])).sign(
      bytes(file.secnonces[row.secnonce_index ?? 0]),
      bytes(file.sk),
    );
  const verify = (row: Case, partial: Uint8Array): boolean => {
    const nonces = pick(file.pnonces, row.nonce_indices);
    return session(row, nonceAggregate(nonces)).partialSigVerify(partial, nonces, row.signer_index);
  };

  test.each(file.valid_test_cases)('are made and verified by $key_indices, signer $signer_index', (row) => {
    const partial = sign(row);
    expect(upper(partial)).toBe(row.expected);
    expect(verify(row, partial)).toBe(true);
  });
  test.each(file.sign_error_test_cases)('are not made: $comment', (row) => {
    expect(() => sign(row)).toThrow();
  });
  test.each(file.verify_fail_test_cases)('are none: $comment', (row) => {
    // A scalar out of range is refused by a throw, which is as good.
    let isOne = false;
    try {
      isOne = verify(row, bytes(row.sig));
    } catch {
      isOne = false;
    }
    expect(isOne).toBe(false);
  });
  test.each(file.verify_error_test_cases)('are not judged: $comment', (row) => {
    expect(() => verify(row, bytes(row.sig))).toThrow();
  });
});

describe('tweaks', () => {
  const file = of('tweak');
  const sign = (row: Case): Uint8Array =>
    new Session(
      bytes(file.aggnonce),
      pick(file.pubkeys, row.key_indices),
      bytes(file.msg),
      pick(file.tweaks, row.tweak_indices),
      row.is_xonly,
    ).sign(bytes(file.secnonce), bytes(file.sk));

  test.each(file.valid_test_cases)('are in what is signed: $comment', (row) => {
    expect(upper(sign(row))).toBe(row.expected);
  });
  test.each(file.error_test_cases)('are refused: $comment', (row) => {
    expect(() => sign(row)).toThrow();
  });
});

describe('signatures', () => {
  const file = of('sig_agg');
  const join = (row: Case) => {
    const keys = pick(file.pubkeys, row.key_indices);
    const tweaks = pick(file.tweaks, row.tweak_indices);
    const session = new Session(bytes(row.aggnonce), keys, bytes(file.msg), tweaks, row.is_xonly ?? []);
    return { signature: session.partialSigAgg(pick(file.psigs, row.psig_indices)), keys, tweaks };
  };

  test.each(file.valid_test_cases)('of $key_indices are one that holds', (row) => {
    const { signature, keys, tweaks } = join(row);
    expect(upper(signature)).toBe(row.expected);
    const key = keyAggExport(keyAggregate(keys, tweaks, row.is_xonly ?? []));
    expect(schnorrVerify(signature, bytes(file.msg), key)).toBe(true);
  });
  test.each(file.error_test_cases)('are refused: $comment', (row) => {
    expect(() => join(row)).toThrow();
  });
});
