/**
 * Confirmations after which a transaction counts as there for good. A reorganisation that deep has not been seen on
 * Bitcoin for a decade; believed sooner, a refund that vanishes again would give both legs away (facts/faults.md 14).
 */
export const burialDepth = 6;

/** Whether a transaction mined at `height` is that deep at this tip; an unread tip buries nothing. */
export function buried(height: number | null, tip: number | null): boolean {
  return height !== null && tip !== null && tip - height + 1 >= burialDepth;
}
