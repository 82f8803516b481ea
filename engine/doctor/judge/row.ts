import type { Doctor } from '../../contract/owner/doctor.ts';
import { cutWords, mostLooked } from '../../domain/words.ts';
import type { Unanswered } from '../../adapters/probe/answer.ts';

export type Row = Doctor['rows'][number];

/** Rows of one part: a network, or `node` for what lies on this machine. */
export interface Rows {
  pass(check: string, sentence: string): void;
  warn(check: string, sentence: string): void;
  fail(check: string, sentence: string): void;
  readonly list: readonly Row[];
}

export function rowsOf(network: string): Rows {
  const list: Row[] = [];
  const add = (result: Row['result']) => (check: string, sentence: string) =>
    void list.push({ network, check, result, sentence: oneLine(sentence).replace(/^the /, 'The ') });
  return { pass: add('pass'), warn: add('warn'), fail: add('fail'), list };
}

/** Words of OpenSSL end in a line break, and a server may say anything. */
function oneLine(sentence: string): string {
  return cutWords(sentence, mostLooked)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** An endpoint as sentences name it. */
export interface Endpoint {
  /** `the Bitcoin node at 127.0.0.1:8332`. */
  readonly name: string;
  /** The setting that holds its address. */
  readonly setting: string;
  /** The settings that hold its credentials and its certificate, where it has them. */
  readonly credentials?: string;
  readonly certificate?: string;
}

/** The one sentence for an endpoint that gave no answer to judge: what happened, and what to do about it. */
export function unansweredSentence(
  { name, setting, credentials, certificate }: Endpoint,
  { why, words }: Pick<Unanswered, 'why' | 'words'>,
): string {
  switch (why) {
    case 'refused':
      return `${name} does not answer, nothing listens there: start it, or correct ${setting}.`;
    case 'proxy':
      return `${name} was not reached (${words}): look at the proxy first, then at ${setting}.`;
    case 'unknown-host':
      return (
        `${name} cannot be found, no name service knows that host: correct ${setting}, or look at this machine's ` +
        'connection.'
      );
    case 'late':
      return (
        `${name} gave no answer in time (${words}): look whether it is overloaded, whether its own networks answer ` +
        'it, or whether a firewall blocks the connection.'
      );
    case 'certificate':
      return (
        `${name} shows another TLS certificate than the one it should (${words}): ` +
        `${certificate === undefined ? `correct ${setting}, or renew its certificate` : `copy its present certificate to the file of ${certificate}`}.`
      );
    case 'plain':
      return `${name} answers in plain HTTP where TLS is expected: write http:// in ${setting}, or let it serve TLS.`;
    case 'credentials':
      return (
        `${name} refuses our credentials (${words}): ` +
        `${credentials === undefined ? `it needs none of ours, so correct ${setting}` : `put the right ones into the file of ${credentials}`}.`
      );
    case 'forbidden':
      return (
        `${name} does not let this machine or this user call it (${words}): look at its rpcallowip and its ` +
        'rpcwhitelist.'
      );
    case 'busy':
      return (
        `${name} has more calls waiting than it takes (${words}): raise its rpcworkqueue, or have other programs ` +
        'ask it less.'
      );
    case 'starting':
      return `${name} is still starting (${words}): wait until it is ready, or unlock its wallet.`;
    case 'not-it':
    case 'too-long':
      return `${name} does not answer as it should (${words}): correct ${setting}, or update it.`;
    case 'not-asked':
    case 'other':
      return `${name} could not be asked (${words}): correct ${setting}, or look at its log.`;
  }
}

/** An endpoint that could not be asked is no fault of its own: what was missing has its own row. */
export function judgeUnanswered(rows: Rows, endpoint: Endpoint, answer: Pick<Unanswered, 'why' | 'words'>): void {
  if (answer.why === 'not-asked') rows.warn('connection', `${endpoint.name} was not asked: ${answer.words}.`);
  else rows.fail('connection', unansweredSentence(endpoint, answer));
}

/** An answer that takes longer than this, in milliseconds, is felt in every swap. */
const slowMs = 1_000;

export function judgeLatency(rows: Rows, name: string, latencyMs: number): void {
  const ms = Math.round(latencyMs);
  if (latencyMs > slowMs)
    rows.warn(
      'latency',
      `${name} took ${ms} ms to answer, up to ${slowMs} ms are good: every swap waits that long several times, so ` +
        'bring it nearer or look at its load.',
    );
  else rows.pass('latency', `${name} answered within ${ms} ms.`);
}

/** Seconds that two clocks may differ: a Date header has whole seconds, and a machine without time service drifts. */
const skew = { warn: 10, fail: 120 } as const;

/** Null clocks say nothing: not every endpoint tells its time. */
export function judgeClock(rows: Rows, name: string, theirs: number | null, ours: number): void {
  if (theirs === null) return;
  const apart = Math.abs(theirs - ours);
  const sentence =
    `${name} is ${apart} s ${theirs > ours ? 'ahead of' : 'behind'} this machine's clock: set both by a time ` +
    'service, deadlines are judged by them.';
  if (apart > skew.fail) rows.fail('clock', sentence);
  else if (apart > skew.warn) rows.warn('clock', sentence);
  else rows.pass('clock', `${name} and this machine agree on the time.`);
}
