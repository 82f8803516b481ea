import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { raw, request, serve, type Serving } from './serve.ts';

let folder: string;
let serving: Serving;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ui-'));
  const ui = join(folder, 'ui');
  mkdirSync(join(ui, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'owner.token'), 'secret');
  writeFileSync(join(ui, 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(ui, '.hidden'), 'secret');
  writeFileSync(join(ui, 'assets', 'app-1a2b.js'), 'export {};');
  mkdirSync(join(ui, 'docs', 'operate'), { recursive: true });
  writeFileSync(join(ui, 'docs', 'index.html'), '<!doctype html><title>documents</title>');
  writeFileSync(join(ui, 'docs', 'operate', 'rescue.html'), '<!doctype html><title>rescue</title>');
  symlinkSync(join(folder, 'owner.token'), join(ui, 'link.txt'));
  serving = await serve({ ui: { directory: ui } });
});
afterAll(async () => {
  await serving.server.stop();
  rmSync(folder, { recursive: true });
});

const get = (path: string) =>
  raw(serving.server.port, request(`GET ${path}`, { host: `127.0.0.1:${serving.server.port}` }));

describe('the served user interface', () => {
  it('comes with a policy that lets nothing foreign or inline run', async () => {
    const page = await get('/');
    expect([
      page.status,
      page.body,
      page.headers['content-type'],
      page.headers['x-frame-options'],
      page.headers['x-content-type-options'],
      page.headers['cache-control'],
    ]).toEqual([200, '<!doctype html><title>page</title>', 'text/html; charset=utf-8', 'DENY', 'nosniff', 'no-cache']);
    const policy = page.headers['content-security-policy'] ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    for (const directive of ['object-src', 'base-uri', 'form-action', 'frame-ancestors'])
      expect(policy).toContain(`${directive} 'none'`);
    const script = await get('/assets/app-1a2b.js');
    expect([script.status, script.headers['content-type'], script.headers['cache-control']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
  });

  it('has the documents at /docs, without a token, and by their names alone', async () => {
    const bare = await get('/docs');
    expect([bare.status, bare.headers['location']]).toEqual([308, '/docs/']);
    expect((await get('/docs/')).body).toContain('documents');
    expect((await get('/docs/operate/rescue.html')).headers['content-type']).toBe('text/html; charset=utf-8');
    const others = ['/docs/operate', '/docs/operate/', '/docs/../../owner.token', '/docs/operate/rescue.md', '/assets'];
    expect(await Promise.all(others.map(async (path) => (await get(path)).status))).toEqual(others.map(() => 404));
  });

  it('is nothing outside its folder, hidden, linked or unlisted', async () => {
    const paths = [
      '/../owner.token',
      '/%2e%2e/owner.token',
      '/assets/../../owner.token',
      '/..%2fowner.token',
      '/assets/..%5c..%5cowner.token',
      '//owner.token',
      '/link.txt',
      '/.hidden',
      '/assets/',
      '/index.html%00.js',
      '/nothing',
    ];
    const replies = await Promise.all(paths.map(get));
    expect(replies.map(({ status }) => status)).toEqual(paths.map(() => 404));
    for (const { body } of replies) expect(body).not.toContain('secret');
  });

  it('leaves the API where it is', async () => {
    expect([(await get('/health')).body, (await get('/swap/1')).status]).toEqual(['"ok"', 400]);
  });
});
