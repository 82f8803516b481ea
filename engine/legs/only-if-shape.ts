import { z } from 'zod';
import type { StillBacking, StillBackingCoin, StillClaimable, StillLocked } from './arkade/conditions.ts';
import type { StillDeposited, StillEscrowed, StillOffered } from './evm/conditions.ts';
import { evmAddress, evmNetworkName, lockTerms } from './evm/shape.ts';
import type { StillHeld, StillHeldForCoin, StillHeldForLock } from './lightning/conditions.ts';
import type { StillFunded, StillFundedForLock, StillFundedForPayment, StillPaidOut } from './onchain/conditions.ts';
import type { OnlyIf, OwnRefund } from './only-if.ts';
import { bytes, exactly, locktime, outpoint, sats, sha256, timeoutPolicy, unix } from './shape.ts';

const held = exactly<StillHeld>()(
  z.strictObject({ hash: sha256, sourceAmount: sats, vhtlcRefundLocktime: unix, policy: timeoutPolicy }),
);

const hold = exactly<StillHeldForLock>()(
  z.strictObject({
    hash: sha256,
    sourceAmount: sats,
    network: evmNetworkName,
    timelock: unix,
    policy: timeoutPolicy,
  }),
);

const heldForCoin = exactly<StillHeldForCoin>()(
  z.strictObject({ hash: sha256, sourceAmount: sats, htlcRefundLocktime: locktime, policy: timeoutPolicy }),
);

const coin = exactly<StillLocked>()(
  z.strictObject({
    script: bytes,
    outpoint,
    sourceAmount: sats,
    refundLocktime: unix,
    finalCltv: z.number(),
    invoiceExpiresAt: unix,
    policy: timeoutPolicy,
  }),
);

const backing = exactly<StillBacking>()(
  z.strictObject({
    script: bytes,
    outpoint,
    sourceAmount: sats,
    refundLocktime: unix,
    network: evmNetworkName,
    timelock: unix,
    policy: timeoutPolicy,
  }),
);

const backingForCoin = exactly<StillBackingCoin>()(
  z.strictObject({
    script: bytes,
    outpoint,
    sourceAmount: sats,
    refundLocktime: unix,
    htlcRefundLocktime: locktime,
    policy: timeoutPolicy,
  }),
);

const reveal = exactly<StillClaimable>()(
  z.strictObject({ script: bytes, outpoint, targetAmount: sats, refundLocktime: unix, policy: timeoutPolicy }),
);

const deposit = exactly<StillDeposited>()(
  z.strictObject({
    network: evmNetworkName,
    htlc: evmAddress,
    lock: lockTerms,
    txid: z.string(),
    confirmations: z.number(),
    agreed: z.boolean(),
    value: sats,
    finalCltv: z.number(),
    invoiceExpiresAt: unix,
    policy: timeoutPolicy,
  }),
);

const escrow = exactly<StillEscrowed>()(
  z.strictObject({
    network: evmNetworkName,
    htlc: evmAddress,
    lock: lockTerms,
    txid: z.string(),
    confirmations: z.number(),
    agreed: z.boolean(),
    value: sats,
    htlcRefundLocktime: unix,
    policy: timeoutPolicy,
  }),
);

const offer = exactly<StillOffered>()(
  z.strictObject({
    network: evmNetworkName,
    htlc: evmAddress,
    lock: lockTerms,
    txid: z.string(),
    confirmations: z.number(),
    agreed: z.boolean(),
    value: sats,
    policy: timeoutPolicy,
  }),
);

const funded = exactly<StillFunded>()(
  z.strictObject({
    script: bytes,
    outpoint,
    sourceAmount: sats,
    confirmations: z.number(),
    refundLocktime: locktime,
    lockRefundLocktime: unix,
    policy: timeoutPolicy,
  }),
);

const fundedForLock = exactly<StillFundedForLock>()(
  z.strictObject({
    script: bytes,
    outpoint,
    sourceAmount: sats,
    confirmations: z.number(),
    refundLocktime: locktime,
    network: evmNetworkName,
    timelock: unix,
    policy: timeoutPolicy,
  }),
);

const paidOut = exactly<StillPaidOut>()(
  z.strictObject({
    script: bytes,
    outpoint,
    targetAmount: sats,
    refundLocktime: locktime,
    policy: timeoutPolicy,
  }),
);

const fundedForPayment = exactly<StillFundedForPayment>()(
  z.strictObject({
    script: bytes,
    outpoint,
    sourceAmount: sats,
    confirmations: z.number(),
    refundLocktime: locktime,
    finalCltv: z.number(),
    invoiceExpiresAt: unix,
    policy: timeoutPolicy,
  }),
);

const ownRefund = exactly<OwnRefund>()(
  z.strictObject({ clock: z.union([z.literal('bitcoin'), evmNetworkName]), from: locktime }),
);

export const onlyIf = exactly<OnlyIf>()(
  z.strictObject({
    notAfter: locktime,
    ownRefund: ownRefund.exactOptional(),
    held: held.exactOptional(),
    hold: hold.exactOptional(),
    heldForCoin: heldForCoin.exactOptional(),
    coin: coin.exactOptional(),
    backing: backing.exactOptional(),
    backingForCoin: backingForCoin.exactOptional(),
    reveal: reveal.exactOptional(),
    deposit: deposit.exactOptional(),
    escrow: escrow.exactOptional(),
    offer: offer.exactOptional(),
    funded: funded.exactOptional(),
    fundedForLock: fundedForLock.exactOptional(),
    paidOut: paidOut.exactOptional(),
    fundedForPayment: fundedForPayment.exactOptional(),
  }),
);
