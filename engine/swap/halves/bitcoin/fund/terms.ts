import { z } from 'zod';
import { htlcTerms, savedSend } from '../../../../legs/onchain/shape.ts';
import {
  bytes,
  outpoint,
  partOf,
  sats,
  timeoutPolicy,
  txid,
  unix,
  type StatesOf,
  type ValueOf,
} from '../../../../legs/shape.ts';
import { coinTaking } from '../taking-shape.ts';
import type { Answer, News } from '../../answer.ts';
import type { FundFact } from '../../fund.ts';

/**
 * The half of a swap that ends with an HTLC on the Bitcoin chain which we fund and the client claims: what its terms
 * and states have in common, whatever the client gave for it.
 *
 * Loses money when wrong: a funding made twice, or never taken back; what a claim took that no block has called the
 * client's for good; a coin taken back after its claim opened what the client gave.
 */
export const targetTerms = {
  /** What the HTLC holds: exactly this. */
  targetAmount: sats,
  /** The client claims it, we refund it. */
  htlc: htlcTerms,
  /** Output script of the HTLC. */
  htlcScript: bytes,
  htlcAddress: z.string(),
  /** Of our key in it. */
  keyIndex: z.number(),
  /** Most that the funding may cost, and as much again each time that it has to be pushed. */
  mostFee: sats,
  /** Height of the Bitcoin chain when the swap was made: nothing was paid to the script before. */
  htlcSince: z.number(),
  /** Nothing is funded after this moment of median time past. */
  lockBefore: unix,
  policy: timeoutPolicy,
  /** Where the client says that its bitcoin will go; it claims wherever it likes. */
  targetAddress: z.string().nullable(),
};
export type OnchainTargetTerms = ValueOf<typeof targetTerms>;

/**
 * A funding that is signed and saved, and the height of the tip when it was. It never signals replacement and is never
 * replaced: clients claim it unconfirmed (facts/onchain.md 4).
 */
const funding = z.strictObject({ payment: savedSend, height: z.number() });
/**
 * Our coin at the HTLC, on its way or there. `funding`: null where it was there before this database knew of any.
 * `buried`: the funding is. `inBlock`: a block held it, for who waits for that; nothing is decided by it. `byKey`: what
 * takes it by the key of both although we never signed for it; the owner was told.
 */
const placed = {
  output: outpoint,
  funding: funding.nullable(),
  buried: z.boolean(),
  inBlock: z.literal(true).exactOptional(),
  byKey: z.string().exactOptional(),
};
/**
 * The client's claim of our coin, as it was seen; its bytes are sent again for as long as no spend of the coin is
 * buried. `unsigned`: the one that it asked us to sign with it, of which only it has the whole signature.
 */
const redeem = z.strictObject({ txid, bytes, unsigned: z.literal(true).exactOptional() });

/**
 * The client's claim was believed: our coin is never refunded any more. `spends`: refunds of ours that were signed
 * before, the newest last: one may still be mined. `end`: what has the coin for good, null while no spend of it is
 * buried; `void` says that it never was, for what paid it was spent elsewhere. `cosign`: the client has our partial
 * signature on its claim, and no refund of the coin is ever signed.
 */
const claimed = {
  ...placed,
  redeem,
  spends: coinTaking.spends,
  end: z.enum(['claimed', 'refunded', 'void']).nullable(),
  cosign: z.literal(true).exactOptional(),
};

/** Stored fields of each state. */
export const onchainFund = {
  standing: {
    /** `other`: a coin of the amount waits unconfirmed at our script, and nothing is funded beside it. */
    funded: { other: z.literal(true).exactOptional() },
    /** Signed, and nobody has shown it yet. */
    funding: placed,
    locked: placed,
    /** `redeem`: the client's claim showed beside our signed refund: one of them is mined, and what that is decides. */
    refunding: { ...placed, ...coinTaking, redeem: redeem.exactOptional() },
  },
  revealed: { ...claimed, ...coinTaking },
  returned: { ...placed, refundTxid: txid },
  /** Null where not even its output is known. */
  doubt: { placed: z.strictObject(placed).nullable() },
} as const;

type Stages = StatesOf<typeof onchainFund.standing>;
export type Stage<S extends keyof Stages = keyof Stages> = Stages[S];
export type Funding = z.infer<typeof funding>;
export type Placed = ValueOf<typeof placed>;
export type Redeem = z.infer<typeof redeem>;
export type Revealed = ValueOf<typeof onchainFund.revealed>;
export type CoinEnd = NonNullable<Revealed['end']>;

/** The states of our coin. */
export interface OnchainFund {
  readonly standing: Stage;
  readonly revealed: Revealed;
  readonly returned: ValueOf<typeof onchainFund.returned>;
  readonly doubt: ValueOf<typeof onchainFund.doubt>;
}
export type Fact = News<FundFact<OnchainFund>>;
export type Moved<S> = Answer<S, FundFact<OnchainFund>>;
/** Null: the event does not concern our part. */
export type Reply<S> = Moved<S> | null;

export const placedOf = partOf(placed);
export const revealedOf = partOf(claimed);

/** Nothing of it can change any more, nor is anything owed to the ledger. */
export function isSettled({ end, funding, buried }: Revealed): boolean {
  return end === 'void' || (end !== null && (funding === null || buried));
}
