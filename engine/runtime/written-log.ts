import type { Unix } from '../domain/time.ts';
import { cutWords, mostLooked } from '../domain/words.ts';
import type { Log } from './log.ts';
import { createRedact, mostRedacted, redactFact, type Redact } from './redact.ts';
import { createRepetitions, withoutNumbers } from './repetitions.ts';

const logLevels = ['info', 'warn', 'error'] as const;
type LogLevel = (typeof logLevels)[number];

export interface LogRules {
  /** Lines below it are not written. */
  readonly level: LogLevel;
  /** Whether hosts, addresses, keys and paths are replaced by marks. */
  readonly redact: boolean;
}

/**
 * What leaves this process as lines: a log is copied to collectors and into reports, so that what says whose money it
 * is stays here. The owner's page has the last lines as they were.
 */
export function createWrittenLog(
  log: Log,
  { rules, redact = createRedact() }: { rules: () => LogRules; redact?: Redact },
): Log {
  function write(level: LogLevel, facts: object, text: string): void {
    const { level: least, redact: isRedacted } = rules();
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
    if (isRedacted) log[level](redactedFacts(facts, redact), redact(text));
    else log[level](facts, text);
  }
  return each(write);
}

/**
 * Warnings, errors and whatever else names a cause are counted as alerts are when they come again and again; other
 * lines say what happened, and each stands for itself.
 */
export function createCountedLog(log: Log, wall: () => Unix): Log {
  const repetitions = createRepetitions(wall);
  return each((level, facts, text) => {
    if (level === 'info' && !('cause' in facts)) return log.info(facts, text);
    const { count, tell } = repetitions.count(keyOf(level, facts, text));
    if (tell) log[level](count === 1 ? facts : { ...facts, count }, text);
  });
}

function each(write: (level: LogLevel, facts: object, text: string) => void): Log {
  return {
    info: (facts, text) => write('info', short(facts), cutWords(text, mostLooked)),
    warn: (facts, text) => write('warn', short(facts), cutWords(text, mostLooked)),
    error: (facts, text) => write('error', short(facts), cutWords(text, mostLooked)),
  };
}

/** With every text in it cut: a line holds what others said, and patterns look at each. */
function short<T>(value: T): T;
function short(value: unknown): unknown {
  if (typeof value === 'string') return cutWords(value, mostLooked);
  if (value instanceof Error) return shortError(value);
  if (Array.isArray(value)) return value.map((one: unknown) => short(one));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]: [string, unknown]) => [name, short(one)]));
}

/** A stack begins with the message, and has its places after it. */
function shortError(error: Error): Error {
  const { name, message, stack = '' } = error;
  if (message.length <= mostLooked && stack.length <= mostRedacted) return error;
  return Object.assign(new Error(cutWords(message, mostLooked)), { name, stack: cutWords(stack, mostRedacted) });
}

/** Ids are told apart by their digits; elsewhere a number that moves makes no other line. */
const ids: ReadonlySet<string> = new Set(['swap', 'job', 'subject', 'coin', 'network']);

function keyOf(level: LogLevel, facts: object, text: string): string {
  const named = Object.entries(facts).map(([name, value]) => {
    const words = value instanceof Error ? value.message : typeof value === 'object' ? '' : String(value);
    return `${name} ${ids.has(name) ? words : withoutNumbers(words)}`;
  });
  return [level, withoutNumbers(text), ...named].join('\n');
}

function redactedFacts(facts: object, redact: Redact): object {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? redactFact(name, value, redact) : redacted(value, redact),
    ]),
  );
}

function redacted(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (value instanceof Error)
    return { type: value.name, message: redact(value.message), stack: redact(withoutRoot(value.stack ?? '')) };
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return '(bytes)';
  if (Array.isArray(value)) return value.map((one: unknown) => redacted(one, redact));
  return redactedFacts(value, redact);
}

/** Places of a stack below the program's own folder: where that lies is nobody's business, and else it is a path. */
function withoutRoot(stack: string): string {
  return stack.replaceAll(/(?:file:\/\/)?\/[^\s()]*?\/(?=(?:engine|main|node_modules|chunks)\/)/g, '');
}
