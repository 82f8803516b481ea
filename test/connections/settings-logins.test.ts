import { expect, test } from 'vitest';
import { readConfig } from '../../engine/config.ts';
import type { Tree } from '../../engine/config/tree.ts';
import { createSettings } from '../../engine/connections/settings.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { createSealer } from '../../engine/store/sealer.ts';

/** Settings of a node that stores what it is given, in memory. */
function opened() {
  let stored: Tree = { network: 'regtest' };
  const sources = { flags: {}, environment: {}, file: null };
  const start = readConfig({ ...sources, stored });
  if (isRefusal(start)) throw new Error(start.sentence);
  return createSettings({
    start,
    source: { sources, stored: () => structuredClone(stored), save: (next) => void (stored = next) },
    sealer: createSealer(new Uint8Array(32).fill(7)),
    connections: { judge: async () => null, use: async () => undefined },
  });
}

const url = 'http://127.0.0.1:8332';
async function core(settings: ReturnType<typeof opened>, patch: { readonly [name: string]: string }): Promise<unknown> {
  const changed = await settings.change({ bitcoin: { core: patch } });
  return isRefusal(changed) ? changed.sentence : (changed['bitcoin'] as { core: object }).core;
}

test('a cookie takes the place of a login that was given before, and a login that of a cookie', async () => {
  const settings = opened();
  expect([
    await core(settings, { url, user: 'alice', password: 'secret' }),
    await core(settings, { cookieFile: '/srv/bitcoin/.cookie' }),
    await core(settings, { userFile: '/srv/user', passwordFile: '/srv/password' }),
    await core(settings, { cookieFile: '/srv/bitcoin/.cookie', user: 'alice' }),
  ]).toEqual([
    { url, user: true, password: true, caFile: null },
    { url, cookieFile: '/srv/bitcoin/.cookie', caFile: null },
    { url, userFile: '/srv/user', passwordFile: '/srv/password', caFile: null },
    expect.stringMatching(/cookieFile and bitcoin\.core\.user(File)? exclude each other/),
  ]);
});

test('whether the owner named prices is known from every source', async () => {
  const settings = opened();
  const before = settings.sets('terms');
  await settings.change({ terms: { feeBps: 30 } });
  const after = settings.sets('terms');
  await settings.change({ terms: null });
  expect([before, after, settings.sets('terms')]).toEqual([false, true, false]);
});
