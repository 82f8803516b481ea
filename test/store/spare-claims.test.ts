import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { createSpareClaims, spareClaimsName, type SpareClaim } from '../../engine/store/spare-claims.ts';
import { openDisk } from '../hostile/support/disk.ts';
import { newFolder } from './support.ts';

const sealerOf = (key: number) => createSealer(new Uint8Array(32).fill(key));
const open = (folder: string, key = 1) =>
  createSpareClaims({ path: join(folder, spareClaimsName), sealer: sealerOf(key) });
const claimOf = (number: number): SpareClaim => ({
  swap: `a0000000-0000-4000-8000-0000000000${number}`,
  network: 'evm:137',
  bytes: new Uint8Array(420).fill(number),
});
const swapsIn = (folder: string, key = 1) =>
  open(folder, key)
    .all()
    .map(({ swap }) => swap);

it('a claim is there for the next process, and for that of the same words alone', () => {
  const folder = newFolder();
  const claims = open(folder);
  claims.keep(claimOf(10));
  claims.keep(claimOf(11));
  expect(open(folder).of(claimOf(10).swap)).toMatchObject(claimOf(10));
  expect([swapsIn(folder), swapsIn(folder, 2)]).toEqual([[claimOf(10).swap, claimOf(11).swap], []]);
});

it('a swap has one claim, its last; a dropped one is gone for the next process too', () => {
  const folder = newFolder();
  const claims = open(folder);
  claims.keep(claimOf(10));
  claims.keep({ ...claimOf(11), swap: claimOf(10).swap });
  expect(open(folder).of(claimOf(10).swap)?.bytes).toEqual(claimOf(11).bytes);
  claims.drop(claimOf(10).swap);
  expect([claims.all(), swapsIn(folder)]).toEqual([[], []]);
});

it('fault 182, store: the last that a claim was before it was signed anew are there too', () => {
  const folder = newFolder();
  const call = randomBytes(340);
  const [bytes = call, ...former] = Array.from({ length: 20 }, () => Uint8Array.from([...call, ...randomBytes(80)]));
  const claims = open(folder);
  for (const swap of [claimOf(10).swap, claimOf(11).swap]) claims.keep({ ...claimOf(10), swap, bytes, former });
  const [one, another] = open(folder).all();
  const count = one?.former?.length ?? 0;
  expect(count).toBeGreaterThan(3);
  expect([one?.bytes, one?.former]).toEqual([Uint8Array.from(bytes), former.slice(0, count)]);
  expect(another?.former).toEqual(one?.former);
});

it('a claim that an earlier version wrote is read', () => {
  const folder = newFolder();
  const { bytes, ...claim } = claimOf(10);
  const text = JSON.stringify({ ...claim, bytes: toHex(bytes) });
  const line = Buffer.from(sealerOf(1).seal(new TextEncoder().encode(text), 'spare claim')).toString('base64');
  writeFileSync(join(folder, spareClaimsName), `${line.padEnd(2_047)}\n`);
  expect(open(folder).of(claim.swap)).toMatchObject({ ...claimOf(10), former: [] });
});

it('the room never grows: where it is full, the oldest makes way', () => {
  const folder = newFolder();
  const claims = open(folder);
  const { size } = statSync(join(folder, spareClaimsName));
  for (let number = 10; number < 75; number++) claims.keep(claimOf(number));
  expect(statSync(join(folder, spareClaimsName)).size).toBe(size);
  expect(new Set(swapsIn(folder))).toEqual(new Set(Array.from({ length: 64 }, (_, index) => claimOf(index + 11).swap)));
});

it('a torn claim says nothing, and takes no other with it', () => {
  const folder = newFolder();
  const claims = open(folder);
  claims.keep(claimOf(10));
  claims.keep(claimOf(11));
  const bytes = readFileSync(join(folder, spareClaimsName));
  writeFileSync(join(folder, spareClaimsName), bytes.fill(' ', 100, 300));
  expect(swapsIn(folder)).toEqual([claimOf(11).swap]);
});

it('fault 182, store: a full disk takes a claim where there was room before, and fails none', (context) => {
  const disk = openDisk();
  try {
    const { full, folder } = disk;
    if (full === null) return context.skip('no small disk can be mounted here');
    const claims = open(folder);
    full.fill();
    claims.keep(claimOf(10));
    expect(swapsIn(folder)).toEqual([claimOf(10).swap]);
    const without = createSpareClaims({ path: join(folder, 'too late'), sealer: sealerOf(1) });
    without.keep(claimOf(11));
    expect(without.of(claimOf(11).swap)).toMatchObject(claimOf(11));
  } finally {
    disk.remove();
  }
});
