// The built desktop, main and preload, in the stand-in for Electron: what a page, a frame or a script may and may not.
import type { BrowserServer } from '@playwright/test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildIfNeeded } from '../../main/build.ts';
import { pageFile, windowPreferences } from '../../main/policy.ts';
import type { SluiceApi } from '../../preload/api.ts';
import {
  browserProgram,
  electronShell,
  launchBrowser,
  realElectron,
  root,
  standInShell,
  type Shell,
} from './electron/shell.ts';
import type { standIn as StandIn } from './electron/stand-in.ts';

if (browserProgram === undefined) console.warn('SKIPPED: the desktop in a stand-in needs Chromium, and none is here.');
if (realElectron === null)
  console.warn('SKIPPED: the desktop in Electron itself needs its runtime ("npx install-electron") and a screen.');

type Page = Window & { sluice: SluiceApi; invoke(channel: string, message: unknown): Promise<unknown> };
type Controlled = { standIn: typeof StandIn };

let browser: BrowserServer | undefined;
const homes: string[] = [];
const shells: Shell[] = [];

beforeAll(async () => {
  expect(await buildIfNeeded(root)).toBe(true);
  if (browserProgram !== undefined) browser = await launchBrowser();
}, 180_000);

afterAll(async () => {
  for (const shell of shells) {
    shell.kill('SIGTERM');
    await shell.ended;
  }
  await browser?.close();
  for (const home of homes) rmSync(home, { recursive: true, force: true });
}, 60_000);

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'sluice-desktop-'));
  homes.push(home);
  writeFileSync(join(home, 'sluice.json'), JSON.stringify({ network: 'regtest' }));
  return home;
}

const ownNetworks = (home: string) => [
  '--config',
  join(home, 'sluice.json'),
  '--data-dir',
  join(home, 'node'),
  '--port',
  '0',
];

/** A real press in the page's window, somewhere where there is nothing. */
function pressIn(shell: Shell): Promise<void> {
  return shell.inMain(async (electron) => {
    await (electron as never as Controlled).standIn.page().mouse.click(5, 5);
  }, null);
}

async function opened(make: Promise<Shell> | Shell): Promise<Shell> {
  const shell = await make;
  shells.push(shell);
  for (;;) {
    const state = await shell.inPage(() => document.readyState, null).catch(() => 'no window yet');
    if (state === 'complete') break;
    await Promise.race([pause(100), shell.ended.then(() => Promise.reject(new Error(shell.log.join('\n'))))]);
  }
  return shell;
}

const hosts = [
  {
    host: 'the stand-in',
    there: browserProgram !== undefined,
    start: (home: string) => standInShell(browser!, home, ownNetworks(home)),
  },
  {
    host: 'Electron itself',
    there: realElectron !== null,
    start: (home: string) => electronShell(home, ownNetworks(home)),
  },
];

describe.each(hosts)('a page in $host', ({ there, start }) => {
  let shell: Shell;
  beforeAll(async () => {
    if (there) shell = await opened(start(newHome()));
  }, 60_000);

  test.skipIf(!there)(
    'has the preferences of the policy, and of Node and Electron nothing but the bridge',
    async () => {
      const preferences = await shell.inMain(({ BrowserWindow }) => {
        const { session: _session, ...plain } = (
          BrowserWindow.getAllWindows()[0]!.webContents as never as { getLastWebPreferences(): Record<string, unknown> }
        ).getLastWebPreferences();
        return plain;
      }, null);
      expect(preferences).toMatchObject({ ...windowPreferences, devTools: false });
      const powers = await shell.inPage(() => {
        const own = window as never as Record<string, unknown>;
        const { sluice } = window as never as Page;
        return {
          node: ['require', 'process', 'module', 'Buffer', 'global', 'ipcRenderer', 'electron'].filter(
            (name) => own[name] !== undefined,
          ),
          bridge: [...Object.keys(sluice), ...Object.keys(sluice.setup)],
        };
      }, null);
      expect(powers).toEqual({
        node: [],
        bridge: [
          ...['host', 'call', 'on', 'setup', 'state', 'onState', 'choose', 'make', 'show', 'verify', 'compare'],
          ...['restore', 'forget', 'lock', 'unlock', 'startAtLogin', 'setStartAtLogin'],
        ],
      });
    },
  );

  test.skipIf(!there)('loads, asks, opens, prints and downloads nothing but itself', async () => {
    const outcome = await shell.inPage(async () => {
      const refused = (act: () => unknown) =>
        Promise.resolve()
          .then(act)
          .then(
            () => false,
            () => true,
          );
      const loads = (make: () => HTMLElement) =>
        new Promise<boolean>((resolve) => {
          const element = make();
          element.onload = () => resolve(true);
          element.onerror = () => resolve(false);
          document.body.append(element);
        });
      const script = document.createElement('script');
      script.textContent = 'window.inline = true';
      document.body.append(script);
      return {
        fetchAway: await refused(() => fetch('https://example.org/')),
        fetchNode: await refused(() => fetch('http://127.0.0.1:7733/health')),
        socket: await refused(
          () =>
            new Promise((resolve, reject) => {
              const socket = new WebSocket('ws://127.0.0.1:7733/ws');
              socket.onopen = resolve;
              socket.onerror = reject;
            }),
        ),
        evaluated: await refused(() => new Function('1')),
        inline: 'inline' in window,
        image: await loads(() => Object.assign(new Image(), { src: 'https://example.org/x.png' })),
        foreignScript: await loads(() =>
          Object.assign(document.createElement('script'), { src: 'https://example.org/x.js' }),
        ),
        opened: window.open('https://example.org/') !== null,
        confirmed: confirm('?'),
        camera: await refused(() => navigator.mediaDevices.getUserMedia({ video: true })),
        position: await refused(
          () => new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, reject)),
        ),
        clipboard: await refused(() => navigator.clipboard.readText()),
        notification: await Notification.requestPermission(),
      };
    }, null);
    expect(outcome).toEqual({
      ...{ fetchAway: true, fetchNode: true, socket: true, evaluated: true, inline: false, image: false },
      ...{ foreignScript: false, opened: false, confirmed: false, camera: true, position: true, clipboard: true },
      notification: 'denied',
    });
    expect(await shell.inMain(({ BrowserWindow }) => BrowserWindow.getAllWindows().length, null)).toBe(1);
  });

  test.skipIf(!there)('stays where it is, whatever it or a frame in it names', async () => {
    const places = [
      'https://example.org/',
      'http://127.0.0.1:7733/',
      'file:///etc/passwd',
      'data:text/html,x',
      'smb://x/y',
      'javascript:1',
    ];
    await shell.inPage((urls) => {
      for (const url of urls) {
        const link = Object.assign(document.createElement('a'), { href: url, textContent: 'x' });
        document.body.append(link);
        link.click();
        link.remove();
        document.body.append(Object.assign(document.createElement('iframe'), { src: url }));
      }
    }, places);
    const after = await shell.inMain(
      ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.getURL(),
      null,
    );
    expect(after).toBe('sluice://app/');
  });
});

describe.skipIf(browserProgram === undefined)('a program that is hostile to the node', () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await opened(hosts[0]!.start(newHome()));
  }, 60_000);
  const invoke = (channel: string, message: unknown) =>
    shell.inPage(({ channel: to, message: what }) => (window as never as Page).invoke(to, what), { channel, message });

  test('asks the custom protocol for what is beside the page, and gets nothing; every built file it gets', async () => {
    const folder = join(root, 'out', 'renderer');
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
      .map((entry) => `sluice://app/${relative(folder, join(entry.parentPath, entry.name))}`);
    expect(files.filter((file) => pageFile(file) === null)).toEqual([]);
    const hostile = [
      ...['..%2f..%2fpackage.json', '%2e%2e/%2e%2e/package.json', '..%5c..%5cpackage.json', '%2fetc%2fpasswd'],
      ...['assets/..%2f..%2f..%2fmain%2findex.js', 'index.html%00.js', '.git/config.js', 'nothing.js'],
    ].map((path) => `sluice://app/${path}`);
    const statuses = (urls: string[], method = 'GET') =>
      shell.inMain(
        ({ session }, ask) => {
          const own = session.fromPartition('sluice') as never as {
            handlers: Map<string, (r: Request) => Promise<Response>>;
          };
          return Promise.all(
            ask.urls.map(async (url) => {
              const answer = await own.handlers.get('sluice')!(new Request(url, { method: ask.method }));
              return `${answer.status} ${answer.headers.get('content-security-policy')?.includes("default-src 'none'")}`;
            }),
          );
        },
        { urls, method },
      );
    expect(new Set(await statuses([...files, 'sluice://app/']))).toEqual(new Set(['200 true']));
    expect(new Set(await statuses([...hostile, 'sluice://other/index.html']))).toEqual(new Set(['404 true']));
    expect(await statuses(['sluice://app/'], 'POST')).toEqual(['404 true']);
  });

  test('calls the engine and the setup from a frame inside the page, and is not heard', async () => {
    const answers = await shell.inMain(async (electron) => {
      const page = (electron as never as Controlled).standIn.page();
      await page.evaluate(() => document.body.append(document.createElement('iframe')));
      const frame = page.frames().find((one) => one.parentFrame() !== null && one.url() === 'about:blank')!;
      return frame.evaluate(async () => {
        const { invoke: send, sluice } = window as never as Page;
        return [
          sluice === undefined,
          await send('sluice:call', { route: 'ownerStatus', args: {} }),
          await send('sluice:setup', { do: 'make', words: 12 }),
          await send('sluice:setup', { do: 'show' }),
        ];
      });
    }, null);
    const unheard = { done: false, why: 'not-ours' };
    expect(answers).toEqual([
      true,
      { status: 403, body: { error: 'Only the page of this program may call its engine.' } },
      unheard,
      unheard,
    ]);
  });

  test('sends messages of other shapes, and nothing of them comes back', async () => {
    const calls = [
      null,
      'x',
      {},
      { route: 'nothing', args: {} },
      { route: 'health' },
      { route: 'health', args: {}, more: 1 },
      { route: '__proto__', args: {} },
    ];
    for (const message of calls)
      expect(await invoke('sluice:call', message)).toEqual({
        status: 400,
        body: { error: 'The call names no route of the contract.' },
      });
    const setups = [
      null,
      {},
      { do: 'eval' },
      { do: 'make', words: 13 },
      { do: 'restore', words: 'x'.repeat(5_000) },
      { do: 'lock', keychain: true },
      { do: 'choose', network: 'regtest' },
      { do: 'state', more: 1 },
    ];
    for (const message of setups)
      expect(await invoke('sluice:setup', message)).toEqual({ done: false, why: 'malformed' });
  });

  test('floods the bridge and sends what is far too long, and the next call is answered all the same', async () => {
    const outcome = await shell.inPage(async () => {
      const { invoke: send, sluice } = window as never as Page;
      const status = (answer: unknown) => (answer as { status: number }).status;
      const flood = await Promise.all(
        Array.from({ length: 2_000 }, () => send('sluice:call', { route: 'ownerStatus', args: {} }).then(status)),
      );
      const long = { route: 'health', args: { body: 'x'.repeat(1_200_000) } };
      return [
        [...new Set(flood)].toSorted(),
        status(await send('sluice:call', long)),
        status(await sluice.call('health', {})),
      ];
    }, null);
    expect(outcome).toEqual([expect.arrayContaining([503]), 413, 503]);
  });

  test('downloads, redirects, embeds, opens windows, asks for devices and holds its window open in vain', async () => {
    const downloads = await shell.inMain(async (electron) => {
      const page = (electron as never as Controlled).standIn.page();
      let begun = 0;
      page.on('download', () => void (begun += 1));
      await page.evaluate(() => {
        for (const href of ['./index.html', URL.createObjectURL(new Blob(['x'])), 'data:text/plain,x'])
          Object.assign(document.createElement('a'), { href, download: 'x' }).click();
        addEventListener('beforeunload', (event) => event.preventDefault());
      });
      await page.waitForTimeout(300);
      return begun;
    }, null);
    const verdicts = await shell.inMain(({ BrowserWindow, session }) => {
      const { webContents } = BrowserWindow.getAllWindows()[0]!;
      const own = session.fromPartition('sluice') as never as NodeJS.EventEmitter & {
        handlers: Map<string, (details: unknown) => unknown>;
      };
      const prevented = (emitter: NodeJS.EventEmitter, name: string) => {
        const event = { url: 'sluice://app/', isMainFrame: true, prevented: false, preventDefault: () => void 0 };
        event.preventDefault = () => void (event.prevented = true);
        emitter.emit(name, event, event);
        return event.prevented;
      };
      const contents = webContents as never as NodeJS.EventEmitter;
      const { handlers } = BrowserWindow.getAllWindows()[0] as never as typeof own;
      return [
        ...['will-redirect', 'will-attach-webview', 'will-prevent-unload'].map((name) => prevented(contents, name)),
        prevented(own, 'will-download'),
        prevented(contents, 'will-navigate'),
        handlers.get('open')!({ url: 'sluice://app/' }),
        own.handlers.get('device')!({ deviceType: 'hid' }),
      ];
    }, null);
    expect([downloads, verdicts]).toEqual([0, [true, true, true, true, false, { action: 'deny' }, false]]);
  });

  test('spends by a script alone, and the owner is asked; after a real press it is the node that answers', async () => {
    const spend = { route: 'withdraw', args: { params: { network: 'bitcoin' }, body: { address: 'x', amount: '1' } } };
    const questions = () =>
      shell.inMain((electron) => (electron as never as Controlled).standIn.questions.splice(0).length, null);
    await shell.inPage(() => document.body.dispatchEvent(new MouseEvent('mousedown', { bubbles: true })), null);
    expect([await invoke('sluice:call', spend), await questions()]).toMatchObject([{ status: 403 }, 1]);
    await pressIn(shell);
    expect([await invoke('sluice:call', spend), await questions()]).toMatchObject([{ status: 503 }, 0]);
    // One press, one act; and after a no a script raises no second question.
    expect([await invoke('sluice:call', spend), await questions()]).toMatchObject([{ status: 403 }, 0]);
  });
});

describe.skipIf(browserProgram === undefined)('the first run', () => {
  const home = newHome();
  const node = join(home, 'node');
  const passphrase = 'correct horse battery';
  let shell: Shell;
  let words: string[];
  const running = () =>
    expect
      .poll(() => shell.inPage(() => (window as never as Page).sluice.setup.state().then((s) => s.node), null), {
        timeout: 60_000,
      })
      .toBe('running');

  test('makes words, has them read back, locks them by a passphrase and starts the node', async () => {
    shell = await opened(standInShell(browser!, home, ownNetworks(home)));
    const answers = await shell.inPage(async (secret) => {
      const { sluice } = window as never as Page;
      const { setup } = sluice;
      const made = await setup.make({ words: 12 });
      const shown = await setup.show();
      if (!made.done || !shown.done) throw new Error('not made');
      const early = await setup.lock({ keychain: false, passphrase: secret });
      const paper = made.check.map((place) => ({ place, word: shown.words[place - 1]! }));
      const verified = await setup.verify({ words: paper });
      const off = (await sluice.call('ownerStatus', {})) as { status: number };
      const locked = await setup.lock({ keychain: false, passphrase: secret });
      return { words: [...shown.words], early, verified: verified.done && verified.verified, off: off.status, locked };
    }, passphrase);
    words = answers.words;
    expect([answers.words.length, answers.early, answers.verified, answers.off, answers.locked]).toEqual([
      ...[12, { done: false, why: 'not-verified' }, true, 503, { done: true }],
    ]);
    await running();
    expect(await shell.inPage(() => (window as never as Page).sluice.call('ownerStatus', {}), null)).toMatchObject({
      status: 200,
    });
    expect(JSON.parse(shell.out[0]!)).toMatchObject({ event: 'ready', network: 'regtest', dataDir: node });
    expect(await trayLine()).toBe('Sluice: no swap is open');
  }, 120_000);

  test('no word of the seed is in any file, any line of the log or the page of the node', async () => {
    const written = readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'));
    const sentence = words.join(' ');
    const pair = words.slice(0, 2).join(' ');
    expect(
      [...written, ...shell.log, ...shell.out].filter((text) => text.includes(sentence) || text.includes(pair)),
    ).toEqual([]);
  });

  test('its documents are read in the one window, and lead back to the page', async () => {
    const follow = (name: string) =>
      shell.inMain(async (electron, link) => {
        const page = (electron as never as Controlled).standIn.page();
        await page.getByRole('link', { name: link, exact: true }).click();
        await page.waitForLoadState();
        return page.locator('h1').first().textContent();
      }, name);
    expect(await follow('Documents')).toBe('Sluice: the documents');
    expect(await follow('Checklist')).toBe('Checklist for a provider');
    expect(await follow('The node')).not.toBeNull();
    expect(await shell.inMain(({ BrowserWindow }) => BrowserWindow.getAllWindows().length, null)).toBe(1);
    await running();
  }, 120_000);

  test('a second start leaves at once, and the first one shows its window', async () => {
    const second = standInShell(browser!, home, ownNetworks(home));
    expect([await second.ended, second.log.map((line) => (JSON.parse(line) as { msg: string }).msg)]).toEqual([
      0,
      ['Sluice is open already: its window comes to the front.'],
    ]);
    await shell.inMain(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.destroy(), null);
    const third = standInShell(browser!, home, ownNetworks(home));
    expect(await third.ended).toBe(0);
    await opened(shell);
  }, 60_000);

  test('with nothing open it quits unasked, and the next start waits for the passphrase, in its window', async () => {
    const questions = await shell.inMain((electron) => {
      setTimeout(() => electron.app.quit(), 50);
      return (electron as never as Controlled).standIn.questions.length;
    }, null);
    expect([await shell.ended, questions]).toEqual([0, 0]);
    shell = await opened(standInShell(browser!, home, [...ownNetworks(home), '--hidden']));
    const answers = await shell.inPage(async (secret) => {
      const { setup } = (window as never as Page).sluice;
      const before = await setup.state();
      return [
        before.seed,
        before.node,
        await setup.unlock({ passphrase: 'wrong horse battery' }),
        await setup.unlock({ passphrase: secret }),
      ];
    }, passphrase);
    expect(answers).toEqual(['sealed', 'off', { done: false, why: 'wrong-passphrase' }, { done: true }]);
    await running();
  }, 120_000);

  const trayLine = () => shell.inMain((electron) => (electron as never as Controlled).standIn.trays[0]!.tip, null);
});

describe.skipIf(browserProgram === undefined)('with a swap open in the sandbox', () => {
  const home = newHome();
  let shell: Shell;
  const tray = () => shell.inMain((electron) => (electron as never as Controlled).standIn.trays[0]!.tip, null);

  test('the tray says so, the machine is kept awake, and waking up looks at everything again', async () => {
    shell = await opened(standInShell(browser!, home, ['--sandbox', '--data-dir', join(home, 'node'), '--port', '0']));
    const call = (route: string, args: object) =>
      shell.inPage((ask) => (window as never as Page).sluice.call(ask.route, ask.args), { route, args });
    const order = { body: { direction: 'lightning-arkade', amount_sats: 25_000 } };
    const ordered = async () => {
      await pressIn(shell);
      return call('createTakerSwap', order);
    };
    await expect.poll(ordered, { timeout: 60_000, interval: 500 }).toMatchObject({ status: 200 });
    await expect.poll(tray, { timeout: 60_000 }).toMatch(/^Sluice: .*(is|are) open/);
    const blockers = () => shell.inMain((electron) => [...(electron as never as Controlled).standIn.blockers], null);
    await expect.poll(blockers, { timeout: 60_000 }).toEqual(['prevent-app-suspension']);
    expect(await shell.inMain(({ powerMonitor }) => powerMonitor.emit('resume'), null)).toBe(true);
  }, 120_000);

  test('quitting asks; the answer to stay keeps the node, the answer to leave ends it cleanly', async () => {
    const quit = (answer: number) =>
      shell.inMain((electron, given) => {
        (electron as never as Controlled).standIn.answers.push(given);
        (electron as never as Controlled).standIn.trays[0]!.menu.at(-1)!.click!();
      }, answer);
    await quit(0);
    const questions = () => shell.inMain((electron) => (electron as never as Controlled).standIn.questions, null);
    await expect
      .poll(questions, { timeout: 60_000 })
      .toMatchObject([{ message: 'Quit Sluice?', buttons: ['Keep running', 'Quit anyway'] }]);
    expect((await questions())[0]?.detail).toMatch(/open\..* While Sluice is closed it makes no claim/);
    expect(await shell.inPage(() => (window as never as Page).sluice.call('health', {}), null)).toMatchObject({
      status: 200,
    });
    await quit(1);
    expect(await shell.ended).toBe(0);
  }, 60_000);
});
