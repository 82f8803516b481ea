import { z } from 'zod';
import { evmAddress, evmNetworkName, lockTerms, swapContracts, takerEvmKey } from '../../legs/evm/shape.ts';
import { listOf, sats } from '../../legs/shape.ts';
import { recordToken } from '../../swap/halves/evm/record.ts';

/** What an order with a leg on an EVM chain pins: read by ourselves, from our own chain and our own settings. */
export const evmOrderFields = {
  chain: evmNetworkName,
  /** The pairs of contracts whose rules we know: a lock in any other may be opened by anybody. */
  pairs: listOf(swapContracts),
  /** What is locked, worth bitcoin: the swap's own token. Zero is the chain's coin. */
  pegged: recordToken,
  evmKey: takerEvmKey,
  /** The account of that key. */
  account: evmAddress,
  /** The provider sends the transactions; else our own account does. */
  gasless: z.boolean(),
  /** Blocks that bury a transaction, its own counted, however many orders have theirs at once. */
  burial: z.number(),
  /** Blocks on a lock of so much at which our secret may be shown for it; left out where it has to be buried. */
  showDepth: z.number().exactOptional(),
  /** Two RPCs must agree on the lock before anything is given for it. */
  agreed: z.boolean(),
  /** Height of the chain when the order was made: no lock of its hash is older. */
  since: z.number(),
};

/** Another token than that of the lock, of which our own exchange makes what is locked. */
const spendTerms = z.strictObject({
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
  /** Exactly this comes out; on the Bitcoin chain its claim pays its own fee out of it. */
  targetAmount: sats,
  /** What is given for it, where that is another token. */
  spend: spendTerms.exactOptional(),
};

/** Another token than that of the lock, into which a claim exchanges what the lock held. */
export const exchangeTerms = z.strictObject({
  /** As its own contract tells of it. */
  token: recordToken,
  /** What has to arrive of it at least, in its smallest units, as its owner was shown: below that nothing is signed. */
  least: z.bigint(),
  /** How much worse than its price an exchange may come out, as the owner had set it. */
  slippageBps: z.number(),
  /** More fees than these, in sats, are not what was quoted. */
  mostFees: sats,
});

/** With those of an order of tokens that a provider locks for us. */
export const toEvmOrderFields = {
  ...evmOrderFields,
  /** Exactly this is paid. */
  sourceAmount: sats,
  /** Least that comes out, in smallest units of the token; what was expected of it where it is exchanged. */
  targetAmount: z.bigint(),
  /** Where the claim pays. */
  destination: evmAddress,
  /** Left out where the token of the lock is what is wanted. */
  exchange: exchangeTerms.exactOptional(),
};

/** A lock on an EVM chain, whoever makes it: every term of it, and the contracts that hold it. */
export const evmLeg = z.strictObject({
  on: z.literal('evm'),
  /** Smallest units. */
  amount: z.bigint(),
  network: evmNetworkName,
  contracts: swapContracts,
  lock: lockTerms,
});
