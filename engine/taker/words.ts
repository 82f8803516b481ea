import type { SwapStatus } from '../domain/status.ts';

/** What a provider may say while what we paid lies there; anything else is not repeated to people. */
export const whilePaid: ReadonlySet<SwapStatus> = new Set([
  'clientfundingseen',
  'clientfunded',
  'serverfunded',
  'clientinvalidfunded',
  'clientfundedtoolate',
  'serverwontfund',
]);

/** The same where the provider locks something of its own, which it may take back. */
export const whileLocked: ReadonlySet<SwapStatus> = new Set([...whilePaid, 'clientfundedserverrefunded']);

const givesNothing = [
  'expired',
  'clientinvalidfunded',
  'clientfundedtoolate',
  'serverwontfund',
  'clientrefunded',
  'clientfundedserverrefunded',
] as const satisfies readonly SwapStatus[];

/** In these the provider gives nothing any more, or has done so, and owes us its signature on whatever is left. */
export const payerIsOut: ReadonlySet<SwapStatus> = new Set([...givesNothing, 'serverredeemed']);

/** In these the provider locks nothing any more, or has taken it back: our coin comes back at its locktime. */
export const providerIsOut: ReadonlySet<SwapStatus> = new Set([...givesNothing, 'clientrefundedserverrefunded']);

/** The provider's word where it may be repeated to people; for any other, what we see ourselves. */
export function repeated(word: SwapStatus, believable: ReadonlySet<SwapStatus>, otherwise: SwapStatus): SwapStatus {
  return believable.has(word) ? word : otherwise;
}
