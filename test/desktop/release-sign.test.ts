// A release signed with a key that is thrown away: whoever has the public part can check every file of it.
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const owner = 'Nobody <release@sluice.example>';
const hasGpg = spawnSync('gpg', ['--version']).status === 0;
if (!hasGpg) console.warn('SKIPPED: the signature of a release needs GnuPG ("gpg").');

describe.skipIf(!hasGpg)('npm run dist -- --sign', () => {
  let folder: string;
  let release: string;
  let environment: NodeJS.ProcessEnv;
  const run = (program: string, ...args: string[]) =>
    spawnSync(program, args, { cwd: release, env: environment, encoding: 'utf8' });
  const build = (...args: string[]) =>
    run(
      process.execPath,
      join(root, 'test', 'tools', 'dist.ts'),
      '--to',
      release,
      '--dirty',
      '--only',
      'source',
      ...args,
    );

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-sign-'));
    release = mkdtempSync(join(folder, 'release-'));
    environment = { ...process.env, GNUPGHOME: mkdtempSync(join(folder, 'keys-')) };
    const key = ['--batch', '--passphrase', '', '--quick-generate-key', owner, 'ed25519', 'sign', 'never'];
    execFileSync('gpg', key, { env: environment, stdio: 'ignore' });
  }, 120_000);
  afterAll(() => {
    spawnSync('gpgconf', ['--kill', 'all'], { env: environment });
    rmSync(folder, { recursive: true, force: true });
  });

  test('the signature is of the sums, and the sums are of every file beside them', () => {
    const { stdout, status } = build('--sign', owner);
    expect([status, /^signed: .*SHA256SUMS$/m.test(stdout)]).toEqual([0, true]);
    const { status: verdict, stderr } = run('gpg', '--verify', 'SHA256SUMS.asc', 'SHA256SUMS');
    expect([verdict, stderr]).toEqual([0, expect.stringContaining(`Good signature from "${owner}"`)]);
    expect(run('sha256sum', '--check', '--strict', 'SHA256SUMS').status).toBe(0);
    appendFileSync(join(release, 'SHA256SUMS'), `${'0'.repeat(64)}  another\n`);
    expect(run('gpg', '--verify', 'SHA256SUMS.asc', 'SHA256SUMS').status).not.toBe(0);
  }, 120_000);

  test('without a key the release is not signed, and a signature of before is not left beside it', () => {
    const { stdout } = build();
    expect([/^not signed: .*SHA256SUMS$/m.test(stdout), existsSync(join(release, 'SHA256SUMS.asc'))]).toEqual([
      true,
      false,
    ]);
    expect(readFileSync(join(release, 'SHA256SUMS'), 'utf8')).not.toContain('.asc');
  }, 120_000);

  test('a key that there is none of fails, and leaves no signature', () => {
    expect(build('--sign', 'stranger@sluice.example').status).not.toBe(0);
    expect(existsSync(join(release, 'SHA256SUMS.asc'))).toBe(false);
  }, 120_000);
});
