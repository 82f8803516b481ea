import { z } from 'zod';
import type { ValueOf } from '../../../legs/shape.ts';
import { targetTerms, type EvmFund } from '../../halves/evm/fund/terms.ts';
import { holdTerms, type Hold } from '../../halves/lightning/hold/terms.ts';
import type { ProviderProgress } from '../../provider/direction.ts';

/**
 * Lightning to EVM. The client pays a hold invoice; once the payment is held we lock a BTC-pegged token, or the native
 * coin, for the client on an EVM chain. The client's claim there shows its secret, and that settles the payment
 * (facts/clients.md 2).
 *
 * Loses money when wrong: a lock for a payment that is not held, or that may go back before the lock is claimed or ours
 * again; a hold invoice cancelled before our refund of the lock is final; a secret seen and not used.
 */
const fields = { ...holdTerms, ...targetTerms };
export const terms = z.strictObject(fields);
export type LightningEvmTerms = ValueOf<typeof fields>;
export type LightningEvmProgress = ProviderProgress<Hold, EvmFund>;
