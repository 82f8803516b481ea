import { fromHex } from '../../../domain/hex.ts';
import { TxRejected } from '../../world/bitcoin/rejection.ts';
import { RpcError } from './rpc-error.ts';

/** The positional parameters of a call, each checked as it is read. */
export interface Params {
  has(index: number): boolean;
  text(index: number): string;
  number(index: number, missing?: number): number;
  flag(index: number, missing: boolean): boolean;
  /** What a call takes as a flag or, for more words, as a number. */
  verbosity(index: number, missing: number): number;
  list(index: number): readonly unknown[];
  /** 32 bytes as hex digits. */
  hash(index: number, name: string): string;
}

const codes = { usage: -1, type: -3, value: -8 } as const;

export function readParams(method: string, given: readonly unknown[]): Params {
  function read(index: number): unknown {
    const value = given[index];
    if (value === undefined || value === null)
      throw new RpcError(codes.usage, `${method}: parameter ${index + 1} is missing`);
    return value;
  }

  function typed<Kind extends 'string' | 'number' | 'boolean'>(index: number, kind: Kind): unknown {
    const value = read(index);
    if (typeof value !== kind)
      throw new RpcError(
        codes.type,
        `JSON value of type ${kindOf(value)} is not of expected type ${kind === 'boolean' ? 'bool' : kind}`,
      );
    return value;
  }

  return {
    has: (index) => !isMissing(given[index]),
    text: (index) => typed(index, 'string') as string,
    number: (index, missing) =>
      missing !== undefined && isMissing(given[index]) ? missing : (typed(index, 'number') as number),
    flag: (index, missing) => (isMissing(given[index]) ? missing : (typed(index, 'boolean') as boolean)),
    verbosity(index, missing) {
      const value = given[index];
      if (typeof value === 'boolean') return value ? 1 : 0;
      return isMissing(value) ? missing : (typed(index, 'number') as number);
    },
    list(index) {
      const value = read(index);
      if (!Array.isArray(value))
        throw new RpcError(codes.type, `JSON value of type ${kindOf(value)} is not of expected type array`);
      return value;
    },
    hash(index, name) {
      const value = typed(index, 'string') as string;
      if (value.length !== 64)
        throw new RpcError(codes.value, `${name} must be of length 64 (not ${value.length}, for '${value}')`);
      if (!/^[0-9a-f]{64}$/i.test(value))
        throw new RpcError(codes.value, `${name} must be hexadecimal string (not '${value}')`);
      return value.toLowerCase();
    },
  };
}

/** The bytes of a transaction in hex text. */
export function txBytes(value: unknown): Uint8Array {
  try {
    return fromHex(value as string);
  } catch {
    throw new TxRejected(-22, 'TX decode failed. Make sure the tx has at least one input.');
  }
}

function isMissing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value;
}
