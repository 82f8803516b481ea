import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Checklist, ChecklistStep } from '../../engine/contract/owner/checklist.ts';
import { checklistLines, checklistNow, outcomeOf } from '../../main/checklist.ts';
import { bindFolder } from '../../main/folder.ts';
import { sealSeed, type SealKey } from '../../main/keyfile.ts';
import { seedPath } from '../../main/seed.ts';

function checklist(ready: boolean, steps: Readonly<Record<string, ChecklistStep['state']>>): Checklist {
  const of = (id: string): Pick<ChecklistStep, 'id' | 'part'> => ({ id, part: id === 'prices' ? 'prices' : 'network' });
  const all = Object.entries(steps).map(([id, state]) => ({
    ...of(id),
    state,
    needed: false,
    warnings: [],
    sentence: `It is ${state}.`,
    act: 'Set it.',
  }));
  return { live: ready, ready, steps: all };
}

test('a network that nobody connected is left out once something can be swapped without it', () => {
  const without = checklist(true, { prices: 'done', lightning: 'done', evm: 'todo' });
  expect([outcomeOf(without), checklistLines(without)]).toEqual([
    'pass',
    [
      'done      prices     It is done.',
      'done      lightning  It is done.',
      'left out  evm        It is todo.',
      '',
      '2 done, 0 to do, 0 failed, 1 left out',
      'Strangers are offered swaps.',
    ],
  ]);
});

test.each([
  ['nothing can be swapped yet', checklist(false, { prices: 'done', evm: 'todo' }), 'warn'],
  ['another step is to do', checklist(true, { prices: 'todo', evm: 'todo' }), 'warn'],
  ['a network failed', checklist(true, { prices: 'done', evm: 'failed' }), 'fail'],
  ['a needed step failed, one to do besides', checklist(false, { prices: 'todo', evm: 'failed' }), 'fail'],
])('it is not over where %s', (_, now, outcome) => {
  expect(outcomeOf(now)).toBe(outcome);
});

describe('without a node the command that starts one', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sluice-checklist-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const passphrase: SealKey = { way: 'passphrase', passphrase: Buffer.from('right') };
  const sealedBy = (...keys: readonly SealKey[]) => sealSeed(seedPath(folder), new Uint8Array(32), keys);
  async function command(flags: { config?: string; passphraseFile?: string } = {}): Promise<string> {
    const now = await checklistNow({ config: null, dataDir: folder, passphraseFile: null, ...flags }, {});
    return 'sentence' in now ? (/start it with "([^"]*)"/.exec(now.sentence)?.[1] ?? '') : '';
  }

  test('names the configuration and the passphrase by which it opens these words', async () => {
    await sealedBy(passphrase);
    const config = join(folder, 'sluice.json');
    writeFileSync(config, '{ "network": "signet" }');
    const start = 'npm run headless --';
    expect([await command(), await command({ config }), await command({ config, passphraseFile: 'mine' })]).toEqual([
      `${start} --config FILE --data-dir ${folder} --passphrase-file FILE`,
      `${start} --config ${config} --data-dir ${folder} --passphrase-file FILE`,
      `${start} --config ${config} --data-dir ${folder} --passphrase-file mine`,
    ]);
  });

  test('names neither where the folder has its network and the keychain has its key', async () => {
    await sealedBy({ way: 'keychain', key: new Uint8Array(32) }, passphrase);
    bindFolder(folder, 'signet');
    expect(await command()).toBe(`npm run headless -- --data-dir ${folder}`);
  });

  test('names the sandbox in its folder, and in an empty one with no configuration', async () => {
    const sandbox = `npm run headless -- --sandbox --data-dir ${folder}`;
    expect(await command()).toBe(sandbox);
    await sealedBy({ way: 'key-file', key: new Uint8Array(32) });
    bindFolder(folder, 'sandbox');
    expect(await command()).toBe(sandbox);
  });
});
