/** What is looked at at a provider while a taker's swap needs it. */
export interface ProviderWatch {
  readonly on: 'provider';
  readonly provider: string;
  readonly swapId: string;
}
