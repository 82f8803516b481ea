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

/** The provider's word where it may be repeated to people; for any other, what we see ourselves. */
export function repeated(word: SwapStatus, believable: ReadonlySet<SwapStatus>, otherwise: SwapStatus): SwapStatus {
  return believable.has(word) ? word : otherwise;
}
