import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openSeed, sealedWays, sealSeed, type SealKey } from '../../main/keyfile.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-keyfile-'));
afterAll(() => rmSync(folder, { recursive: true }));

const entropy = Uint8Array.from({ length: 16 }, (_, i) => i * 7);
const passphrase = (text: string): SealKey => ({ way: 'passphrase', passphrase: Buffer.from(text) });
const chain: SealKey = { way: 'keychain', key: new Uint8Array(32).fill(9) };
let count = 0;

async function sealed(...keys: SealKey[]): Promise<string> {
  const path = join(folder, `seed-${count++}`);
  await sealSeed(path, entropy, keys);
  return path;
}

test('a seed opens by each of its ways and by no other', async () => {
  const path = await sealed(passphrase('a long one'), chain);
  expect([
    await openSeed(path, passphrase('a long one')),
    await openSeed(path, chain),
    await openSeed(path, passphrase('a long on')),
    await openSeed(path, { way: 'keychain', key: new Uint8Array(32).fill(8) }),
    await openSeed(path, { way: 'key-file', key: new Uint8Array(32) }),
    await openSeed(`${path}.missing`, chain),
    sealedWays(path),
  ]).toEqual([
    { is: 'opened', entropy: Buffer.from(entropy) },
    { is: 'opened', entropy: Buffer.from(entropy) },
    { is: 'wrong-key' },
    { is: 'wrong-key' },
    { is: 'no-such-way', ways: ['passphrase', 'keychain'] },
    { is: 'absent' },
    { is: 'sealed', ways: ['passphrase', 'keychain'] },
  ]);
});

test('a damaged file is told apart from a wrong passphrase, wherever the damage is', async () => {
  const path = await sealed(chain);
  const whole = readFileSync(path);
  const answers = new Set<string>();
  for (let at = 0; at < whole.length - 1; at += 3) {
    const broken = Buffer.from(whole);
    broken[at] = broken[at]! ^ 1;
    writeFileSync(path, broken);
    answers.add((await openSeed(path, chain)).is);
  }
  for (const length of [0, 10, whole.length - 40]) {
    writeFileSync(path, whole.subarray(0, length));
    answers.add((await openSeed(path, chain)).is);
  }
  expect([...answers]).toEqual(['damaged']);
});

test('a header that was changed together with its checksum does not open', async () => {
  const { createHash } = await import('node:crypto');
  const path = await sealed(passphrase('x'), chain);
  const [header = '', body = ''] = readFileSync(path, 'utf8').split('\n');
  const weaker = header.replace('"N":131072', '"N":65536');
  expect(weaker).not.toBe(header);
  const sum = createHash('sha256').update(`${weaker}\n${body}\n`).digest('hex');
  writeFileSync(path, `${weaker}\n${body}\n${sum}\n`);
  expect([await openSeed(path, passphrase('x')), await openSeed(path, chain)]).toEqual([
    { is: 'wrong-key' },
    { is: 'damaged', reason: 'its header does not belong to its content' },
  ]);
});

test('a file of a newer version says so', async () => {
  const { createHash } = await import('node:crypto');
  const path = join(folder, 'newer');
  const header = JSON.stringify({ sluice: 'seed', version: 2, slots: [] });
  writeFileSync(path, `${header}\n00\n${createHash('sha256').update(`${header}\n00\n`).digest('hex')}\n`);
  expect(await openSeed(path, chain)).toEqual({ is: 'damaged', reason: 'it was written by a newer Sluice' });
});

test('sealing again replaces the file whole, for its owner alone, with nothing left beside it', async () => {
  const path = await sealed(chain);
  const before = readFileSync(path, 'utf8');
  writeFileSync(`${path}.new`, 'left by a crash', { mode: 0o644 });
  await sealSeed(path, entropy, [chain]);
  const after = readFileSync(path, 'utf8');
  expect([
    after === before,
    statSync(path).mode & 0o777,
    readdirSync(folder).filter((name) => name.endsWith('.new')),
    after.includes(Buffer.from(entropy).toString('hex')),
  ]).toEqual([false, 0o600, [], false]);
  expect((await openSeed(path, chain)).is).toBe('opened');
});
