/** Errors of a connection that was never made: the request cannot have arrived. */
const codes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
/** What fails so under a connection that stood may have carried the request before (facts/faults.md 163). */
const underway = new Set(['read', 'write']);

interface SystemError {
  readonly code?: unknown;
  readonly syscall?: unknown;
}

/** Whether a request is known to have left for nobody, by what its transport threw. */
export function wasNeverSent(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, syscall } = at as SystemError;
    if (codes.has(String(code))) return !underway.has(String(syscall));
    if (at instanceof AggregateError && at.errors.length > 0 && at.errors.every(wasNeverSent)) return true;
  }
  return false;
}
