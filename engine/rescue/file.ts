import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sameBytes } from '../domain/hash.ts';
import { inTurnAt } from './turn-at.ts';

/** Behind the name of a file, that of what is written to take its place. */
const freshEnding = /^\.new-[0-9a-f]{16}$/;
/** What nobody wrote to for so long was left by a crash: another node may be writing its own at this moment. */
const leftMs = 3_600_000;

export interface Replacement {
  /** Bytes that are much work are made once the place takes a file at all. */
  readonly bytes: Uint8Array | (() => Uint8Array);
  /** Right before it takes the place of what lies there; what it throws leaves that. */
  readonly mayReplace?: () => Promise<void>;
  /** Others may write there as well: nobody does between that look and the replacement. */
  readonly shared?: boolean;
}

/**
 * Replaces a file so that a power cut leaves the old one or the new one, readable by its owner alone. Two that replace
 * one file at once, from two machines, each write a file of their own before.
 */
export async function replaceFile(path: string, { bytes, mayReplace, shared = false }: Replacement): Promise<void> {
  const fresh = `${path}.new-${randomBytes(8).toString('hex')}`;
  const file = await open(fresh, 'wx', 0o600);
  try {
    try {
      await sweep(path, (await file.stat()).mtimeMs - leftMs);
      await writeAll(file, typeof bytes === 'function' ? bytes() : bytes, 0);
      await file.sync();
    } finally {
      await file.close();
    }
    const replace = async (stillOurs?: () => Promise<void>): Promise<void> => {
      await mayReplace?.();
      await stillOurs?.();
      await rename(fresh, path);
    };
    await (shared ? inTurnAt(path, (await stat(fresh)).mtimeMs, replace) : replace());
  } catch (cause) {
    // What a full disk took of it is in the way of everything else.
    await rm(fresh, { force: true }).catch(() => undefined);
    throw cause;
  }
  if (process.platform === 'win32') return;
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Takes away what crashes left; `before` is by the clock of the disk. What does not go is in nobody's way. */
async function sweep(path: string, before: number): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  const names = await readdir(folder).catch(() => []);
  for (const one of names.filter((other) => other.startsWith(name) && freshEnding.test(other.slice(name.length)))) {
    const left = join(folder, one);
    const there = await stat(left).catch(() => null);
    if (there !== null && there.mtimeMs < before) await rm(left, { force: true }).catch(() => undefined);
  }
}

/** A file as this process left it. */
export interface LeftFile {
  readonly size: number;
  readonly begins: Uint8Array;
  readonly ends: Uint8Array;
}

/**
 * Writes behind what was left, and syncs. False where something else lies there: a disk that was changed, a copy that
 * was put back. Where it throws, nobody knows what of it is on the disk, and nothing may be written behind it.
 */
export async function appendTo(path: string, left: LeftFile, bytes: Uint8Array): Promise<boolean> {
  const file = await openIfThere(path, 'r+');
  if (file === null) return false;
  try {
    const { size } = await file.stat();
    const isLeft =
      size === left.size &&
      sameBytes(left.ends, await read(file, size - left.ends.length, left.ends.length)) &&
      sameBytes(left.begins, await read(file, 0, left.begins.length));
    if (!isLeft) return false;
    await writeAll(file, bytes, size);
    await file.datasync();
    return true;
  } finally {
    await file.close();
  }
}

/** Null where there is no file; all of a shorter one. */
export async function beginningOf(path: string, length: number): Promise<Uint8Array | null> {
  const file = await openIfThere(path, 'r');
  if (file === null) return null;
  try {
    return await read(file, 0, length);
  } finally {
    await file.close();
  }
}

/** A part of a file, and the size of all of it; null where there is none. */
export async function pieceOf(
  path: string,
  from: number,
  length: number,
): Promise<{ readonly bytes: Uint8Array; readonly size: number } | null> {
  const file = await openIfThere(path, 'r');
  if (file === null) return null;
  try {
    return { bytes: await read(file, from, length), size: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

async function openIfThere(path: string, flags: string): Promise<FileHandle | null> {
  return open(path, flags).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null;
    throw cause;
  });
}

/** A disk that fills may take a part of it, and say so. */
async function writeAll(file: FileHandle, bytes: Uint8Array, from: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, from + done);
    if (bytesWritten === 0) throw new Error('the disk takes no more');
    done += bytesWritten;
  }
}

async function read(file: FileHandle, from: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let done = 0;
  for (let more = 1; more > 0 && done < length; done += more)
    more = (await file.read(bytes, done, length - done, from + done)).bytesRead;
  return bytes.subarray(0, done);
}
