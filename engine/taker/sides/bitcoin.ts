import { refuse } from '../../domain/errors.ts';
import type { Side } from './agreed.ts';

/** Bitcoin of ours, which could come back. */
export const fromBitcoin: Side<object, object> = {
  ordered: ({ bitcoinWallet }) =>
    bitcoinWallet()
      ? {}
      : refuse('unavailable', 'No Bitcoin wallet is connected, to which the bitcoin could come back: connect one.'),
  recovered: () => ({}),
};

/** Bitcoin that is claimed to our own wallet: where it was to go is the provider's word. */
export const toBitcoin: Side<object, object> = {
  ordered: ({ bitcoinWallet }) =>
    bitcoinWallet()
      ? {}
      : refuse('unavailable', 'No Bitcoin wallet is connected, which could claim the bitcoin: connect one.'),
  recovered: () => ({}),
  instead: () => ({ target_btc_address: undefined }),
};
