import { PortFailure, type ConnectionFailure, type Retry } from '../../domain/errors.ts';

/** With what the Lightning port rejects. */
export type LightningFailure =
  | ConnectionFailure
  | 'hold-absent'
  | 'hold-cancelled'
  | 'hold-gone'
  | 'hold-late'
  | 'hold-open'
  | 'hold-refused'
  | 'hold-settled'
  | 'hold-taken'
  | 'invoice-malformed'
  | 'invoice-mismatch'
  | 'lightning-away'
  | 'lightning-behind'
  | 'lightning-certificate'
  | 'lightning-error'
  | 'lightning-starting'
  | 'lightning-timeout'
  | 'lightning-unauthorized'
  | 'lightning-unclear'
  | 'payment-refused'
  | 'payment-too-late';

export function lightningFailure(code: LightningFailure, retry: Retry, message: string, cause?: unknown): PortFailure {
  return new PortFailure(code, retry, message, cause);
}

/** Whether it failed with one of these codes. */
export function failedOnLightning<C extends LightningFailure>(
  cause: unknown,
  ...codes: readonly C[]
): cause is PortFailure & { readonly code: C } {
  return cause instanceof PortFailure && codes.some((code) => code === cause.code);
}
