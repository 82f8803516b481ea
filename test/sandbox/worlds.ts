import { createBitcoin } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { createTime } from '../../engine/sandbox/world/clock.ts';
import { type Journal, memoryJournal } from '../../engine/sandbox/world/journal.ts';
import { type LightningWorld, createLightning } from '../../engine/sandbox/world/lightning/lightning.ts';
import type { BitcoinWorld } from '../../engine/sandbox/world/bitcoin/chain.ts';

export const startOfTests = 1_760_000_000;

export interface Worlds {
  readonly bitcoin: BitcoinWorld;
  readonly lightning: LightningWorld;
}

/** Both worlds over one journal, on a wall clock that stands still. */
export function openWorlds(journal: Journal = memoryJournal(), wall: () => number = () => startOfTests): Worlds {
  const bitcoin = createBitcoin({ journal, time: createTime(journal, wall) });
  return { bitcoin, lightning: createLightning({ journal, clock: bitcoin.clock, random: countingBytes() }) };
}

/** The same "random" bytes in every run. */
export function countingBytes(): (length: number) => Uint8Array {
  let count = 0;
  return (length) => {
    count++;
    return Uint8Array.from({ length }, (_, i) => (i === 0 ? 1 : (count * 31 + i * 7) % 251));
  };
}
