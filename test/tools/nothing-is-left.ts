// Runs around each file of those that share a process: a node that one of them leaves behind goes on in the others, by
// the false clock of one it does the work of years.
import { afterAll } from 'vitest';
import { liveNodes } from '../support/live-nodes.ts';

/** Timers that a file may leave: of libraries, and of what ends by itself. */
const fewTimers = 5;
const patienceMs = 2_000;

const before = timers();

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

afterAll(async () => {
  const nodes = [...liveNodes];
  liveNodes.clear();
  if (nodes.length > 0) throw new Error(`${nodes.length} nodes were started here and not ended: ${nodes.join(', ')}`);
  const until = performance.now() + patienceMs;
  while (timers() > before + fewTimers && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const more = timers() - before;
  if (more > fewTimers) throw new Error(`${more} timers were started here and not ended: end what started them`);
});
