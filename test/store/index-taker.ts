// A process of its own, for a limit of the length of its files: takes indices until nothing more can be written, and
// says which it was given, and how many are on the disk.
import { openDatabase } from '../../engine/store/open.ts';
import { countersTable } from '../../engine/store/counters.ts';

const db = openDatabase(process.argv[2] ?? '');
const counters = countersTable(db);
const fill = db.prepare('INSERT INTO counters (name, next) VALUES (hex(randomblob(?)), 0)');
const given: number[] = [];

/** Null where there is no room. */
function unlessFull<T>(act: () => T): T | null {
  try {
    return act();
  } catch (cause) {
    if (!/^SQLITE_(FULL|IOERR)/.test(String((cause as { code?: unknown }).code))) throw cause;
    return null;
  }
}

while (unlessFull(() => fill.run(40_000)) !== null);
for (let times = 0; times < 60; times++) {
  const index = unlessFull(() => counters.take('bitcoin-deposit'));
  if (index !== null) given.push(index);
}
console.log(JSON.stringify({ given, onDisk: counters.peek('bitcoin-deposit') }));
