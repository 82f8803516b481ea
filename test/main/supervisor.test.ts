import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tellSupervisor } from '../../main/supervisor.ts';

let folder: string;
let failures: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-supervisor-'));
  failures = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const onFailure = (reason: string) => void failures.push(reason);

/** A program of this name that notes what it was told, in the place of systemd's. */
function standIn(script: string): Record<string, string> {
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { PATH: `${folder}:/usr/bin:/bin`, NOTIFY_SOCKET: '/run/systemd/notify', SLUICE_TERMS__FEE_BPS: '7' };
}

test('systemd is told where it asks to be told, and its program sees nothing else of ours', async () => {
  const note = join(folder, 'told');
  const environment = standIn(`echo "$* $NOTIFY_SOCKET $SLUICE_TERMS__FEE_BPS" >> ${note}`);
  await tellSupervisor('READY=1', { environment, onFailure });
  await tellSupervisor('STOPPING=1', { environment, onFailure });
  expect([readFileSync(note, 'utf8'), failures]).toEqual([
    'READY=1 /run/systemd/notify \n--no-block STOPPING=1 /run/systemd/notify \n',
    [],
  ]);
});

test('without systemd nothing is run, and a failure is told and ends nothing', async () => {
  await tellSupervisor('READY=1', { environment: { PATH: folder }, onFailure });
  expect(failures).toEqual([]);
  await tellSupervisor('READY=1', { environment: { PATH: folder, NOTIFY_SOCKET: '/x' }, onFailure });
  await tellSupervisor('READY=1', { environment: standIn('exit 3'), onFailure });
  expect(failures).toEqual(['there is no systemd-notify here', expect.stringContaining('Command failed')]);
});
