import { createHash } from 'node:crypto';
import { createBitcoin } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { createTime } from '../../engine/sandbox/world/clock.ts';
import type { Journal } from '../../engine/sandbox/world/journal.ts';
import { memoryJournal } from '../support/memory-journal.ts';
import { type LightningWorld, createLightning } from '../../engine/sandbox/world/lightning/lightning.ts';
import { type LndRelease, lnd020 } from '../../engine/sandbox/world/lightning/release.ts';
import type { BitcoinWorld } from '../../engine/sandbox/world/bitcoin/chain.ts';

export const startOfTests = 1_760_000_000;

export interface Worlds {
  readonly bitcoin: BitcoinWorld;
  readonly lightning: LightningWorld;
}

/** Both worlds over one journal, on a wall clock that stands still. */
export function openWorlds(
  journal: Journal = memoryJournal(),
  wall: () => number = () => startOfTests,
  random = countingBytes(),
  like: LndRelease = lnd020,
): Worlds {
  const bitcoin = createBitcoin({ journal, time: createTime(journal, wall), startHeight: 11 });
  return { bitcoin, lightning: createLightning({ journal, clock: bitcoin.clock, random, like }) };
}

/** The same "random" bytes in every run, never twice from one source: a restart must go on with the one it had. */
export function countingBytes(): (length: number) => Uint8Array {
  let count = 0;
  return (length) => new Uint8Array(createHash('shake256', { outputLength: length }).update(String(count++)).digest());
}
