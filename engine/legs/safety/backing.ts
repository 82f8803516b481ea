import type { Sats } from '../../domain/money.ts';
import type { Vtxo } from '../arkade/vtxo.ts';
import { never, type Safety, wait } from './verdict.ts';

/** What a VHTLC coin must show before anything is given against it. */
export type CoinFacts = Pick<Vtxo, 'amount' | 'expiresAt' | 'recoverable' | 'unrolled' | 'spent'>;

/**
 * A coin of the other party at its script: there, whole, and timelocked until `horizon`. Past its expiry a coin goes to
 * its sender without any timelock (facts/arkade.md 26).
 */
export function coinHolds(coin: CoinFacts, least: Sats, horizon: number): Safety {
  if (coin.spent) return never('The coin is already spent.');
  if (coin.recoverable) return never('The coin is past its expiry: its timelocks protect nobody.');
  if (coin.unrolled) return never('The coin has left the operator for the chain.');
  if (coin.amount < least) return never(`The coin holds ${coin.amount} sats; ${least} were agreed.`);
  if (coin.expiresAt < horizon)
    return never(`The coin expires at ${coin.expiresAt}, before ${horizon}, when it may still be needed.`);
  return null;
}

/**
 * A lock of the other party on an EVM chain, in blocks of that chain. One that is not seen, or not deep enough, may
 * still be: nothing but the time says that it never will. `doubt`: why the chain cannot be asked. Wrong: a
 * reorganisation takes the lock away after we gave against it.
 */
export function deepEnough({
  depth,
  confirmations,
  doubt,
}: {
  depth: number | null;
  confirmations: number;
  doubt?: string | undefined;
}): Safety {
  if (depth === null) return wait('The lock is not seen on its chain now.');
  if (depth >= confirmations) return null;
  return wait(doubt ?? `The lock is buried under ${depth} blocks; ${confirmations} are needed.`);
}

/** A payment that is held for us, in sats. Wrong: what is given for it is worth more. */
export function holdsEnough(amount: Sats, least: Sats): Safety {
  return amount < least ? never(`${amount} sats are held; ${least} were asked for.`) : null;
}

/**
 * A coin of the other party's on the Bitcoin chain; null where it is not seen unspent in a block, which it may still
 * be. `depth` counts confirmations. Wrong: its sender replaces it after we gave against it.
 */
export function coinBuried(
  coin: { readonly amount: Sats; readonly depth: number } | null,
  least: Sats,
  confirmations: number,
): Safety {
  if (coin === null) return wait('The coin is not seen unspent in a block now.');
  if (coin.amount < least) return never(`The coin holds ${coin.amount} sats; ${least} were agreed.`);
  if (coin.depth >= confirmations) return null;
  return wait(`The coin has ${coin.depth} confirmations; ${confirmations} are needed.`);
}
