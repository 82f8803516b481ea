import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Bill {
  serialNumber?: string;
  metadata: { timestamp: string; component: Record<string, unknown> };
}

interface Lock {
  packages: Record<string, { dev?: boolean; devDependencies?: unknown }>;
}

/**
 * The packages that the program runs with, as the lockfile names them (CycloneDX). npm writes a number and a time of
 * its own into each: in their place stand the commit and its date.
 */
export function billOfMaterials(options: { root: string; commit: string; seconds: number }): string {
  const { root, commit, seconds } = options;
  const parent = mkdtempSync(join(tmpdir(), 'sluice-bill-'));
  // npm calls the program like its folder.
  const folder = join(parent, 'sluice');
  try {
    mkdirSync(folder);
    const read = (file: string): object => JSON.parse(readFileSync(join(root, file), 'utf8')) as object;
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...read('package.json'), devDependencies: {} }));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(withoutTools(read('package-lock.json') as Lock)));
    const written = execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    const bill = JSON.parse(written) as Bill;
    delete bill.serialNumber;
    bill.metadata.timestamp = new Date(seconds * 1_000).toISOString();
    bill.metadata.component['properties'] = [{ name: 'sluice:commit', value: commit }];
    return `${JSON.stringify(bill, null, 2)}\n`;
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** `npm sbom --omit=dev` leaves out whatever a tool uses as well. */
function withoutTools(lock: Lock): Lock {
  const { '': root, ...packages } = lock.packages;
  const rest = Object.entries(packages).filter(([, { dev }]) => dev !== true);
  return { ...lock, packages: { '': { ...root, devDependencies: {} }, ...Object.fromEntries(rest) } };
}
