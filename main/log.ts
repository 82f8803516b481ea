import { pino, type Logger } from 'pino';

/** JSON lines on standard error, written before the next step: stdout carries the ready event alone. */
export function stderrLog(): Logger {
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ fd: 2, sync: true }));
}
