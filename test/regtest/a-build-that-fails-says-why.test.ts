import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BuildFailed, buildBeside, buildLimitMs, compiled } from './kit/build.ts';

const here = { cwd: import.meta.dirname };
const sentenceOf = (build: Promise<void>) =>
  build.then(
    () => 'built',
    (cause: unknown) => (cause instanceof BuildFailed ? cause.message : cause),
  );

test('a build that fails, stands still or has no compiler is a sentence, and one that ends well is none', async () => {
  const script = (text: string) => [process.execPath, ['-e', text], here] as const;
  expect(
    await Promise.all([
      sentenceOf(
        compiled('lnd', ...script('console.log("step 1"); console.error("lnrpc: unknown field"); process.exit(1)')),
      ),
      sentenceOf(compiled('lnd', ...script('process.exit(1)'))),
      sentenceOf(compiled('lnd', process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { ...here, limitMs: 1_000 })),
      sentenceOf(compiled('lnd', 'a-compiler-that-nobody-has', [], here)),
      sentenceOf(compiled('lnd', ...script(''))),
    ]),
  ).toEqual([
    'building lnd failed: lnrpc: unknown field',
    'building lnd failed: its compiler ended without a word',
    'building lnd took longer than 1 minutes and was ended: run it again on a machine with less to do, or name a ' +
      'folder of finished programs with SLUICE_REGTEST_BIN',
    'building lnd failed: a-compiler-that-nobody-has is not installed',
    'built',
  ]);
});

test('a machine that takes half an hour for the largest of them is waited for', () => {
  expect(buildLimitMs).toBeGreaterThanOrEqual(60 * 60_000);
});

test('a build that was ended goes on in its folder, which goes once it is done, and two never share it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-build-'));
  const target = join(root, 'core');
  const step = (folder: string) => join(folder, 'step');
  try {
    const [first, second] = [
      sentenceOf(
        buildBeside(target, async (folder) => {
          writeFileSync(step(folder), '');
          await compiled('Core', process.execPath, ['-e', 'process.exit(1)'], here);
        }),
      ),
      sentenceOf(buildBeside(target, async () => undefined)),
    ];
    const sentences = [await first, await second];
    let goesOn = false;
    await buildBeside(target, async (folder) => void (goesOn = existsSync(step(folder))));
    expect([...sentences, goesOn, existsSync(`${target}-building`)]).toEqual([
      'building Core failed: its compiler ended without a word',
      `${target}-building is being built by another process: wait until that has ended`,
      true,
      false,
    ]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
