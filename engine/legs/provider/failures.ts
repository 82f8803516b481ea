import { PortFailure, type ConnectionFailure, type Retry } from '../../domain/errors.ts';

/** With what a provider rejects. */
export type ProviderFailure = ConnectionFailure | 'provider-away' | 'provider-unclear';

export function providerFailure(code: ProviderFailure, retry: Retry, message: string, cause?: unknown): PortFailure {
  return new PortFailure(code, retry, message, cause);
}
