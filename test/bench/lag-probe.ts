// Loaded into the node under test before its own code (`node --import`): how late its event loop turns. SIGUSR2 writes what
// was measured since the last one to the file that LAG_FILE names, as JSON in milliseconds.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { renameSync, writeFileSync } from 'node:fs';

const resolution = 1;
const file = process.env['LAG_FILE'] ?? '';
const delay = monitorEventLoopDelay({ resolution });
delay.enable();

// What it counts is the time between two turns of a timer, its own interval included.
const late = (nanoseconds: number): number => Math.max(0, Math.round(nanoseconds / 10_000) / 100 - resolution);

process.on('SIGUSR2', () => {
  writeFileSync(`${file}.new`, JSON.stringify({ p50: late(delay.percentile(50)), p99: late(delay.percentile(99)), worst: late(delay.max), samples: delay.count }));
  renameSync(`${file}.new`, file);
  delay.reset();
});
