import { z } from 'zod';
import { bytes, exactly, hash160, keyRef, outpoint, sats, seconds, unix, xOnly } from '../shape.ts';
import type { OnChainCoin } from './vtxo.ts';
import type { VhtlcTerms } from './terms.ts';

export const vhtlcTerms = exactly<VhtlcTerms>()(
  z.strictObject({
    sender: xOnly,
    receiver: xOnly,
    operator: xOnly,
    hash: hash160,
    refundLocktime: unix,
    claimDelay: seconds,
    refundDelay: seconds,
    refundWithoutReceiverDelay: seconds,
    sizeGuard: z.literal(false).exactOptional(),
  }),
);

export const onChainCoin = exactly<OnChainCoin>()(
  z.strictObject({ outpoint, amount: sats, signer: xOnly, exitDelay: z.number() }),
);

/** A coin at a VHTLC, and our key in it. */
export const vhtlcCoin = { terms: vhtlcTerms, script: bytes, key: keyRef, coin: outpoint };
