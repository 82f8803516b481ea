import { expect, test } from 'vitest';
import {
  allowsDevTools,
  contentPolicy,
  isOwnPage,
  needsPress,
  opensItself,
  pageFile,
  permits,
  windowPreferences,
} from '../../main/policy.ts';
import { electronFlag } from '../../main/node-flags.ts';
import { routeNames, routes } from '../../engine/contract/routes.ts';

test('the page may load its own files and connect nowhere', () => {
  expect(contentPolicy.includes('unsafe')).toBe(false);
  expect(contentPolicy.split('; ').toSorted()).toEqual([
    "base-uri 'none'",
    "connect-src 'none'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src 'self'",
    "object-src 'none'",
    'sandbox allow-scripts allow-same-origin allow-forms',
    "script-src 'self'",
    "style-src 'self'",
  ]);
});

test('only the page itself is the page', () => {
  const addresses = [
    'sluice://app/',
    'sluice://app/index.html#x',
    'sluice://other/',
    'sluice://app@evil/',
    'sluice://user@app/',
    'https://app/',
    'file:///etc/passwd',
    'sluice.evil://app/',
    'about:blank',
    '',
  ];
  expect(addresses.filter(isOwnPage)).toEqual(['sluice://app/', 'sluice://app/index.html#x']);
});

test('an address names a file of the page or nothing', () => {
  expect(['sluice://app/', 'sluice://app/assets/index-a_1.js', 'sluice://app/assets/x.css?v=1'].map(pageFile)).toEqual([
    { path: ['index.html'], type: 'text/html; charset=utf-8' },
    { path: ['assets', 'index-a_1.js'], type: 'text/javascript; charset=utf-8' },
    { path: ['assets', 'x.css'], type: 'text/css; charset=utf-8' },
  ]);
  expect(pageFile('sluice://app/%2e%2e/%2e%2e/page.html')?.path).toEqual(['page.html']); // Dots are resolved before we look: still inside.
  const hostile = [
    'sluice://app/..%2fsecret.html',
    'sluice://app/a%5c..%5cb.html',
    'sluice://app/%2fetc/x.html',
    'sluice://app/.hidden.js',
    'sluice://app/a//b.js',
    'sluice://app/seed.sealed',
    'sluice://app/%00.js',
    'sluice://app/%E0%A4%A.js',
    'sluice://evil/index.html',
    'file:///index.html',
  ];
  expect(hostile.filter((address) => pageFile(address) !== null)).toEqual([]);
});

test('the window is isolated, sandboxed and without Node, and nothing in it is left to a default', () => {
  expect(windowPreferences).toEqual({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    plugins: false,
    safeDialogs: true,
    spellcheck: false,
  });
});

test('the page may write to the clipboard and nothing else, and nobody else may even that', () => {
  const permissions = [
    ...['clipboard-sanitized-write', 'clipboard-read', 'media', 'display-capture', 'geolocation', 'notifications'],
    ...['midi', 'midiSysex', 'hid', 'serial', 'usb', 'bluetooth', 'idle-detection', 'pointerLock', 'fullscreen'],
    ...['openExternal', 'window-management', 'storage-access', 'fileSystem', 'keyboardLock', 'unknown'],
  ];
  expect(permissions.filter((permission) => permits(permission, 'sluice://app/'))).toEqual([
    'clipboard-sanitized-write',
  ]);
  expect(
    ['https://app/', 'sluice://other/', 'file:///x', '', 'null'].filter((page) => permits(permissions[0]!, page)),
  ).toEqual([]);
});

test('an installed program has no developer tools and starts with no door open to other programs', () => {
  expect([
    allowsDevTools(['--devtools'], false),
    allowsDevTools([], false),
    allowsDevTools(['--devtools'], true),
  ]).toEqual([true, false, false]);
  const doors = [
    '--inspect',
    '--inspect=0',
    '--inspect-brk=9229',
    '--remote-debugging-port=0',
    '--remote-debugging-pipe',
    '--js-flags=--expose-gc',
    `${electronFlag} --expose-gc`,
  ];
  expect(doors.filter((door) => opensItself(['sluice', door], true))).toEqual(doors);
  const ours = ['sluice', electronFlag, '--hidden', '--port', '0'];
  expect([opensItself(ours, true), opensItself(['x', ...doors], false)]).toEqual([false, false]);
});

test('fault 76: every act of the owner needs a press in the window, but those that move nothing', () => {
  const acts = routeNames.filter((name) => routes[name].access === 'owner' && routes[name].method !== 'GET');
  const asksOnly = ['checkProvider', 'previewTerms', 'takerPayee', 'takerQuotes', 'withdrawalFees'];
  const sendsWords = ['testAlerts'];
  const shows = ['walletAddress'];
  const takesAway = ['deleteDeveloperKey', 'ownerPause'];
  const writesDown = ['labelSwap'];
  expect(acts.filter((name) => !needsPress(name)).toSorted()).toEqual(
    [...asksOnly, ...sendsWords, ...shows, ...takesAway, ...writesDown].toSorted(),
  );
  expect(routeNames.filter(needsPress).filter((name) => !acts.includes(name))).toEqual([]);
});
