import { randomBytes } from 'node:crypto';
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises';

/**
 * A turn takes milliseconds: one that is older than this, by the clock of the disk, was left by a node that is dead, or
 * by one that has to see that its turn is over.
 */
const longestTurnMs = 10_000;

const busy = 'another node writes there at this moment';

/**
 * One at a time, of all nodes that may write to a place: what is looked at in `work` is still so when it is replaced.
 * `now` is a moment of the disk's own clock. `stillOurs` is asked right before what cannot be undone, and throws once
 * another node has taken over.
 *
 * Loses money when wrong: of two bundles that take the same place at once the first is gone, with its way home.
 */
export async function inTurnAt(
  path: string,
  now: number,
  work: (stillOurs: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const turn = `${path}.turn`;
  const mark = randomBytes(8).toString('hex');
  await begin(turn, mark, now);
  const isOurs = async (): Promise<boolean> => (await readFile(turn, 'utf8').catch(() => '')) === mark;
  try {
    await work(async () => {
      if (!(await isOurs())) throw new Error(busy);
    });
  } finally {
    if (await isOurs()) await rm(turn, { force: true }).catch(() => undefined);
  }
}

async function begin(turn: string, mark: string, now: number): Promise<void> {
  if (await begun(turn, mark)) return;
  const there = await stat(turn).catch(() => null);
  if (there !== null) {
    if (Math.abs(now - there.mtimeMs) <= longestTurnMs) throw new Error(busy);
    await clear(turn, mark, there.ino);
  }
  if (!(await begun(turn, mark))) throw new Error(busy);
}

/** False where another node has it. */
async function begun(turn: string, mark: string): Promise<boolean> {
  const file = await open(turn, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST') return null;
    throw cause;
  });
  if (file === null) return false;
  try {
    await file.writeFile(mark);
  } catch (cause) {
    await rm(turn, { force: true }).catch(() => undefined);
    throw cause;
  } finally {
    await file.close();
  }
  return true;
}

/** Takes away what a dead node left; what another one has begun in its place meanwhile is put back. */
async function clear(turn: string, mark: string, ino: number): Promise<void> {
  const aside = `${turn}-${mark}`;
  const isMoved = await rename(turn, aside).then(
    () => true,
    () => false,
  );
  if (!isMoved) return;
  const moved = await stat(aside).catch(() => null);
  if (moved !== null && moved.ino !== ino) await link(aside, turn).catch(() => undefined);
  await rm(aside, { force: true }).catch(() => undefined);
}
