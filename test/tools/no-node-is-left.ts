// Runs around each file of those that share a process: a node that one of them leaves behind goes on in the others, by
// the false clock of one it does the work of years.
import { afterAll } from 'vitest';
import { liveNodes } from '../support/live-nodes.ts';

afterAll(() => {
  const left = [...liveNodes];
  liveNodes.clear();
  if (left.length > 0) throw new Error(`${left.length} nodes were started here and not ended: ${left.join(', ')}`);
});
