import { pino, type Logger } from 'pino';

/** Bytes of lines that wait for a reader; beyond them lines are dropped, so that a full pipe never fills the memory. */
const mostWaiting = 8 * 1024 * 1024;

/**
 * JSON lines on standard error: stdout carries the ready event alone. Written beside the work, not in front of it: a
 * terminal that was stopped, or a collector that hangs, must not hold up a claim. What waits is written at the exit.
 */
export function stderrLog(): Logger {
  const lines = pino.destination({ fd: 2, sync: false, maxLength: mostWaiting });
  waitForRoom(lines);
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, lines);
}

/**
 * Of a file on a disk that is full, to which standard error goes: its lines wait for room, and neither a claim nor the
 * exit waits for them (facts/faults.md 203).
 */
function waitForRoom(lines: ReturnType<typeof pino.destination>): void {
  const flush = lines.flushSync.bind(lines);
  let isFull = false;
  lines.on('error', () => {
    isFull = true;
  });
  lines.on('write', () => {
    isFull = false;
  });
  lines.flushSync = () => {
    if (!isFull) flush();
  };
}
