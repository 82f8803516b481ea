import { z } from 'zod';
import { bitcoinNetworks } from '../domain/chain.ts';
import { swapStatuses } from '../domain/status.ts';
import { vhtlcTerms } from '../legs/arkade/shape.ts';
import { bytes, exactly, publicKey, sats, seconds, sha256, timeoutPolicy, unix, xOnly } from '../legs/shape.ts';
import type { Deal } from './terms.ts';

/** The parts of what was asked that both directions have. */
export const orderFields = {
  provider: z.string(),
  network: z.enum(bitcoinNetworks),
  operator: z.strictObject({ signer: xOnly, exitDelay: seconds }),
  keyIndex: z.number(),
  key: publicKey,
  userId: z.string(),
  hash: sha256,
  sourceAmount: sats,
  targetAmount: sats,
  createBefore: unix,
  policy: timeoutPolicy,
};

const deal = exactly<Deal>()(
  z.strictObject({
    swapId: z.string(),
    vhtlc: vhtlcTerms,
    script: bytes,
    address: z.string(),
    sourceAmount: sats,
    targetAmount: sats,
    bolt11: z.string(),
    invoiceExpiresAt: unix,
  }),
);

export const dealt = { deal, said: z.enum(swapStatuses) };
export const creating = z.strictObject({ at: z.literal('creating') });
export const refused = z.strictObject({ at: z.literal('refused'), reason: z.string() });
