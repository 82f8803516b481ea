import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from './config.ts';
import type { BundleCopy, Keeping } from './service/checklist/keeping.ts';
import { wordsComparedAt } from './store/seed-marks.ts';

/** What lies on disks of what brings the money back; a place that is away is one where nothing lies. */
export function lookAtKeeping(options: {
  readonly config: Config;
  readonly dataDir: string;
  readonly sandbox: boolean;
  readonly trouble: string | null;
}): Keeping {
  const { config, dataDir, sandbox, trouble } = options;
  const { copyTo } = config.rescue;
  return {
    sandbox,
    dataDir,
    wordsCompared: wordsComparedAt(dataDir),
    bundle: copyTo === null ? null : copyAt(copyTo, dataDir, trouble),
  };
}

function copyAt(path: string, dataDir: string, trouble: string | null): BundleCopy {
  const file = statSync(path, { throwIfNoEntry: false });
  const folder = statSync(dirname(path), { throwIfNoEntry: false });
  return {
    path,
    written: file === undefined ? null : Math.floor(file.mtimeMs / 1_000),
    trouble,
    sameDisk: folder !== undefined && folder.dev === statSync(dataDir).dev,
  };
}
