import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The longest time for which `act` kept the event loop from turning, in milliseconds of this process's own processor
 * time: a machine that is busy with something else does not count.
 */
export async function longestTurn(act: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let over = false;
  const watch = (async () => {
    for (let before = process.cpuUsage(); !over;) {
      await nextTurn();
      const { user, system } = process.cpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
      before = process.cpuUsage();
    }
  })();
  await nextTurn();
  await act();
  over = true;
  await watch;
  return longest;
}
