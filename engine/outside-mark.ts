import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from './rescue/file.ts';
import { createPatience } from './rescue/patience.ts';
import type { Log } from './runtime/log.ts';
import { isAhead, type Position } from './store/position.ts';

const whole = z.int().min(0);
const shape = z.strictObject({
  sluice: z.literal('mark'),
  folder: z.string().regex(/^[0-9a-f]{32}$/),
  seed: z.string().max(200),
  life: whole,
  journal: whole,
  swap: whole,
  taker: whole,
  intents: whole,
  seal: z.string().regex(/^[0-9a-f]{64}$/),
});

/** A place that does not answer for so long is away. */
const patienceMs = 10_000;
const usualRestMs = 1_000;
const againMs = 60_000;

/** What lies outside of the data folder and says how far it had come. */
export interface OutsideMarks {
  /** Of this very folder. */
  readonly own: readonly Position[];
  /** Of other folders with these words. */
  readonly ofSeed: readonly Position[];
}

export interface OutsideOptions {
  /** How far the database is; read when it is written. */
  readonly position: () => Position;
  /**
   * 32 bytes of the seed: a place outside is anybody's, and a mark that somebody else made would put keys out of reach.
   */
  readonly key: Uint8Array;
  /** A folder of this machine that no copy of the data folder takes along; null for none. */
  readonly stateFolder: string | null;
  /** The file of `rescue.copyTo`, beside which a mark lies; null for none. */
  readonly copyTo: () => string | null;
  /**
   * A mark that only now came up, or that somebody else wrote, is ahead; or that of another folder with these words
   * took the place of ours.
   */
  readonly onAhead: (mark: Position) => void;
  readonly log: Log;
  /** Milliseconds between two writes; a burst costs a few. */
  readonly restMs?: number;
}

/** Where marks are kept, and what this run wrote. */
interface Marking {
  readonly options: OutsideOptions;
  readonly position: OutsideOptions['position'];
  readonly key: OutsideOptions['key'];
  readonly log: OutsideOptions['log'];
  readonly patiently: ReturnType<typeof createPatience>;
  /** What this run wrote, by its place. */
  readonly written: Map<string, string>;
  readonly failed: Set<string>;
  timer: NodeJS.Timeout | null;
  writing: Promise<void> | null;
  stopped: boolean;
  missing: boolean;
  shared: boolean;
}

/**
 * How far the data folder has come, told where a copy or an image of it does not reach: a folder that was rolled back
 * as a whole is behind (facts/faults.md 72). The database commits first and the mark follows, so that one that is ahead
 * was never left by a crash. One that is not there, or that no folder with these words wrote (facts/faults.md 90), says
 * nothing.
 */
export function createOutside(options: OutsideOptions) {
  const { position, key, log } = options;
  const patiently = createPatience(patienceMs);

  const failed = new Set<string>();
  const marking: Marking = {
    options,
    position,
    key,
    log,
    patiently,
    written: new Map(),
    failed,
    timer: null,
    writing: null,
    stopped: false,
    missing: false,
    shared: false,
  };

  return {
    /** Before anything is written; places that do not answer are left out. */
    read: () => readAll(marking),
    /** What lies there is behind now. */
    follow: () => follow(marking),
    /** A sentence where a folder that was used lies open to a rollback that nobody would notice; else null. */
    unguarded(): string | null {
      if (places(marking).length === 0)
        return (
          'No mark is kept outside of the data folder, so a rollback of the whole folder (a disk image, a ' +
          'snapshot) may go unnoticed: set rescue.copyTo to a file on another disk.'
        );
      if (failed.size > 0)
        return (
          `The mark outside of the data folder cannot be written (${[...failed].join(', ')}), so a folder that is ` +
          'rolled back as a whole may go unnoticed: bring that place back.'
        );
      return marking.missing && position().journal > 0
        ? 'No mark outside of the data folder was found at this start, so nothing shows whether the folder was ' +
            'rolled back as a whole (a disk image, a snapshot): a place that keeps it over restarts is rescue.copyTo ' +
            'on another disk.'
        : null;
    },
    async stop(): Promise<void> {
      marking.stopped = true;
      if (marking.timer !== null) clearTimeout(marking.timer);
      await marking.writing;
      await run(marking);
    },
  };
}

function places({ options, position }: Marking): readonly string[] {
  const copy = options.copyTo();
  return [
    ...(options.stateFolder === null ? [] : [join(options.stateFolder, `${position().folder}.mark`)]),
    ...(copy === null ? [] : [`${copy}.mark`]),
  ];
}

async function readAll(marking: Marking): Promise<OutsideMarks> {
  const { options, position, patiently } = marking;
  const now = position();
  const state = options.stateFolder;
  const names = state === null ? [] : await patiently(state, () => readdir(state)).catch(() => []);
  const files = [
    ...names.filter((name) => name.endsWith('.mark')).map((name) => join(state ?? '', name)),
    ...places(marking).slice(state === null ? 0 : 1),
  ];
  const marks = (await Promise.all(files.map((path) => readMark(marking, path)))).filter(
    (mark) => mark !== null && mark.seed === now.seed,
  );
  const own = marks.filter((mark) => mark?.folder === now.folder);
  marking.missing = own.length === 0;
  return { own, ofSeed: marks.filter((mark) => mark?.folder !== now.folder) } as OutsideMarks;
}

async function readMark({ key, patiently }: Marking, path: string): Promise<Position | null> {
  return patiently(path, () => readMarkAt(path, key)).catch(() => null);
}

async function write(marking: Marking, place: string): Promise<void> {
  const { options, position, key, log, written, failed } = marking;
  const now = position();
  const text = `${JSON.stringify({ sluice: 'mark', ...now, seal: sealOf(now, key) })}\n`;
  const before = await textOf(place);
  if (before === text) return void written.set(place, text);
  const mark = before === null || before === written.get(place) ? null : markIn(before, key);
  // Never over one that knows more: it is the only sign.
  if (mark !== null && isAhead(mark, now)) return options.onAhead(mark);
  // Over what this run wrote: another folder with these words runs at this moment.
  if (mark !== null && written.has(place) && mark.seed === now.seed && mark.folder !== now.folder && !marking.shared) {
    marking.shared = true;
    options.onAhead(mark);
  }
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  await replaceFile(place, { bytes: Buffer.from(text) });
  written.set(place, text);
  if (failed.delete(place)) log.info({ place }, 'the mark outside of the data folder is written again');
}

async function writeAll(marking: Marking): Promise<void> {
  const { log, patiently, failed } = marking;
  for (const place of places(marking)) {
    try {
      await patiently(place, () => write(marking, place));
    } catch (cause) {
      if (failed.has(place)) continue;
      failed.add(place);
      log.warn(
        { place, cause: String(cause) },
        'the mark outside of the data folder could not be written: a folder that is rolled back may go unnoticed',
      );
    }
  }
}

function run(marking: Marking): Promise<void> {
  const { failed } = marking;
  marking.writing ??= writeAll(marking).finally(() => {
    marking.writing = null;
    if (failed.size > 0) follow(marking, againMs);
  });
  return marking.writing;
}

function follow(marking: Marking, ms = marking.options.restMs ?? usualRestMs): void {
  if (marking.stopped || marking.timer !== null) return;
  marking.timer = setTimeout(() => {
    marking.timer = null;
    void run(marking);
  }, ms);
  marking.timer.unref();
}

async function textOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null;
    throw cause;
  });
}

/** Null for none that these words wrote. Rejects where the place does not answer. */
export async function readMarkAt(path: string, key: Uint8Array): Promise<Position | null> {
  const text = await textOf(path);
  return text === null ? null : markIn(text, key);
}

function markIn(text: string, key: Uint8Array): Position | null {
  try {
    const { sluice: _kind, seal, ...mark } = shape.parse(JSON.parse(text));
    return timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(mark, key))) ? mark : null;
  } catch {
    return null; // Torn, or not ours: it says nothing.
  }
}

function sealOf({ folder, seed, life, journal, swap, taker, intents }: Position, key: Uint8Array): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([folder, seed, life, journal, swap, taker, intents]))
    .digest('hex');
}
