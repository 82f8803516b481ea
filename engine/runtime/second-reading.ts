import type { ChainReading, Unix } from '../domain/time.ts';
import type { LightningInfo } from '../legs/lightning/port.ts';
import { burialDepth } from '../legs/onchain/depth.ts';

/** Median time past is the median of this many blocks' times (BIP 113). */
const span = 11;
/** So many of them at or above a time, and the median is as well. */
const half = 6;

/**
 * How far the chain has come by the word of the Lightning node, which follows it by itself and lets held payments go by
 * its own height. It tells a height and one block's time, which its miner may have put two hours ahead: so the times
 * are kept, and median time past is what six of the last eleven blocks prove. That it never goes back, and a block that
 * nobody looked at in time only leaves it lower: it is too low or right, never too high.
 */
export function createSecondReading() {
  const times = new Map<number, Unix>();
  let height: number | null = null;
  let mtp: Unix | null = null;

  function prove(): void {
    const proven = [...times.values()].sort((a, b) => b - a)[half - 1];
    if (proven !== undefined && proven > (mtp ?? 0)) mtp = proven;
  }

  return {
    hear(info: Pick<LightningInfo, 'height' | 'tipTime' | 'synced'>): void {
      if (!info.synced) return;
      // No reorganisation goes so deep: the node is another one, or was, and what the other said does not count any
      // more.
      if (height !== null && info.height < height - burialDepth) {
        times.clear();
        mtp = null;
      }
      height = info.height;
      for (const seenHeight of times.keys())
        if (seenHeight > info.height || seenHeight <= info.height - span) times.delete(seenHeight);
      // Height and time come from two places of lnd: for a moment a new height may show beside the time of the block
      // before.
      times.delete(info.height);
      if (![...times.values()].includes(info.tipTime)) times.set(info.height, info.tipTime);
      prove();
    },
    reading: (): ChainReading => ({ mtp, height }),
  };
}
