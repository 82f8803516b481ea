import { z } from 'zod';
import type { ValueOf } from '../../../legs/shape.ts';
import { targetTerms, type EvmFund } from '../../halves/evm/fund/terms.ts';
import type { ProviderProgress } from '../../provider/direction.ts';
import { sourceTerms, type ArkadeClaim } from '../../halves/arkade/claim/terms.ts';

/**
 * Arkade to EVM. The client funds a VHTLC; once the coin is good we lock a BTC-pegged token, or the native coin, for
 * the client on an EVM chain. The client's claim there shows its secret, and that claims the VHTLC (facts/clients.md
 * 2).
 *
 * Loses money when wrong: a lock against a coin that is short, gone, or refundable before the lock can be taken back; a
 * refund of the client's cosigned while the lock may still be claimed; a lock that is never taken back.
 */
const fields = { ...sourceTerms, ...targetTerms };
export const terms = z.strictObject(fields);
export type ArkadeEvmTerms = ValueOf<typeof fields>;
export type ArkadeEvmProgress = ProviderProgress<ArkadeClaim, EvmFund>;
