import { p2tr } from '@scure/btc-signer';
import type { Sats } from '../../domain/money.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { schnorrSign, xOnlyKeyOf } from '../../legs/secp256k1.ts';
import { buildExit, type Exit } from '../../legs/arkade/exit.ts';
import type { CoinRef } from '../../legs/psbt.ts';
import { buildSweep, type SweepInput } from '../../legs/arkade/sweep.ts';
import type { VhtlcTerms } from '../../legs/arkade/terms.ts';

/** The key-path output (BIP 86) of a key of ours. */
export function ownScript(secret: Uint8Array): Uint8Array {
  return p2tr(xOnlyKeyOf(secret)).script;
}

/** A claim when there is a preimage, else a refund; signed, and sent nowhere. */
export function exitOf(exit: {
  terms: VhtlcTerms;
  coin: CoinRef;
  to: Uint8Array;
  feeRate: number;
  mostFee?: Sats;
  secret: Uint8Array;
  preimage?: Uint8Array;
}): Exit {
  const { terms, coin, to, feeRate, mostFee, secret, preimage } = exit;
  const made = buildExit(terms, {
    coin,
    to,
    feeRate,
    ...(mostFee === undefined ? {} : { mostFee }),
    sign: (message) => schnorrSign(message, secret),
    ...(preimage === undefined
      ? { leaf: 'unilateral-refund-without-receiver' }
      : { leaf: 'unilateral-claim', preimage }),
  });
  if (made === null)
    throw arkadeFailure(
      'too-small',
      'never',
      `the coin on the chain holds ${coin.amount} sats, less than the smallest fee and an output of 330 sats need`,
    );
  return made;
}

/** Coins of the wallet on the chain, all into one output. */
export function sweepOf(sweep: {
  inputs: readonly SweepInput[];
  to: Uint8Array;
  feeRate: number;
  secret: Uint8Array;
}): NonNullable<ReturnType<typeof buildSweep>> {
  const { secret, ...rest } = sweep;
  const made = buildSweep({ ...rest, sign: (message) => schnorrSign(message, secret) });
  if (made === null)
    throw arkadeFailure(
      'too-small',
      'safe',
      'no coin of ours on the chain is worth what its way home costs now: it waits for lower fees',
    );
  return made;
}
