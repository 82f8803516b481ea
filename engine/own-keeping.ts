import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from './config.ts';
import type { BundleCopy, Keeping } from './service/checklist/keeping.ts';
import type { InTurn } from './store/far-lines.ts';
import { wordsComparedAt } from './store/seed-marks.ts';

/** What lies on disks of what brings the money back; a place that is away is one where nothing lies. */
export async function lookAtKeeping(options: {
  readonly inTurn: InTurn;
  readonly config: Config;
  readonly dataDir: string;
  readonly sandbox: boolean;
  readonly trouble: string | null;
}): Promise<Keeping> {
  const { config, dataDir, sandbox, trouble, inTurn } = options;
  const { copyTo } = config.rescue;
  return {
    sandbox,
    dataDir,
    wordsCompared: wordsComparedAt(dataDir),
    bundle:
      copyTo === null
        ? null
        : await inTurn(dirname(copyTo), () => copyAt(copyTo, dataDir, trouble)).catch(() => ({
            ...{ path: copyTo, written: null, sameDisk: false },
            trouble:
              trouble ?? `${copyTo} does not answer: bring that place back, or choose another with rescue.copyTo.`,
          })),
  };
}

async function copyAt(path: string, dataDir: string, trouble: string | null): Promise<BundleCopy> {
  const file = await statOf(path);
  const folder = await statOf(dirname(path));
  return {
    path,
    written: file === null ? null : Math.floor(file.mtimeMs / 1_000),
    trouble,
    sameDisk: folder !== null && folder.dev === (await stat(dataDir)).dev,
  };
}

/** Null where there is nothing. */
async function statOf(path: string) {
  return stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null;
    throw cause;
  });
}
