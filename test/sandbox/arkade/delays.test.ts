import { expect, test } from 'vitest';
import { createOperator } from '../../../engine/sandbox/world/arkade/operator.ts';
import type { Journal } from '../../../engine/sandbox/world/journal.ts';
import { memoryJournal } from '../../support/memory-journal.ts';
import { testClock } from './support.ts';

function delays(journal: Journal): unknown {
  const operator = createOperator({ clock: testClock(), journal });
  const { unilateralExitDelay, boardingExitDelay, checkpointTapscript } = operator.info();
  operator.stop();
  return [unilateralExitDelay, boardingExitDelay, checkpointTapscript.slice(0, 12)];
}

test('an operator keeps the delays that it began with, since the scripts of its coins name them', () => {
  const fresh = memoryJournal();
  const older = memoryJournal();
  older.put('arkade.meta', 'seed', '11'.repeat(32));
  expect([delays(fresh), delays(fresh), delays(older), delays(older)]).toEqual([
    ['1536', '3072', '03030040b275'],
    ['1536', '3072', '03030040b275'],
    ['512', '1024', '03010040b275'],
    ['512', '1024', '03010040b275'],
  ]);
});
