import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Does what a place is asked for, one after the other for those of one name; rejects where it does not answer in time,
 * and asks it nothing more before it does (facts/faults.md 91).
 */
export type InTurn = <T>(name: string, act: () => Promise<T>) => Promise<T>;

/** What this run has still to write at a place. */
interface Far {
  readonly lacking: Set<string>;
  isRead: boolean;
  /** Whether there was a file. */
  isThere: boolean;
  isAway: boolean;
}

/**
 * Whether nothing was noted at a place where there is no file; it may be a disk that is not mounted
 * (facts/faults.md 312).
 */
export type MayBeEmpty = (place: string) => Promise<boolean>;

export interface FarLines {
  /** Reads what lies at the places. Rejects where one could not be read: that is read before it is written. */
  open(places: () => readonly string[], inTurn: InTurn, mayBeEmpty?: MayBeEmpty): Promise<void>;
  /** To be written at each place, with the next write there. */
  add(text: string): void;
  /** Whether all that was added lies on the disk of each place by now. Writes what does not. */
  written(): Promise<boolean>;
  /** Whether a place could not be written, or did not answer, the last time. */
  isAway(): boolean;
  /** Whether a place was never read: what lies there is unknown. Reads what was not. Never rejects. */
  isUnread(): Promise<boolean>;
  /** Leaves lines out, where that can be done. */
  leaveOut(isOver: (line: string) => boolean): void;
}

/**
 * Lines that are noted outside of the data folder: a share whose server is gone, a disk that died. Nothing here ever
 * holds up the process (facts/faults.md 292).
 */
export function createFarLines(options: {
  /** As it is written. */
  readonly lineOf: (text: string) => string;
  /** A line that lies at a place counts. */
  readonly count: (line: string) => void;
  /** What a place is told that is new, or was emptied. */
  readonly all: () => Iterable<string>;
}): FarLines {
  let places: () => readonly string[] = () => [];
  let inTurn: InTurn = (_, act) => act();
  let mayBeEmpty: MayBeEmpty = async () => true;
  const fars = new Map<string, Far>();

  function farOf(place: string): Far {
    const far = fars.get(place) ?? { lacking: new Set<string>(), isRead: false, isThere: false, isAway: false };
    fars.set(place, far);
    return far;
  }

  async function read(place: string, far: Far): Promise<void> {
    const lines = await linesAt(place);
    far.isThere = lines !== null;
    far.isRead = lines !== null || (await mayBeEmpty(place));
    if (!far.isRead) throw new Error(`no notes lie there: ${place}`);
    for (const line of lines ?? []) options.count(line);
  }

  async function bring(place: string, far: Far): Promise<void> {
    if (!far.isRead || !far.isThere) await read(place, far);
    if (far.lacking.size > 0) {
      const isNew = (await sizeOf(place)) === null;
      // Its disk may have been there before.
      if (isNew && far.isThere) await read(place, far);
      if (isNew) for (const text of options.all()) far.lacking.add(text);
      const texts = [...far.lacking];
      await append(place, texts.map(options.lineOf), isNew);
      far.isThere = true;
      for (const text of texts) far.lacking.delete(text);
    }
    far.isAway = false;
  }

  /** False where the place could not do it. */
  async function tryAt(place: string, act: (place: string, far: Far) => Promise<void>): Promise<boolean> {
    const far = farOf(place);
    try {
      await inTurn(dirname(place), () => act(place, far));
      return true;
    } catch {
      far.isAway = true;
      return false;
    }
  }

  async function isUnread(): Promise<boolean> {
    const unread = places().filter((place) => !farOf(place).isRead || !farOf(place).isThere);
    const done = await Promise.all(unread.map((place) => tryAt(place, bring)));
    return !done.every(Boolean);
  }

  async function written(): Promise<boolean> {
    const lacking = places().filter((place) => farOf(place).lacking.size > 0 || farOf(place).isAway);
    const done = await Promise.all(lacking.map((place) => tryAt(place, bring)));
    return done.every(Boolean);
  }

  return {
    async open(others, turns, isEmpty = async () => true) {
      places = others;
      mayBeEmpty = isEmpty;
      inTurn = turns;
      const done = await Promise.all(places().map((place) => tryAt(place, read)));
      const away = places().filter((_, at) => done[at] === false);
      if (away.length > 0) throw new Error(`what was noted there cannot be read: ${away.join(', ')}`);
    },
    add(text) {
      for (const place of places()) farOf(place).lacking.add(text);
    },
    written,
    isAway: () => places().some((place) => farOf(place).isAway),
    isUnread,
    leaveOut(isOver) {
      for (const place of places()) tryAt(place, () => leaveOutAt(place, isOver)).catch(() => false);
    },
  };
}

/** Null where there is no file. */
async function linesAt(place: string): Promise<readonly string[] | null> {
  const text = await readFile(place, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null;
    throw cause;
  });
  if (text === null) return null;
  return text.split('\n').filter((line) => line !== '');
}

/** Null where there is no file. */
async function sizeOf(place: string): Promise<number | null> {
  return stat(place).then(
    ({ size }) => size,
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return null;
      throw cause;
    },
  );
}

/** A line end before them too: a line that was cut off does not spoil the next. */
async function append(place: string, lines: readonly string[], isNew: boolean): Promise<void> {
  if (isNew) await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  const file = await open(place, 'a', 0o600);
  try {
    await file.writeFile(`\n${lines.join('\n')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  if (isNew) await syncFolderAt(dirname(place));
}

async function syncFolderAt(path: string): Promise<void> {
  if (process.platform === 'win32') return; // it opens no folders
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** All of it or nothing: also where somebody else wrote meanwhile, or the disk fails. */
async function leaveOutAt(place: string, isOver: (line: string) => boolean): Promise<void> {
  const before = await sizeOf(place);
  if (before === null) return;
  const lines = (await linesAt(place)) ?? [];
  const rest = lines.filter((line) => !isOver(line));
  if (rest.length === lines.length) return;
  const next = `${place}.next`;
  try {
    await rm(next, { force: true });
    await append(next, rest, true);
    if ((await sizeOf(place)) !== before) return;
    await rename(next, place);
    await syncFolderAt(dirname(place));
  } catch {
    // It stays as long as it is.
  } finally {
    await rm(next, { force: true }).catch(() => undefined);
  }
}
