import { execFileSync } from 'node:child_process';

interface Bill {
  serialNumber?: string;
  metadata: { timestamp: string; component: Record<string, unknown> };
}

/**
 * The packages that the program runs with, as the lockfile names them (CycloneDX). npm writes a number and a time of
 * its own into each: in their place stand the commit and its date.
 */
export function billOfMaterials(options: { root: string; commit: string; seconds: number }): string {
  const { root, commit, seconds } = options;
  const written = execFileSync('npm', ['sbom', '--omit=dev', '--package-lock-only', '--sbom-format=cyclonedx'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const bill = JSON.parse(written) as Bill;
  delete bill.serialNumber;
  bill.metadata.timestamp = new Date(seconds * 1_000).toISOString();
  bill.metadata.component['properties'] = [{ name: 'sluice:commit', value: commit }];
  return `${JSON.stringify(bill, null, 2)}\n`;
}
