import { PortFailure } from '../../domain/errors.ts';

/** Null where the chain gives no answer: then it is not known, and nothing ends by it. */
export async function ifKnown<T>(ask: () => Promise<T | null>): Promise<T | null> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof PortFailure) return null;
    throw cause;
  }
}
