import { cutWords } from '../../domain/words.ts';

/** Why an endpoint gave no answer that says anything about it. */
export type Why =
  /** Nothing listens there. */
  | 'refused'
  | 'unknown-host'
  /** No answer within the time limit. */
  | 'late'
  /** TLS: the certificate is another one, expired, or made for another name. */
  | 'certificate'
  /** It speaks plain HTTP where TLS was begun. */
  | 'plain'
  /** It knows neither this password nor this macaroon. */
  | 'credentials'
  /** It lets nobody of this machine or this name ask. */
  | 'forbidden'
  /** It has more questions waiting than it takes. */
  | 'busy'
  /** It answers, and says that it is still starting. */
  | 'starting'
  /** It answers, but not as what it was configured as. */
  | 'not-it'
  /** It answers with more bytes than are read of one answer. */
  | 'too-long'
  /** The proxy between did not reach it. */
  | 'proxy'
  /** Nothing was sent: its credentials cannot be read. */
  | 'not-asked'
  | 'other';

export interface Unanswered {
  readonly is: 'unanswered';
  readonly why: Why;
  /** Its own words or the system's, without anything secret. */
  readonly words: string;
}

/** What a probe brings home. */
export type Answer<F> = { readonly is: 'answered'; readonly facts: F } | Unanswered;

/** Thrown inside a probe for what is found before there are facts. */
export class NoAnswer extends Error {
  readonly why: Why;

  constructor(why: Why, words: string) {
    super(cutWords(words));
    this.why = why;
  }
}

export function isTooLong(cause: unknown): boolean {
  return cause instanceof NoAnswer && cause.why === 'too-long';
}

const refused: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']);
const unknownHost: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN']);
const certificate = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|EPROTO|ERR_SSL|ERR_OSSL/;
/** What OpenSSL says of an answer whose first bytes are no record of TLS. */
const withoutTls = /wrong version number|packet length too long|unknown protocol|http request/i;

/** Runs a probe, bounded in time, and turns whatever it throws into an answer. */
export async function probed<F>(limitMs: number, work: (signal: AbortSignal) => Promise<F>): Promise<Answer<F>> {
  const abort = new AbortController();
  const late = () => new NoAnswer('late', `nothing came within ${limitMs / 1_000} s`);
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      abort.abort();
      reject(late());
    }, limitMs);
  });
  try {
    return { is: 'answered', facts: await Promise.race([work(abort.signal), over]) };
  } catch (error) {
    return unanswered(abort.signal.aborted ? late() : error);
  } finally {
    clearTimeout(timer);
  }
}

function unanswered(error: unknown): Unanswered {
  if (error instanceof NoAnswer) return { is: 'unanswered', why: error.why, words: error.message };
  const { code, words } = innermost(error);
  const why: Why = words.startsWith('the SOCKS proxy')
    ? 'proxy'
    : withoutTls.test(words)
      ? 'plain'
      : refused.has(code)
        ? 'refused'
        : unknownHost.has(code)
          ? 'unknown-host'
          : certificate.test(code)
            ? 'certificate'
            : 'other';
  return { is: 'unanswered', why, words };
}

/** The first system code on the way down: errors of a connection are wrapped once or twice. */
function innermost(error: unknown): { code: string; words: string } {
  for (let at = error; at instanceof Error; at = at instanceof AggregateError ? at.errors[0] : at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string') return { code, words: at.message === '' ? code : cutWords(at.message) };
  }
  return { code: '', words: cutWords(error instanceof Error ? error.message : String(error)) };
}
