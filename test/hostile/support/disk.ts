import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The disk under the node's data folder. */
export interface Disk {
  readonly folder: string;
  /** Null where it cannot be filled without filling that of everybody else. */
  readonly full: { fill(): void; free(): void } | null;
  remove(): void;
}

/** Enough for the swaps of half an hour, and the copies of the database that a start makes. */
const megabytes = 256;

/** A small disk in memory where that may be mounted, which root may; else a folder like any other. */
export function openDisk(): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-hostile-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder]);
  if (mounted.status !== 0) {
    const why = mounted.error?.message ?? mounted.stderr.toString().trim();
    console.warn(`SKIPPED: the disk is never full, for a small one cannot be mounted here: ${why}`);
    return { folder, full: null, remove: () => rmSync(folder, { recursive: true, force: true }) };
  }
  const ballast = join(folder, 'ballast');
  function remove(): void {
    process.off('exit', remove);
    spawnSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true, force: true });
  }
  // A run that is ended in the midst of it leaves no disk behind either.
  process.once('exit', remove);
  return {
    folder,
    full: {
      fill() {
        const { bavail, bsize } = statfsSync(folder);
        // What somebody else takes meanwhile is as good: it is full either way.
        try {
          writeFileSync(ballast, new Uint8Array(bavail * bsize));
        } catch (cause) {
          if ((cause as NodeJS.ErrnoException).code !== 'ENOSPC') throw cause;
        }
      },
      free: () => rmSync(ballast, { force: true }),
    },
    remove,
  };
}
