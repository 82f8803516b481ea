import { z } from 'zod';
import { bitcoinNetworks } from '../domain/chain.ts';
import { swapStatuses } from '../domain/status.ts';
import { costParts } from '../domain/taker.ts';
import { vhtlcTerms } from '../legs/arkade/shape.ts';
import { htlcTerms } from '../legs/onchain/shape.ts';
import { bytes, listOf, publicKey, sats, seconds, sha256, timeoutPolicy, unix, xOnly } from '../legs/shape.ts';

/** The parts of what was asked that every direction has. */
export const orderFields = {
  /** Base URL, empty for this very node. */
  provider: z.string(),
  network: z.enum(bitcoinNetworks),
  keyIndex: z.number(),
  key: publicKey,
  userId: z.string(),
  hash: sha256,
  /** An answer that comes later is not waited for: nothing was paid, so nothing is lost. */
  createBefore: unix,
  policy: timeoutPolicy,
  /**
   * Set for one that was found again with its database gone, to the moment of that: what was agreed is the provider's
   * word, and nothing is paid for it again.
   */
  restored: unix.exactOptional(),
};

/** Those of an order of sats for sats. */
export const amountFields = {
  /** Most that we pay: exactly this where the source was pinned, and what was quoted where the target was. */
  sourceAmount: sats,
  /** Least that we get: exactly this where the target was pinned, and what was quoted where the source was. */
  targetAmount: sats,
};

/** A side of which nothing is agreed beside the price. */
export const noFields = {};

/** The operator of a leg on Arkade. */
export const arkadeFields = { operator: z.strictObject({ signer: xOnly, exitDelay: seconds }) };

/** A leg there that our wallet claims. */
export const toArkadeFields = {
  ...arkadeFields,
  /** Where the claim pays. */
  targetAddress: z.string(),
};

/** The text of a hold invoice that we asked for. */
export const holdFields = { description: z.string() };

/** An invoice that the provider pays, whose secret is its payee's. */
export const payoutFields = { hash: sha256, targetAmount: sats, bolt11: z.string(), invoiceExpiresAt: unix };

export const arkadeLeg = z.strictObject({
  on: z.literal('arkade'),
  amount: sats,
  vhtlc: vhtlcTerms,
  script: bytes,
  address: z.string(),
});

export const lightningLeg = z.strictObject({
  on: z.literal('lightning'),
  amount: sats,
  bolt11: z.string(),
  expiresAt: unix,
});

export const bitcoinLegFields = {
  on: z.literal('bitcoin'),
  amount: sats,
  htlc: htlcTerms,
  script: bytes,
  address: z.string(),
  /** Height of the chain when the record came: no coin at the address is older. */
  since: z.number(),
};
export const bitcoinLeg = z.strictObject(bitcoinLegFields);

/** What a deal says beside its two legs. */
export const dealFields = {
  swapId: z.string(),
  /** As the record says them, having been compared with its amounts. */
  costs: listOf(z.strictObject({ part: z.enum(costParts), sats: z.bigint() })),
};

/** `copied`: in a copy of the database, from before what it may have come to since. */
export const creating = z.strictObject({ at: z.literal('creating'), copied: z.literal(true).exactOptional() });
export const refused = z.strictObject({
  at: z.literal('refused'),
  reason: z.enum(['provider-refused', 'provider-silent', 'record-wrong']),
  detail: z.string().nullable(),
});

/** In every stage once there is a deal, beside the deal. */
export const frame = {
  /** The last word of the provider: it may only ever lead to asking for a refund. */
  said: z.enum(swapStatuses),
  /** The owner does not want it any more: nobody is shown where to pay, and nothing is signed for it. */
  cancelled: z.literal(true).exactOptional(),
  /** Another swap of our own hangs on the same secret: it is not shown for this one (facts/faults.md 140). */
  shared: z.literal(true).exactOptional(),
};
