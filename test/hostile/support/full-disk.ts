import { setTimeout as pause } from 'node:timers/promises';
import { count, type Kind } from './kind.ts';

const apart = { least: 12_000, most: 40_000 };
const stays = { least: 2_000, most: 8_000 };

/** No byte can be written for a while; now and then the node dies in the midst of it, and starts on what is there. */
export const fullDisk: Kind = async ({ node, disk, chance, alone, isKilled }, tally, isOver) => {
  const { full } = disk;
  while (full !== null && !isOver()) {
    await pause(chance.between(apart.least, apart.most));
    if (isOver()) return;
    await alone(async () => {
      full.fill();
      count(tally, 'times that the disk was full');
      await pause(chance.between(stays.least, stays.most));
      if (!isKilled() || chance.next() < 0.5) return full.free();
      await node.kill();
      count(tally, 'kills');
      // A start that needs room ends with a sentence, and the owner makes some.
      const started = await node.start().then(
        () => true,
        () => false,
      );
      if (!started) count(tally, 'starts that a full disk refused');
      full.free();
      if (!started) await node.start();
    });
  }
};
