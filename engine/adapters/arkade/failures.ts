import { PortFailure } from '../../domain/errors.ts';
import type { Retry } from '../../domain/errors.ts';
import { wasNeverSent } from '../../domain/never-sent.ts';
import { cutWords, mostLooked } from '../../domain/words.ts';
import { arkadeFailure, failedOnArkade, type ArkadeFailure } from '../../legs/arkade/failures.ts';

/** A refusal that the operator spelled out, by its code (facts/arkade.md 23). */
export interface OperatorError extends Error {
  readonly code: number;
  readonly metadata?: Record<string, string> | undefined;
}

/** The operator's codes that this adapter acts on. */
export const operatorCode = {
  internal: 0,
  duplicate: 1,
  registered: 4,
  spent: 6,
  unrolled: 7,
  recoverable: 8,
  locked: 11,
  notFound: 19,
  badProof: 23,
  /** Confirmed too late: the round has gone on. */
  notConfirming: 25,
  banned: 29,
  unknownCoin: 30,
  fee: 31,
  /** Its settings, since the request was made by them. */
  changed: 49,
} as const;

/** By its shape: providers may be in another process, or another copy of the SDK. */
export function operatorError(error: unknown): OperatorError | null {
  return error instanceof Error &&
    !(error instanceof PortFailure) &&
    typeof (error as { code?: unknown }).code === 'number' &&
    !(error instanceof DOMException)
    ? (error as OperatorError)
    : null;
}

/** What the engine calls a refusal that it acts on. */
const codeOf: Readonly<Record<number, ArkadeFailure>> = {
  [operatorCode.internal]: 'operator-trouble',
  [operatorCode.unrolled]: 'unrolled',
  [operatorCode.banned]: 'banned',
  [operatorCode.fee]: 'fee-changed',
  [operatorCode.changed]: 'settings-changed',
};

const retryOf: Readonly<Record<number, Retry>> = {
  0: 'ask-first',
  1: 'ask-first',
  4: 'safe',
  6: 'ask-first',
  11: 'safe',
  19: 'ask-first',
  28: 'ask-first',
  29: 'safe',
  30: 'ask-first',
  31: 'safe',
  49: 'safe',
};

/** Whether a call only reads, or may have changed something when its answer is lost. */
export type CallKind = 'read' | 'write';

/**
 * The operator's own words, without what it repeats of ours: a PSBT in them may hold a preimage, which is also why the
 * error itself is not kept as the cause.
 */
export function errorText(error: OperatorError): string {
  const words = cutWords(error.message, mostLooked).replace(/\S{65,}/g, '…');
  return `${cutWords(error.name, 60)} (${error.code}): ${words.slice(0, 200)}`;
}

/** Turns whatever a provider threw into a failure that says what may be done next. */
export function portFailure(what: string, kind: CallKind, error: unknown): PortFailure {
  if (error instanceof PortFailure) return error;
  const answer = operatorError(error);
  if (answer)
    return arkadeFailure(
      codeOf[answer.code] ?? 'refused',
      retryOf[answer.code] ?? 'never',
      `the Arkade operator refused ${what}: ${errorText(answer)}`,
    );
  const text = error instanceof Error ? error.message : String(error);
  if (text.includes('not ready'))
    return arkadeFailure('operator-not-ready', 'safe', `the Arkade operator is not ready to ${what}`, error);
  if (error instanceof Error && error.name === 'ServerResponseMismatchError')
    return arkadeFailure(
      'operator-mismatch',
      'ask-first',
      `the Arkade operator answered ${what} with something else than it was asked`,
      error,
    );
  const retry = kind === 'read' || wasNeverSent(error) ? 'safe' : 'ask-first';
  return arkadeFailure('operator-away', retry, `the Arkade operator did not answer ${what}`, error);
}

/** Milliseconds that one request may take. */
const limits: Readonly<Record<CallKind, number>> = { read: 10_000, write: 20_000 };

/**
 * One request with a time limit of its own. An error that the operator spelled out passes through unchanged, for the
 * caller to act on; anything else becomes a `PortFailure`.
 */
export async function request<T>(
  what: string,
  kind: CallKind,
  work: () => Promise<T>,
  limit = limits[kind],
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          arkadeFailure(
            'operator-late',
            kind === 'read' ? 'safe' : 'ask-first',
            `the Arkade operator did not answer ${what} within ${limit / 1000} seconds`,
          ),
        ),
      limit,
    );
  });
  try {
    return await Promise.race([work(), late]);
  } catch (error) {
    if (operatorError(error) || isDigestMismatch(error)) throw error;
    throw portFailure(what, kind, error);
  } finally {
    clearTimeout(timer);
  }
}

/** The operator changed its settings; the provider has read them again by the time this is thrown. */
export function isDigestMismatch(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'DigestMismatchError' || operatorError(error)?.code === operatorCode.changed)
  );
}

/** An intent of ours that was made by settings which do not hold any more: nothing was registered. */
export function feeChanged(error: unknown): boolean {
  return failedOnArkade(error, 'fee-changed', 'operator-changed');
}
