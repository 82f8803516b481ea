import { z } from 'zod';
import type { Hash160, Preimage, Sha256 } from '../../../../domain/hash.ts';
import type { Outpoint, Txid } from '../../../../domain/outpoint.ts';
import { vhtlcTerms } from '../../../../legs/arkade/shape.ts';
import {
  bytes,
  outpoint,
  partOf,
  publicKey,
  sats,
  txid,
  unix,
  type StatesOf,
  type ValueOf,
} from '../../../../legs/shape.ts';
import type { Answer, News } from '../../answer.ts';
import type { FundFact } from '../../fund.ts';

/**
 * The half of a swap that ends with a VHTLC which we lock and the client claims: what its terms and states have in
 * common, whatever the client gives for it.
 *
 * Loses money when wrong: a VHTLC locked twice, or for something that is not surely ours; a secret seen and not used; a
 * refund that is called final while the client can still claim.
 */
export const targetTerms = {
  /** What the VHTLC holds. */
  targetAmount: sats,
  /** Null where the client named none. */
  targetArkadeAddress: z.string().nullable(),
  vhtlc: vhtlcTerms,
  script: bytes,
  /** Of the VHTLC. */
  address: z.string(),
  /** Of our key in it. */
  keyIndex: z.number(),
  /** Sends the VHTLC. */
  serverKey: publicKey,
  /**
   * Last moment of the chain's clock at which the VHTLC may be locked: after it the client could not claim in good
   * time.
   */
  lockBefore: unix,
  /** Coins given to the VHTLC must not expire before this. */
  minCoinExpiry: unix,
};
export type ArkadeTarget = ValueOf<typeof targetTerms>;
/** What the half goes by. `hash`: in the form that the other leg is locked with. */
export type TargetTerms = Omit<ArkadeTarget, 'address' | 'serverKey'> & { readonly hash: Sha256 | Hash160 };

const yes = z.literal(true).exactOptional();
/** `alarmed`: the owner was told that what the client gave may go back while the VHTLC is out. */
const standing = { lock: outpoint, alarmed: yes };

/**
 * The client claimed, by `redeemTxid`, null where a batch did. `racing`: a refund of ours may be with the operator
 * still, beside a claim that nobody has made a fact yet. `bothLegs`: it won all the same, by `refundTxid`, and what it
 * brought is owed to the client. `finishing`: the operator has accepted it, and it is made final, for a transaction
 * half done is nobody's. `asked`: a batch took the coin, and whose it was is asked.
 */
const claimed = {
  lock: outpoint,
  redeemTxid: txid.nullable(),
  racing: yes,
  bothLegs: yes,
  refundTxid: txid.exactOptional(),
  finishing: yes,
  asked: yes,
};

/** Stored fields of each state. */
export const arkadeFund = {
  standing: {
    funded: {},
    locking: { lock: outpoint },
    locked: standing,
    /**
     * `exit`: the coin left the operator, and `refundTxid` is a transaction on the chain. `halted`: the operator called
     * it spent when we came for it. `told`: the client's secret is saved, and whether its claim has the coin is not
     * known yet.
     */
    refunding: { ...standing, refundTxid: txid.nullable(), exit: yes, halted: yes, told: yes },
  },
  /** `exit`, `halted`: of a refund that is made anew. */
  revealed: { ...claimed, exit: yes, halted: yes },
  /** What was locked, and what brought it back. */
  returned: { fundTxid: txid, refundTxid: txid },
  doubt: {},
} as const;

type Stages = StatesOf<typeof arkadeFund.standing>;
export type Stage<S extends keyof Stages = keyof Stages> = Stages[S];
export type Revealed = ValueOf<typeof arkadeFund.revealed>;

export interface Lock {
  readonly lock: Outpoint;
}

/** The states of our VHTLC. */
export interface ArkadeFund {
  readonly standing: Stage;
  readonly revealed: Revealed;
  readonly returned: ValueOf<typeof arkadeFund.returned>;
  readonly doubt: object;
}
export type Fact = News<FundFact<ArkadeFund>>;
export type Moved<S> = Answer<S, FundFact<ArkadeFund>>;
/** Null: the event does not concern our part. */
export type Reply<S> = Moved<S> | null;

/** What stays of the client's claim from stage to stage; a refund that is made anew begins where it is looked for. */
export const revealedOf = partOf(claimed);

/** The client's claim of exactly our lock, with a secret that fits. */
export interface Claim {
  readonly preimage: Preimage;
  /** The transaction that made the client's coin; null where a batch did. */
  readonly txid: Txid | null;
  /**
   * `fact`: the operator took it, or it is buried; what waits in the operator's queue or on the chain may still lose
   * against a refund of ours.
   */
  readonly is: 'fact' | 'on-chain' | 'queued';
}

/** The transaction of our VHTLC, once it surely is one. */
export function lockTxidOf(
  p:
    | { readonly at: 'returned'; readonly fundTxid: Txid }
    | { readonly at: 'refunded'; readonly returned?: { readonly fundTxid: Txid } }
    | { readonly at: string; readonly lock?: Outpoint },
): Txid | undefined {
  if ('fundTxid' in p) return p.fundTxid;
  if ('returned' in p) return p.returned?.fundTxid;
  return 'lock' in p && p.at !== 'locking' ? p.lock?.txid : undefined;
}
