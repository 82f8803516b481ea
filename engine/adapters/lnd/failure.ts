import { PortFailure, type Retry } from '../../domain/errors.ts';
import { cutWords, mostLooked } from '../../domain/words.ts';
import { lightningFailure } from '../../legs/lightning/failures.ts';

/** What went wrong in one call, whatever shape ln-service or gRPC gave it. */
export interface LndError {
  /** gRPC status code; null when ln-service refused before it asked lnd. */
  readonly grpc: number | null;
  /** ln-service's name of the error, empty for a plain gRPC error. */
  readonly name: string;
  /** lnd's own words. */
  readonly details: string;
}

/**
 * Codes by which gRPC itself, and not lnd, says that the call ended: cancelled, deadline, exhausted, aborted, internal,
 * unavailable.
 */
const transport: ReadonlySet<number> = new Set([1, 4, 8, 10, 13, 14]);
/** gRPC's own clock, which is set to the same limit as ours and may be first. */
const deadlineExceeded = 4;

/** lnd answered without looking at the request: nothing happened, and it heals by itself or by the owner. */
const notServing = /starting up|wallet locked|wallet not created|not yet ready/i;
const notAllowed = /permission denied|macaroon|verification failed/i;
/** lnd, or what stands before it, ends a call halfway or without a look at it: not what it says of the request. */
const passing = new RegExp(
  'shutting down|shutdown|exiting|stopp(ed|ing)|starting|waiting to start|not available|unavailable|try again|' +
    'context|cancell?ed|deadline|timed? ?out|database|not (open|started|active|ready|synced)|syncing|closed|locked|connection|EOF|broken pipe|' +
    'Received HTTP|transport|middleware|rpc error|internal',
  'i',
);
/** Codes of lnd's own errors: unknown, which a plain error of Go becomes, invalid argument, failed precondition. */
const judged: ReadonlySet<number> = new Set([2, 3, 9]);

/** TLS ended before lnd was asked anything. */
const otherCertificate = /certificate|altnames/i;

export function readError(error: unknown): LndError {
  if (Array.isArray(error)) {
    const [, name, extra] = error as [
      unknown,
      unknown,
      { err?: { code?: unknown; details?: unknown; message?: unknown } } | undefined,
    ];
    return {
      grpc: codeOf(extra?.err?.code),
      name: cutWords(String(name)),
      details: words(extra?.err?.details ?? extra?.err?.message ?? ''),
    };
  }
  if (typeof error === 'object' && error !== null) {
    const plain = error as { code?: unknown; details?: unknown; message?: unknown };
    return { grpc: codeOf(plain.code), name: '', details: words(plain.details ?? plain.message ?? '') };
  }
  return { grpc: null, name: '', details: cutWords(String(error)) };
}

/** What gRPC wraps around the reason why there is no connection says nothing to anybody. */
function words(details: unknown): string {
  return cutWords(
    cutWords(String(details), mostLooked).replace(
      /^No connection established\. Last error: (?:Error: )?(.*?)\.? Resolution note: .*$/,
      '$1',
    ),
  );
}

function codeOf(code: unknown): number | null {
  return typeof code === 'number' ? code : null;
}

export function isTransport(error: LndError): boolean {
  return error.grpc !== null && transport.has(error.grpc);
}

/** Whether lnd itself ended the call for what was in the request, in whatever words. */
export function isVerdict({ grpc, details }: LndError): boolean {
  if (grpc === null || !judged.has(grpc) || details === '') return false;
  return ![notServing, notAllowed, passing].some((other) => other.test(details));
}

/**
 * The failure of a call that lnd did not clearly refuse. `unsure` is what a caller may do when nobody knows how far the
 * call came: `safe` for reading, `ask-first` for anything that can move money.
 */
export function failureOf(what: string, error: unknown, unsure: Retry): PortFailure {
  if (error instanceof PortFailure) return error;
  const read = readError(error);
  // The cause is left out on purpose: gRPC errors carry the metadata of the call, and with it the macaroon.
  if (notServing.test(read.details))
    return lightningFailure('lightning-starting', 'safe', `The Lightning node cannot ${what} yet: ${read.details}.`);
  if (notAllowed.test(read.details)) {
    return lightningFailure(
      'lightning-unauthorized',
      'safe',
      `The Lightning node does not let this macaroon ${what} (${read.details}). The doctor lists the rights that ` +
        'it needs and how to bake it.',
    );
  }
  if (isTransport(read) && otherCertificate.test(read.details)) {
    return lightningFailure(
      'lightning-certificate',
      unsure,
      `The Lightning node shows another TLS certificate than the one it is to have (${read.details}). Connect it ` +
        'with its own tls.cert.',
    );
  }
  const words = read.details === '' ? read.name : read.details;
  if (read.grpc === deadlineExceeded)
    return lightningFailure(
      'lightning-timeout',
      unsure,
      `The Lightning node did not answer in time when asked to ${what}.`,
    );
  if (isTransport(read))
    return lightningFailure(
      'lightning-away',
      unsure,
      `The Lightning node gave no answer when asked to ${what}: ${words}.`,
    );
  return lightningFailure('lightning-error', unsure, `The Lightning node could not ${what}: ${words}.`);
}

export function timedOut(what: string, milliseconds: number, unsure: Retry): PortFailure {
  return lightningFailure(
    'lightning-timeout',
    unsure,
    `The Lightning node did not answer within ${milliseconds / 1_000} s when asked to ${what}.`,
  );
}
