import { setTimeout as pause } from 'node:timers/promises';
import { count, type Kind } from './kind.ts';

/** Between two deaths, milliseconds: the node must get something done meanwhile. */
const apart = { least: 3_000, most: 12_000 };
const duringStart = 0.3;

/** The node dies at random, now and then in the midst of its start. */
export const kills: Kind = async ({ node, chance, alone, isKilled }, tally, isOver) => {
  while (!isOver() && isKilled()) {
    await pause(chance.between(apart.least, apart.most));
    if (isOver() || !isKilled()) return;
    await alone(async () => {
      await node.kill();
      count(tally, 'kills');
      if (chance.next() < duringStart) {
        await node.startAndKillAfter(chance.between(200, 2_000));
        count(tally, 'kills');
      }
      await node.start();
    });
  }
};
