import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { summaryOf } from './kit/summary.ts';

function summaryFrom(...results: readonly (readonly [status: string, ...titles: readonly string[]])[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-summary-'));
  const file = join(folder, 'results.json');
  writeFileSync(
    file,
    JSON.stringify({
      testResults: [
        {
          assertionResults: results.map(([status, ...titles]) => ({
            status,
            ancestorTitles: titles.slice(0, -1),
            title: titles.at(-1),
          })),
        },
      ],
    }),
  );
  try {
    return summaryOf(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the summary names port suites and stories with what they ran over, and why what was skipped', () => {
  const lines = summaryFrom(
    ['passed', 'the Lightning port: in process', 'pays'],
    ['passed', 'on daemons', 'the Lightning port: lnd 0.20.2-beta', 'pays'],
    ['failed', 'on daemons', 'the Lightning port: lnd 0.20.2-beta', 'holds', 'settles'],
    ['skipped', 'on daemons', 'the Lightning port: lnd 0.20.2-beta', 'cancels'],
    ['skipped', 'the Bitcoin port: btcd over JSON-RPC (not run: lnd and btcd are not built)', 'follows the tip'],
    ['pending', 'the Bitcoin port: btcd over JSON-RPC (not run: lnd and btcd are not built)', 'follows a reorg'],
    ['passed', 'a story of no port (over lnd 0.20.2-beta, anvil 1.7.1)', 'ends well'],
    ['failed', 'a story of no port (over lnd 0.20.2-beta, anvil 1.7.1)', 'ends badly'],
  );
  expect(lines).toEqual([
    'the Lightning port ran over:',
    '  in process: 1 passed',
    '  lnd 0.20.2-beta: 1 passed, 1 failed, 1 skipped',
    'the Bitcoin port ran over:',
    '  btcd over JSON-RPC: not run (2 tests skipped)',
    'stories on lnd 0.20.2-beta, anvil 1.7.1:',
    '  a story of no port: 1 passed, 1 failed',
    'skipped:',
    '  1 of on daemons: the Lightning port: lnd 0.20.2-beta: cancels',
    '  2 of the Bitcoin port: btcd over JSON-RPC, not run: lnd and btcd are not built',
  ]);
});
