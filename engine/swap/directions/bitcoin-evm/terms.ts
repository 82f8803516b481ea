import { z } from 'zod';
import type { ValueOf } from '../../../legs/shape.ts';
import { sourceTerms, type OnchainClaim } from '../../halves/bitcoin/claim/terms.ts';
import { targetTerms, type EvmFund } from '../../halves/evm/fund/terms.ts';
import type { ProviderProgress } from '../../provider/direction.ts';

/**
 * Bitcoin to EVM. The client pays an HTLC on the Bitcoin chain; once the coin is deep enough we lock a BTC-pegged
 * token, or the native coin, for the client on an EVM chain. The client's claim there shows its secret, and that claims
 * the bitcoin (facts/clients.md 2, facts/onchain.md 1).
 *
 * Loses money when wrong: a lock for a coin that is in no block, or is the client's again before our refund of the lock
 * is final; a secret seen and not used; a lock that is never taken back.
 */
const fields = { ...sourceTerms, ...targetTerms };
export const terms = z.strictObject(fields);
export type BitcoinEvmTerms = ValueOf<typeof fields>;
export type BitcoinEvmProgress = ProviderProgress<OnchainClaim, EvmFund>;
