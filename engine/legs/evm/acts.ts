import { z } from 'zod';
import { bytes, listOf, type ValueOf } from '../shape.ts';
import { evmAddress, evmCall, evmSignature, lockFields, lockTerms } from './shape.ts';
import { takerClaim, takerFunding } from './taker-acts.ts';

const permit = {
  depositor: evmAddress,
  token: evmAddress,
  /** Smallest units. */
  amount: z.bigint(),
  nonce: z.bigint(),
  /** Unix seconds of the chain's clock. */
  deadline: z.bigint(),
  /** 65 bytes, or more of a depositor that is a contract. */
  signature: bytes,
  /** EIP-2612, of the depositor to Permit2. */
  tokenPermit: z
    .strictObject({ value: z.bigint(), deadline: z.bigint(), signature: z.union([evmSignature, bytes]) })
    .exactOptional(),
};
/**
 * A client's Permit2 signature over what its swap is funded with (facts/evm.md 5), and a token's own permit where it
 * gave one.
 */
export type Permit = ValueOf<typeof permit>;

const calls = listOf(evmCall);

const acts = {
  /** Locks our own token or coin, to be refunded to us. */
  lock: { lock: lockTerms },
  /** Takes the client's lock with the preimage that was saved. */
  claim: { lock: lockTerms },
  /** Takes our own lock back, from its timelock on. */
  refund: { lock: lockTerms },
  /**
   * A client's claim of our lock, by its signature: pays `destination`, never us. The preimage is the one that was
   * saved.
   */
  'relay-claim': {
    lock: lockTerms,
    calls,
    sweepToken: evmAddress,
    minAmountOut: z.bigint(),
    destination: evmAddress,
    signature: evmSignature,
  },
  /** A client's lock by its Permit2 signature; the amount is what the coordinator holds after the calls. */
  'relay-fund': { lock: z.strictObject(lockFields), permit: z.strictObject(permit), calls },
  /** Gives a client's lock back before its timelock, by both signatures: ours is made with the transaction. */
  'relay-refund': { lock: lockTerms, depositor: evmAddress, signature: evmSignature },
  /**
   * Takes a lock that was made for one of the taker's keys, which signs with the transaction. The preimage is the one
   * that was saved.
   */
  'taker-claim': takerClaim,
  /** Locks tokens of one of the taker's accounts, which signs; what is sent is a `relay-fund`. */
  'taker-fund': takerFunding,
  /** Gives a lock that the coordinator made for the taker back to it, from its timelock on. */
  'taker-refund': { lock: lockTerms },
  /** The owner's withdrawal; the zero address is the native coin. */
  pay: { token: evmAddress, to: evmAddress, amount: z.bigint() },
  /** Puts one of our contracts where its code alone decides, by the CREATE2 deployer, which is given `data`. */
  deploy: {
    name: z.string(),
    address: evmAddress,
    data: bytes,
    /** Units of gas that it is signed for. */
    gas: z.bigint(),
  },
};

/** What our account does on a chain. Each is one transaction, signed from these fields and from nothing else. */
export type EvmAct = {
  readonly [I in keyof typeof acts]: ValueOf<(typeof acts)[I]> & { readonly is: I };
}[keyof typeof acts];

export const evmAct = z.discriminatedUnion(
  'is',
  Object.entries(acts).map(([is, fields]) => z.strictObject({ is: z.literal(is), ...fields })) as never,
) as unknown as z.ZodType<EvmAct>;

const besides = ['approve', 'permit', 'taker-approve', 'taker-pay', 'cancel'] as const;
export const evmPurpose = z.enum([...(Object.keys(acts) as EvmAct['is'][]), ...besides]);
/**
 * What a transaction of our account is for. `approve` lets the HTLC take what a lock needs, `permit` gives a token the
 * depositor's own permit, `taker-approve` lets Permit2 take the tokens of the taker's account and `taker-pay` sends
 * them on, both sent by that account itself, `cancel` fills a nonce whose transaction nobody wants any more.
 */
export type EvmPurpose = z.infer<typeof evmPurpose>;
