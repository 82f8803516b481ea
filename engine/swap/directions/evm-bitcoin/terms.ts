import { z } from 'zod';
import { timeHtlcTerms } from '../../../legs/onchain/shape.ts';
import type { ValueOf } from '../../../legs/shape.ts';
import { sourceTerms, type EvmClaim } from '../../halves/evm/claim/terms.ts';
import { targetTerms, type OnchainFund } from '../../halves/bitcoin/fund/terms.ts';
import type { ProviderProgress } from '../../provider/direction.ts';

/**
 * EVM to Bitcoin. The client locks a BTC-pegged token, by itself or by a signature that we relay; once the lock is
 * buried the service funds an HTLC of the same secret on the Bitcoin chain. The client's claim of it shows the secret,
 * which claims the lock (facts/clients.md 2).
 *
 * Loses money when wrong: a funding for a lock that is short, shallow, gone, or refundable before our own refund is; a
 * refund of the client's signed while our coin is out; the lock claimed by a secret that took nothing of ours, or a
 * coin taken back after its claim opened the lock: then the client has neither.
 */
const fields = { ...sourceTerms, ...targetTerms, htlc: timeHtlcTerms };
export const terms = z.strictObject(fields);
export type EvmBitcoinTerms = ValueOf<typeof fields>;
export type EvmBitcoinProgress = ProviderProgress<EvmClaim, OnchainFund>;
