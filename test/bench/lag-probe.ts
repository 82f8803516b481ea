// Loaded into the node under test before its own code (`node --import`): how late its event loop turns, and how much
// processor time the node itself used between two turns, which is what lateness would be on a machine with nothing else
// to do. SIGUSR2 writes what was measured since the last one to the file that LAG_FILE names, as JSON in milliseconds.
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { renameSync, writeFileSync } from 'node:fs';

const resolution = 1;
const file = process.env['LAG_FILE'] ?? '';
const delay = monitorEventLoopDelay({ resolution });
delay.enable();

const used = createHistogram();
let before = process.cpuUsage();
setInterval(() => {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  used.record(Math.max(1, user + system));
}, resolution).unref();

// What it counts is the time between two turns of a timer, its own interval included.
const late = (nanoseconds: number): number => Math.max(0, Math.round(nanoseconds / 10_000) / 100 - resolution);

process.on('SIGUSR2', () => {
  writeFileSync(
    `${file}.new`,
    JSON.stringify({
      p50: late(delay.percentile(50)),
      p99: late(delay.percentile(99)),
      worst: late(delay.max),
      samples: delay.count,
      own: { p99: used.percentile(99) / 1_000, worst: used.max / 1_000 },
    }),
  );
  renameSync(`${file}.new`, file);
  delay.reset();
  used.reset();
});
