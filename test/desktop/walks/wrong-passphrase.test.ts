// Keys that a passphrase opens, and somebody who mistypes it: over the command line and in the window, on the same
// folder.
import type { BrowserServer } from '@playwright/test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildIfNeeded } from '../../../main/build.ts';
import type { ReadyLine } from '../../../main/ready.ts';
import { sealSeed } from '../../../main/keyfile.ts';
import { entropyOf, seedPath } from '../../../main/seed.ts';
import type { SluiceApi } from '../../../preload/api.ts';
import { setup } from '../../../renderer/words/en/setup.ts';
import { program } from '../browser.ts';
import { launchBrowser, root, standInShell, type Shell } from '../electron/shell.ts';
import type { standIn as StandIn } from '../electron/stand-in.ts';
import { openNodePage } from './node-page.ts';

const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const right = 'correct horse battery';
const wrong = 'correct house battery';

describe.skipIf(program === undefined)('a wrong passphrase', () => {
  const home = mkdtempSync(join(tmpdir(), 'sluice-walk-'));
  const folder = join(home, 'node');
  const config = join(home, 'sluice.json');
  const args = ['--config', config, '--data-dir', folder, '--port', '0'];
  let sealed: Buffer;
  let browser: BrowserServer | undefined;
  let shell: Shell | undefined;

  beforeAll(async () => {
    expect(await buildIfNeeded(root)).toBe(true);
    writeFileSync(config, JSON.stringify({ network: 'regtest' }));
    mkdirSync(folder, { mode: 0o700 });
    const entropy = entropyOf(words) as Uint8Array;
    await sealSeed(seedPath(folder), entropy, [{ way: 'passphrase', passphrase: Buffer.from(right) }]);
    sealed = readFileSync(seedPath(folder));
    browser = await launchBrowser();
  }, 180_000);
  afterAll(async () => {
    shell?.kill('SIGTERM');
    await shell?.ended;
    await browser?.close();
    rmSync(home, { recursive: true, force: true });
  }, 60_000);

  async function headless(passphrase: string) {
    const file = join(home, 'passphrase');
    writeFileSync(file, `${passphrase}\n`, { mode: 0o600 });
    const entry = join(root, 'out', 'main', 'headless.js');
    const node = spawn(process.execPath, [entry, ...args, '--passphrase-file', file], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const log: string[] = [];
    createInterface({ input: node.stderr }).on('line', (line) => log.push(line));
    const ended = once(node, 'close').then(([code]) => code as number | null);
    const first = once(createInterface({ input: node.stdout }), 'line').then(([line]) => line as string);
    return { node, log, ended, first: await Promise.race([first, ended.then(() => null)]) };
  }

  test('in a file ends the headless node with one sentence, and the right one opens its page', async () => {
    const mistaken = await headless(wrong);
    const sentences = mistaken.log.map((line) => (JSON.parse(line) as { msg: string }).msg);
    const file = seedPath(folder);
    expect([mistaken.first, await mistaken.ended, sentences]).toEqual([
      ...[null, 1, [`The passphrase does not open ${file}: the file is whole, so check the passphrase.`]],
    ]);
    expect(readFileSync(seedPath(folder)).equals(sealed)).toBe(true);
    const { node, first, ended } = await headless(right);
    const { url } = JSON.parse(first ?? '') as ReadyLine;
    const at = await openNodePage(url, readFileSync(join(folder, 'owner.token'), 'utf8').trim());
    expect(await at.page.evaluate(() => 'sluice' in window)).toBe(false); // Keys are opened in the program, never over HTTP.
    await at.close();
    node.kill('SIGTERM');
    expect(await ended).toBe(0);
  }, 120_000);

  test('in the window is answered in words, later each time, and the right one opens the same keys', async () => {
    shell = standInShell(browser!, home, args);
    const type = (passphrase: string, reply: string) =>
      shell!.inMain(
        async (electron, { passphrase: text, reply: answer }) => {
          const page = (electron as never as { standIn: typeof StandIn }).standIn.page();
          await page.getByLabel('Passphrase').fill(text);
          await page.getByRole('button', { name: 'Unlock' }).click();
          const began = performance.now();
          // A sentence of the try before is taken away by the next one.
          await page.getByRole('button', { name: 'Unlock', disabled: false }).waitFor();
          await page.getByText(answer).first().waitFor();
          return performance.now() - began;
        },
        { passphrase, reply },
      );
    const unlocking = () => shell!.inPage(() => document.querySelector('h1')?.textContent ?? '', null);
    await expect.poll(() => unlocking().catch(() => ''), { timeout: 60_000 }).toBe(setup.unlockTitle);
    await type(wrong, setup.why['wrong-passphrase']);
    expect(await type(wrong, setup.why['wrong-passphrase'])).toBeGreaterThan(1_000);
    expect(readFileSync(seedPath(folder)).equals(sealed)).toBe(true);
    await shell.inMain(async (electron, text) => {
      const page = (electron as never as { standIn: typeof StandIn }).standIn.page();
      await page.getByLabel('Passphrase').fill(text);
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
    }, right);
    const state = () => shell!.inPage(() => (window as never as { sluice: SluiceApi }).sluice.setup.state(), null);
    await expect.poll(state, { timeout: 60_000 }).toMatchObject({ seed: 'open', node: 'running' });
    const shown = await shell.inPage(
      (text) => (window as never as { sluice: SluiceApi }).sluice.setup.show({ passphrase: text }),
      right,
    );
    expect(shown).toEqual({ done: true, words: words.split(' ') });
  }, 120_000);
});
