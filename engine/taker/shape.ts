import { z } from 'zod';
import { bitcoinNetworks } from '../domain/chain.ts';
import { swapStatuses } from '../domain/status.ts';
import { costParts, type Cost } from '../domain/taker.ts';
import { vhtlcTerms } from '../legs/arkade/shape.ts';
import { htlcTerms } from '../legs/onchain/shape.ts';
import { bytes, exactly, publicKey, sats, seconds, sha256, timeoutPolicy, unix, xOnly } from '../legs/shape.ts';
import type { ArkadeLeg, BitcoinLeg, LightningLeg } from './terms.ts';

/** The parts of what was asked that every direction has. */
export const orderFields = {
  provider: z.string(),
  network: z.enum(bitcoinNetworks),
  keyIndex: z.number(),
  key: publicKey,
  userId: z.string(),
  hash: sha256,
  createBefore: unix,
  policy: timeoutPolicy,
  restored: unix.exactOptional(),
};

/** With those of an order that has a leg on Arkade. */
export const arkadeOrderFields = {
  ...orderFields,
  operator: z.strictObject({ signer: xOnly, exitDelay: seconds }),
  sourceAmount: sats,
  targetAmount: sats,
};

export const arkadeLeg = exactly<ArkadeLeg>()(
  z.strictObject({ on: z.literal('arkade'), amount: sats, vhtlc: vhtlcTerms, script: bytes, address: z.string() }),
);

export const lightningLeg = exactly<LightningLeg>()(
  z.strictObject({ on: z.literal('lightning'), amount: sats, bolt11: z.string(), expiresAt: unix }),
);

export const bitcoinLegFields = {
  on: z.literal('bitcoin'),
  amount: sats,
  htlc: htlcTerms,
  script: bytes,
  address: z.string(),
  since: z.number(),
};
export const bitcoinLeg = exactly<BitcoinLeg>()(z.strictObject(bitcoinLegFields));

const cost = exactly<Cost>()(z.strictObject({ part: z.enum(costParts), sats: z.bigint() }));

/** What a deal says beside its two legs, and the provider's last word on it. */
export const dealFields = { swapId: z.string(), costs: z.array(cost) };
export const lastWord = z.enum(swapStatuses);

export const creating = z.strictObject({ at: z.literal('creating') });
export const refused = z.strictObject({
  at: z.literal('refused'),
  reason: z.enum(['provider-refused', 'provider-silent', 'record-wrong']),
  detail: z.string().nullable(),
});

/** Set once the owner does not want the swap any more. */
export const cancelled = z.literal(true).exactOptional();
