import { expect, test } from 'vitest';
import { contentPolicy, isOwnPage, pageFile } from '../../main/policy.ts';

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
