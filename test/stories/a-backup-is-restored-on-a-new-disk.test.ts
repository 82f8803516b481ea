import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { keepSeed } from '../../main/keep-seed.ts';
import { osKeychain } from '../../main/keychain.ts';
import { loadEntropy } from '../../main/seed.ts';
import { text, type Json } from './client/http.ts';
import { startSecondNode } from './second-node.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

const program = join(import.meta.dirname, '..', '..', 'main', 'cli', 'backup.ts');

let networks: WireNode;
let lost: WireNode;
beforeAll(async () => {
  networks = await startWireNode();
  lost = await startSecondNode(networks);
}, 120_000);
afterAll(async () => {
  await lost.stop();
  await networks.stop();
});

test('a backup starts paused on a new disk, with the settings of before, and goes on once resumed', async () => {
  const home = dirname(lost.folder);
  const passphraseFile = join(home, 'passphrase');
  const passphrase = readFileSync(passphraseFile);
  await lost.owner('PATCH', '/owner/settings', { terms: { feeBps: 77 } });
  const order = { direction: 'lightning-arkade', amount_sats: 40_000, provider_url: networks.url };
  const { id } = await lost.owner('POST', '/owner/taker/swaps', order);
  const copy = join(home, 'monday.db');
  await promisify(execFile)(process.execPath, [program, '--data-dir', lost.folder, '--to', copy]);
  const words = await loadEntropy({ folder: lost.folder, sandbox: false, passphrase, keychain: osKeychain() });
  if (isRefusal(words)) throw new Error(words.sentence);
  await lost.kill('SIGKILL');

  // As the document says: the words, then the copies under the names of the data folder, then the start.
  const folder = join(home, 'new-disk');
  mkdirSync(folder, { mode: 0o700 });
  const asRestored = { usedElsewhere: true, compared: true };
  await keepSeed({ folder, entropy: words, passphrase, keychain: null, ...asRestored });
  const names = { 'monday.db': 'sluice.db', 'monday.db.settings.json': 'settings.json' };
  for (const [from, to] of Object.entries(names)) copyFileSync(join(home, from), join(folder, to));
  for (const [end, name] of [
    ['.rescue', 'rescue.bundle'],
    ['.rescue.partials', 'partials'],
  ] as const)
    if (existsSync(`${copy}${end}`)) copyFileSync(`${copy}${end}`, join(folder, name));

  const restored = await startWireNode({
    folder,
    mode: ['--config', join(home, 'config.json')],
    args: ['--passphrase-file', passphraseFile],
  });
  try {
    const reason = async (): Promise<string> => {
      const { paused } = await restored.owner('GET', '/owner/status');
      return paused === null ? 'not paused' : text(paused as Json, 'reason');
    };
    expect(await eventually(reason, (now) => !now.includes('is being compared'))).toContain('restored from a backup');
    const { settings } = await restored.owner('GET', '/owner/settings');
    expect(settings).toMatchObject({ terms: { feeBps: 77 } });
    await restored.owner('POST', '/owner/resume', {});
    expect(await reason()).toBe('not paused');
    expect(await restored.owner('GET', `/owner/taker/swaps/${String(id)}`)).toMatchObject({ id });
  } finally {
    await restored.stop();
  }
}, 180_000);
