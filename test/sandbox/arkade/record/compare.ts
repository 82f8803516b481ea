/** What a server answered, as the recordings keep it. A stream's body is the list of its blocks. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | null;
  readonly headersAfterMs?: number | null;
  readonly endedByServer?: boolean;
  readonly body: unknown;
}

export interface Exchange {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  readonly response: Answer;
}

export interface Block {
  readonly afterMs: number;
  readonly id?: string;
  readonly event?: string;
  readonly data: unknown;
}

/** Where an answer differs from the recorded one: status, content type, names, types, unset values, words of errors. */
export function differences(recorded: Answer, answered: Answer): string[] {
  const sentences: string[] = [];
  const compare = (what: string, then: unknown, now: unknown): void =>
    void (then === now || sentences.push(`${what}: recorded ${String(then)}, answered ${String(now)}`));
  compare('status', recorded.status, answered.status);
  compare('content type', recorded.headers?.['content-type'], answered.headers?.['content-type']);
  if (recorded.headersAfterMs === undefined)
    return [...sentences, ...bodyDifferences('body', recorded.body, answered.body)];
  compare('ended by the server', recorded.endedByServer, answered.endedByServer);
  const [then, now] = [blocksOf(recorded), blocksOf(answered)];
  compare('events', then.map(nameOf).join(' '), now.map(nameOf).join(' '));
  if (sentences.length > 0) return sentences;
  compare('headers', headersCome(recorded), headersCome(answered));
  const bodies = then.flatMap((block, i) => bodyDifferences(`event ${i} ${nameOf(block)}`, block.data, now[i]?.data));
  return [...sentences, ...bodies];
}

/** Headers and first bytes, a heartbeat's too, are one packet; or the headers came first. */
const together = 250;

function headersCome(answer: Answer): string {
  const { headersAfterMs } = answer;
  const [first] = answer.body as Block[];
  if (headersAfterMs === null || headersAfterMs === undefined) return 'never';
  return first === undefined || first.afterMs - headersAfterMs > together
    ? 'before the first event'
    : 'with the first event';
}

/** Heartbeats tell of quiet, which comes and goes; one at the end says that nothing more came. */
function blocksOf({ body }: Answer): Block[] {
  const blocks = body as Block[];
  return blocks.filter(
    (block, i) => nameOf(block) !== 'heartbeat' || i === blocks.length - 1 || blocks[i + 1]?.event === 'EOS',
  );
}

export function nameOf({ event, data }: Block): string {
  return event ?? Object.keys(data as object)[0] ?? '';
}

function bodyDifferences(what: string, recorded: unknown, answered: unknown): string[] {
  const [then, now] = [typesIn(recorded), typesIn(answered)];
  const paths = [...new Set([...then.keys(), ...now.keys()])].sort();
  return paths.flatMap((path) => {
    const [a, b] = [then, now].map((types) => [...(types.get(path) ?? ['absent'])].sort().join(' or '));
    return a === b ? [] : [`${what}${path}: recorded ${a}, answered ${b}`];
  });
}

/** By path what stands there; the elements of a list and the values under ids fall together. */
function typesIn(value: unknown): Map<string, Set<string>> {
  const types = new Map<string, Set<string>>();
  function visit(path: string, name: string, each: unknown): void {
    const inside = typeof each === 'object' && each !== null ? Object.entries(each) : null;
    if (inside === null || inside.length === 0) types.set(path, (types.get(path) ?? new Set()).add(typeOf(name, each)));
    else
      for (const [key, part] of inside) visit(`${path}.${Array.isArray(each) || isValue(key) ? '*' : key}`, key, part);
  }
  visit('', '', value);
  return types;
}

function isValue(key: string): boolean {
  return /^\d+$/.test(key) || /^[0-9a-f]{64,}(:\d+)?$/.test(key);
}

/** These carry words that clients read. */
const spoken = new Set(['code', 'name', 'message', '@type', 'type', 'reason', 'crimeType', 'network']);

function typeOf(name: string, value: unknown): string {
  if (spoken.has(name)) return typeof value === 'string' ? wordsOf(value) : String(value);
  if (Array.isArray(value)) return '[]';
  if (typeof value !== 'string') return value === null ? 'null' : typeof value === 'object' ? '{}' : typeof value;
  if (value === '') return '""';
  if (/^\d+$/.test(value)) return 'decimal';
  if (/^\d(\.\d+)?e\+\d\d$/.test(value)) return 'float';
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value)) return 'uuid';
  if (/^([0-9a-f]{2}){4,}$/.test(value)) return 'hex';
  return value.startsWith('cHNidP') ? 'psbt' : 'text';
}

/** A text without its values; the number of an error is none. */
function wordsOf(text: string): string {
  return text
    .replace(/cHNidP[A-Za-z0-9+/=]+/g, 'PSBT')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID')
    .replace(/[0-9a-f]{16,}/g, 'HEX')
    .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'DATE')
    .replace(/(\(\d+\):)|-?\d+(\.\d+)?/g, (_, code: string | undefined) => code ?? 'N');
}
