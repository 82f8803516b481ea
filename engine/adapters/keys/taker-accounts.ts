import { accountOf } from '../../legs/evm/account.ts';
import type { TakerAccounts } from '../../legs/evm/taker-key.ts';
import { signRecoverable } from '../../legs/secp256k1.ts';
import type { Keys } from './keys.ts';

/** The taker's accounts on EVM chains, from the seed alone. */
export function takerAccounts(keys: Pick<Keys, 'takerEvmSecret'>): TakerAccounts {
  return {
    accountOf: (key) => accountOf(keys.takerEvmSecret(key)),
    sign(digest, key) {
      const { r, s, yParity } = signRecoverable(digest, keys.takerEvmSecret(key));
      return { v: 27 + yParity, r, s };
    },
  };
}
