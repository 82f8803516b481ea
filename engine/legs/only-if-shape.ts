import { z } from 'zod';
import type { StillBacking, StillBackingCoin, StillClaimable, StillLocked } from './arkade/conditions.ts';
import type { StillDeposited, StillEscrowed, StillOffered } from './evm/conditions.ts';
import { evmAddress, evmNetworkName, lockTerms } from './evm/shape.ts';
import type { StillHeld, StillHeldForCoin, StillHeldForLock } from './lightning/conditions.ts';
import type { StillFunded, StillFundedForLock, StillFundedForPayment, StillPaidOut } from './onchain/conditions.ts';
import type { OnlyIf, OwnRefund } from './only-if.ts';
import { bytes, exactly, locktime, outpoint, sats, sha256, timeoutPolicy, unix } from './shape.ts';

/** The client's coin at an address, as it was agreed; what ends it is of its network. */
const theirs = { script: bytes, outpoint, sourceAmount: sats, policy: timeoutPolicy };
const onArkade = { ...theirs, refundLocktime: unix };
const onBitcoin = { ...theirs, confirmations: z.number(), refundLocktime: locktime };
const held = { hash: sha256, sourceAmount: sats, policy: timeoutPolicy };
const onEvm = {
  network: evmNetworkName,
  htlc: evmAddress,
  lock: lockTerms,
  txid: z.string(),
  confirmations: z.number(),
  agreed: z.boolean(),
  value: sats,
  policy: timeoutPolicy,
};
/** A coin of the provider's, which we claim as its client. */
const offered = { script: bytes, outpoint, targetAmount: sats, policy: timeoutPolicy };

/** Until when ours can be claimed, and what a payment must have time for. */
const givenOnEvm = { network: evmNetworkName, timelock: unix };
const givenOnBitcoin = { htlcRefundLocktime: locktime };
const payTime = { finalCltv: z.number(), invoiceExpiresAt: unix };

const ownRefund = exactly<OwnRefund>()(
  z.strictObject({ clock: z.union([z.literal('bitcoin'), evmNetworkName]), from: locktime }),
);

const conditions = {
  held: exactly<StillHeld>()(z.strictObject({ ...held, vhtlcRefundLocktime: unix })).exactOptional(),
  hold: exactly<StillHeldForLock>()(z.strictObject({ ...held, ...givenOnEvm })).exactOptional(),
  heldForCoin: exactly<StillHeldForCoin>()(z.strictObject({ ...held, ...givenOnBitcoin })).exactOptional(),
  coin: exactly<StillLocked>()(z.strictObject({ ...onArkade, ...payTime })).exactOptional(),
  backing: exactly<StillBacking>()(z.strictObject({ ...onArkade, ...givenOnEvm })).exactOptional(),
  backingForCoin: exactly<StillBackingCoin>()(z.strictObject({ ...onArkade, ...givenOnBitcoin })).exactOptional(),
  reveal: exactly<StillClaimable>()(z.strictObject({ ...offered, refundLocktime: unix })).exactOptional(),
  deposit: exactly<StillDeposited>()(z.strictObject({ ...onEvm, ...payTime })).exactOptional(),
  escrow: exactly<StillEscrowed>()(z.strictObject({ ...onEvm, htlcRefundLocktime: unix })).exactOptional(),
  offer: exactly<StillOffered>()(z.strictObject(onEvm)).exactOptional(),
  funded: exactly<StillFunded>()(z.strictObject({ ...onBitcoin, lockRefundLocktime: unix })).exactOptional(),
  fundedForLock: exactly<StillFundedForLock>()(z.strictObject({ ...onBitcoin, ...givenOnEvm })).exactOptional(),
  fundedForPayment: exactly<StillFundedForPayment>()(z.strictObject({ ...onBitcoin, ...payTime })).exactOptional(),
  paidOut: exactly<StillPaidOut>()(z.strictObject({ ...offered, refundLocktime: locktime })).exactOptional(),
};

export const onlyIf = exactly<OnlyIf>()(
  z.strictObject({
    notAfter: locktime,
    ownRefund: ownRefund.exactOptional(),
    ...conditions,
  }),
);
