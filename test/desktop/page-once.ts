import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, mergeConfig } from 'vite';
import type { TestProject } from 'vitest/node';
import { page } from '../../electron.vite.config.ts';
import { buildIfNeeded } from '../../main/build.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the built page lies. */
    page: string;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'sluice-screens-'));

/**
 * The page is built once for all tests of its screens, and so is what `npm start` runs: two files that ran side by side
 * would each find it half built by the other.
 */
export async function setup(project: TestProject): Promise<void> {
  await buildIfNeeded(join(import.meta.dirname, '..', '..'));
  await build(mergeConfig(page, { configFile: false, logLevel: 'error', build: { outDir: folder } }));
  project.provide('page', folder);
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
