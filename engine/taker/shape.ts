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

export const bitcoinLeg = exactly<BitcoinLeg>()(
  z.strictObject({
    on: z.literal('bitcoin'),
    amount: sats,
    htlc: htlcTerms,
    script: bytes,
    address: z.string(),
    since: z.number(),
  }),
);

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

interface Refused {
  readonly at: 'refused';
  readonly reason: string;
}

/** Version 1 kept a sentence where there is a code now. */
export function refusedOf1({ reason }: Refused) {
  if (reason === 'The provider did not answer in time.')
    return { at: 'refused', reason: 'provider-silent', detail: null };
  return {
    at: 'refused',
    reason: reason.startsWith("The provider's record cannot be trusted") ? 'record-wrong' : 'provider-refused',
    detail: reason,
  };
}

/** A deal as version 1 kept it: one script on Arkade and one invoice, whichever of them was paid. */
export interface Deal1 {
  readonly swapId: string;
  readonly vhtlc: unknown;
  readonly script: unknown;
  readonly address: unknown;
  readonly sourceAmount: unknown;
  readonly targetAmount: unknown;
  readonly bolt11: unknown;
  readonly invoiceExpiresAt: unknown;
}

/** The two legs of a deal of version 1, for whoever knows which of them was paid. */
export function legsOf1(deal: Deal1, paid: 'arkade' | 'lightning') {
  const { vhtlc, script, address, bolt11, invoiceExpiresAt: expiresAt, sourceAmount, targetAmount, ...rest } = deal;
  const [arkadeAmount, lightningAmount] =
    paid === 'arkade' ? [sourceAmount, targetAmount] : [targetAmount, sourceAmount];
  const arkade = { on: 'arkade', amount: arkadeAmount, vhtlc, script, address };
  const lightning = { on: 'lightning', amount: lightningAmount, bolt11, expiresAt };
  return paid === 'arkade'
    ? { ...rest, source: arkade, target: lightning, costs: [] }
    : { ...rest, source: lightning, target: arkade, costs: [] };
}

/** Set once the owner does not want the swap any more. */
export const cancelled = z.literal(true).exactOptional();
