import { refuse, type Refusal } from '../engine/domain/errors.ts';
import { readPassphrase } from './seed.ts';

export interface PassphraseFlags {
  readonly passphraseFile: string | null;
  /** The same as an open file descriptor: what a supervisor hands over lies in no file. */
  readonly passphraseFd: number | null;
}

/** A passphrase is named by its file or its descriptor, never given: arguments are read by everybody on the machine. */
export function readPassphraseFlags(values: {
  readonly 'passphrase-file'?: string | undefined;
  readonly 'passphrase-fd'?: string | undefined;
}): PassphraseFlags | Refusal {
  const { 'passphrase-file': file, 'passphrase-fd': fd } = values;
  if (fd !== undefined && file !== undefined)
    return refuse('invalid', '--passphrase-file and --passphrase-fd exclude each other: keep one.');
  if (fd !== undefined && !/^\d{1,4}$/.test(fd))
    return refuse('invalid', `--passphrase-fd takes the number of an open file descriptor, not "${fd}".`);
  return { passphraseFile: file ?? null, passphraseFd: fd === undefined ? null : Number(fd) };
}

/** The passphrase that the flags name; null where they name none. */
export function passphraseOf({ passphraseFile, passphraseFd }: PassphraseFlags): Uint8Array | null | Refusal {
  const from = passphraseFile ?? passphraseFd;
  if (from === null) return null;
  const flag = passphraseFile === null ? `descriptor ${from} of --passphrase-fd` : 'file of --passphrase-file';
  try {
    const passphrase = readPassphrase(from);
    return passphrase.length > 0 ? passphrase : refuse('invalid', `The ${flag} is empty: put the passphrase into it.`);
  } catch (error) {
    return refuse('not-found', `The ${flag} cannot be read: ${(error as Error).message}.`);
  }
}
