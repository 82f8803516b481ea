import type { Log } from './log.ts';
import { createRedact, redactFact, type Redact } from './redact.ts';

type Fact = string | number | boolean | null;

/** A line of the log as the owner reads it. */
interface RememberedLine {
  readonly number: number;
  /** Unix seconds on this machine's clock. */
  readonly time: number;
  readonly level: Level;
  readonly text: string;
  readonly swap: string | null;
  readonly facts: Readonly<Record<string, Fact>>;
}

type Level = 'info' | 'warn' | 'error';

export interface LinesQuery {
  readonly swap: string | null;
  readonly level: Level;
  readonly text: string | null;
  readonly redacted: boolean;
  readonly before: number | null;
  readonly limit: number;
}

export interface LogLines {
  /** Writes to the log given and remembers the line. */
  readonly log: Log;
  /** Newest first. */
  page(query: LinesQuery): { lines: RememberedLine[]; next: number | null; dropped: number };
}

/** Some hours of a busy node; with the longest texts 5 MB. */
const mostLines = 2_000;
const longestText = 600;
const mostFacts = 12;

const grave: Readonly<Record<Level, number>> = { info: 0, warn: 1, error: 2 };

/** No line says these; should one ever, it is not remembered. */
const secretNames =
  /^(preimage|secret|seed|entropy|mnemonic|macaroon|pass(word|phrase)|authorization|(private|developer|sealing)_?key)$/i;

/** The last lines of the log, for the owner's page; those of before the start are on standard error alone. */
export function createLogLines(
  log: Log,
  { most = mostLines, wall, redact = createRedact() }: { most?: number; wall: () => number; redact?: Redact },
): LogLines {
  const ring: RememberedLine[] = [];
  let written = 0;

  function remember(level: Level, facts: object, text: string): void {
    const plain = plainFacts(facts);
    const swap = plain['swap'] ?? plain['job'] ?? null;
    ring[written % most] = {
      number: written,
      time: wall(),
      level,
      text: cut(text),
      swap: typeof swap === 'string' ? swap : null,
      facts: plain,
    };
    written += 1;
  }

  const at = (number: number): RememberedLine | undefined => ring[number % most];

  return {
    log: {
      info(facts, text) {
        log.info(facts, text);
        remember('info', facts, text);
      },
      warn(facts, text) {
        log.warn(facts, text);
        remember('warn', facts, text);
      },
      error(facts, text) {
        log.error(facts, text);
        remember('error', facts, text);
      },
    },
    page(query) {
      const oldest = Math.max(0, written - most);
      const wanted = query.text?.toLowerCase() ?? null;
      const lines: RememberedLine[] = [];
      let number = Math.min(written, query.before ?? written) - 1;
      for (; number >= oldest && lines.length < query.limit; number--) {
        const line = at(number);
        if (line === undefined || grave[line.level] < grave[query.level]) continue;
        if (query.swap !== null && line.swap !== query.swap) continue;
        if (wanted !== null && !searched(line).includes(wanted)) continue;
        lines.push(query.redacted ? redacted(line, redact) : line);
      }
      return { lines, next: number >= oldest ? number + 1 : null, dropped: oldest };
    },
  };
}

function searched({ text, swap, facts }: RememberedLine): string {
  return [text, swap ?? '', ...Object.values(facts).map(String)].join('\n').toLowerCase();
}

function redacted(line: RememberedLine, redact: Redact): RememberedLine {
  const facts = Object.entries(line.facts).map(([name, value]): [string, Fact] => [
    name,
    typeof value === 'string' ? redactFact(name, value, redact) : value,
  ]);
  return {
    ...line,
    text: redact(line.text),
    swap: line.swap === null ? null : redact(line.swap),
    facts: Object.fromEntries(facts),
  };
}

/** What is remembered holds on to nothing: an error keeps its request alive, and with it whatever was in that. */
function plainFacts(facts: object): Readonly<Record<string, Fact>> {
  return Object.fromEntries(
    Object.entries(facts)
      .slice(0, mostFacts)
      .filter(([name, value]) => value !== undefined && !secretNames.test(name))
      .map(([name, value]) => [name, plain(value)]),
  );
}

function plain(value: unknown): Fact {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string') return cut(value);
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return cut(`${value.name}: ${value.message}${placesOf(value)}`);
  try {
    return cut(JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part)) ?? '');
  } catch {
    return '(cannot be shown)';
  }
}

/** The first places of its stack, each below the program's own folder. */
function placesOf({ stack }: Error): string {
  const places = [...(stack ?? '').matchAll(/((?:engine|main|node_modules|chunks)\/[^\s):]+:\d+)/g)].map(
    ([, place]) => place,
  );
  return places.length === 0 ? '' : ` (${places.slice(0, 4).join(', ')})`;
}

function cut(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText - 3)}...` : text;
}
