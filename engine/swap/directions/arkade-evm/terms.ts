import { z } from 'zod';
import type { TokenAmount } from '../../../domain/money.ts';
import { evmAddress, evmNetworkName, lockTerms, swapContracts } from '../../../legs/evm/shape.ts';
import { bytes, sats, sha256, unix, type ValueOf } from '../../../legs/shape.ts';
import type { EvmFund } from '../../halves/evm/fund/terms.ts';
import { recordToken } from '../../halves/evm/record.ts';
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
const fields = {
  ...sourceTerms,
  /** SHA-256 of the client's secret. */
  hash: sha256,
  /** What the lock is worth. */
  targetSats: sats,
  network: evmNetworkName,
  contracts: swapContracts,
  /** Our lock, refundable to our own account: neither more nor less is locked (facts/clients.md 35). */
  lock: lockTerms,
  pegged: recordToken,
  /** What the client receives in the end, and how much of it: of another token than the locked one as it was quoted. */
  target: recordToken,
  targetAmount: z.custom<TokenAmount>((value) => typeof value === 'bigint' && value >= 0n),
  /** What a claim by signature must bring of that token at least, in its smallest units. */
  floor: z.bigint(),
  targetAddress: evmAddress,
  /** Where the target goes on to after the claim, then USDC on the chain of the lock; left out where it stays. */
  onward: z
    .strictObject({ chain: z.string(), usdc: z.string(), domain: z.number(), recipient: bytes, fee: z.bigint() })
    .exactOptional(),
  gasless: z.boolean(),
  /** Nothing is locked after this moment of the EVM chain's clock. */
  lockBefore: unix,
  /** Height of the EVM chain when the swap was made: no lock of its hash is older. */
  since: z.number(),
  /** Blocks that bury a transaction of this value, its own counted. */
  burial: z.number(),
};
export const terms = z.strictObject(fields);
export type ArkadeEvmTerms = ValueOf<typeof fields>;
export type ArkadeEvmProgress = ProviderProgress<ArkadeClaim, EvmFund>;
