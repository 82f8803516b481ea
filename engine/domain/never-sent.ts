/** Errors of a connection that was never made: the request cannot have arrived. */
const codes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Whether a request is known to have left for nobody, by what its transport threw. */
export function wasNeverSent(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (codes.has(String((at as { code?: unknown }).code))) return true;
    if (at instanceof AggregateError && at.errors.length > 0 && at.errors.every(wasNeverSent)) return true;
  }
  return false;
}
