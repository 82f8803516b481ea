import { PortFailure, refuse, type Refusal } from '../../../domain/errors.ts';
import { NotYet } from '../../not-yet.ts';

/** In milliseconds. Whoever is not answered takes the coin by its script, and loses a few sats of fees by it. */
const patienceMs = 10_000;

/** What a provider answers in time: silence, and whatever else is no answer, is a refusal here. */
export async function answerInTime<T>(ask: (signal: AbortSignal) => Promise<T | Refusal>): Promise<T | Refusal> {
  const signal = AbortSignal.timeout(patienceMs);
  try {
    return await Promise.race([ask(signal), silence(signal)]);
  } catch (cause) {
    return refuse('unavailable', sentenceOf(cause));
  }
}

function silence(signal: AbortSignal): Promise<Refusal> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(refuse('unavailable', 'The provider did not answer in time.')));
  });
}

/** For a person. What is no failure of a network is a bug, and is no reason either to wait. */
export function sentenceOf(cause: unknown): string {
  return cause instanceof PortFailure || cause instanceof NotYet ? cause.message : String(cause);
}
