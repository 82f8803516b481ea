import { z } from 'zod';
import { evmAddress, evmNetworkName, lockTerms, swapContracts, takerEvmKey } from '../../legs/evm/shape.ts';
import { exactly, listOf, sats } from '../../legs/shape.ts';
import type { RecordToken } from '../../swap/halves/evm/record.ts';
import type { EvmLeg, ExchangeTerms } from './terms.ts';

const recordToken = exactly<RecordToken>()(
  z.strictObject({ address: evmAddress, decimals: z.number(), symbol: z.string(), name: z.string() }),
);

export const evmOrderFields = {
  chain: evmNetworkName,
  pairs: listOf(swapContracts),
  pegged: recordToken,
  evmKey: takerEvmKey,
  account: evmAddress,
  gasless: z.boolean(),
  burial: z.number(),
  agreed: z.boolean(),
  since: z.number(),
};

/** Another token than that of the lock, of which our own exchange makes what is locked. */
export const spendTerms = z.strictObject({
  /** As its own contract tells of it. */
  token: recordToken,
  /** Most that leaves our account of it, in its smallest units, as its owner was shown: beyond it nothing is signed. */
  most: z.bigint(),
  /** How much worse than its price an exchange may come out, as the owner had set it. */
  slippageBps: z.number(),
});
export type SpendTerms = z.infer<typeof spendTerms>;

/** An order for which tokens of our account are locked. */
export const fromEvmFields = {
  ...evmOrderFields,
  /** Most that is locked, in smallest units of the token of locks. */
  sourceAmount: z.bigint(),
  /** What is given for it, where that is another token. */
  spend: spendTerms.exactOptional(),
};

export const exchangeTerms = exactly<ExchangeTerms>()(
  z.strictObject({ token: recordToken, least: z.bigint(), slippageBps: z.number(), mostFees: sats }),
);

export const evmLeg = exactly<EvmLeg>()(
  z.strictObject({
    on: z.literal('evm'),
    amount: z.bigint(),
    network: evmNetworkName,
    contracts: swapContracts,
    lock: lockTerms,
  }),
);
