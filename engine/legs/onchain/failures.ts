import { PortFailure, type ConnectionFailure, type Retry } from '../../domain/errors.ts';

/** With what the Bitcoin chain and the wallet on it reject. */
export type OnchainFailure =
  | ConnectionFailure
  | 'bitcoin-away'
  | 'bitcoin-behind'
  | 'bitcoin-no-index'
  | 'bitcoin-pruned'
  | 'bitcoin-unauthorized'
  | 'bitcoin-unbelieved'
  | 'dust'
  | 'no-coins'
  | 'no-room'
  | 'too-dear';

export function onchainFailure(code: OnchainFailure, retry: Retry, message: string, cause?: unknown): PortFailure {
  return new PortFailure(code, retry, message, cause);
}

/** Whether it failed with one of these codes. */
export function failedOnchain<C extends OnchainFailure>(
  cause: unknown,
  ...codes: readonly C[]
): cause is PortFailure & { readonly code: C } {
  return cause instanceof PortFailure && codes.some((code) => code === cause.code);
}
