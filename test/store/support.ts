import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { createTurns } from '../../engine/rescue/patience.ts';
import { openDatabase } from '../../engine/store/open.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { createSpareClaims, spareClaimsName } from '../../engine/store/spare-claims.ts';
import { createStore } from '../../engine/store/store.ts';
import type { SwapRow } from '../../engine/store/swaps.ts';

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** For what is noted outside of the data folder. */
export const turns = () => createTurns(2_000);

/** A store on the disk, as the node opens it. */
export function openStore(folder = newFolder(), key = 1) {
  const db = openDatabase(folder);
  onTestFinished(() => void db.close());
  const sealer = createSealer(new Uint8Array(32).fill(key));
  const spareClaims = createSpareClaims({ path: join(folder, spareClaimsName), sealer });
  return { folder, db, store: createStore(db, sealer, undefined, { spareClaims }) };
}

export function swapRow(change: Partial<SwapRow> = {}): SwapRow {
  return {
    id: 'a0000000-0000-4000-8000-000000000001',
    machine: 'lightning-arkade',
    createdAt: unix(1_760_000_000),
    updatedAt: unix(1_760_000_000),
    version: 0,
    status: 'pending',
    open: true,
    flag: null,
    userId: 'wallet-1',
    valueSats: 99_750n,
    terms: { amount: 99_750n, script: Uint8Array.of(1, 2, 3) },
    progress: { at: 'pending' },
    termsVersion: 1,
    progressVersion: 1,
    ...change,
  };
}
