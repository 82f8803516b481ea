import { failedWith, PortFailure, type ConnectionFailure } from '../../domain/errors.ts';

/** With what a provider rejects. */
export type ProviderFailure = ConnectionFailure | 'provider-away' | 'provider-unclear';

export const providerFailure = PortFailure.of<ProviderFailure>();

/** Whether it failed with one of these codes. */
export const failedAtProvider = failedWith<ProviderFailure>();
