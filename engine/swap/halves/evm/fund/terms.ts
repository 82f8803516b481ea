import { z } from 'zod';
import type { TokenAmount } from '../../../../domain/money.ts';
import type { Txid } from '../../../../domain/outpoint.ts';
import type { SentState } from '../../../../legs/evm/events.ts';
import { evmAddress, evmNetworkName, lockTerms, swapContracts } from '../../../../legs/evm/shape.ts';
import { lockEnd } from '../../../../legs/evm/timelocks.ts';
import { bytes, partOf, sats, sha256, txid, unix, type StatesOf, type ValueOf } from '../../../../legs/shape.ts';
import { clientText, recordToken } from '../record.ts';
import type { Answer, News } from '../../answer.ts';
import type { FundFact } from '../../fund.ts';

/**
 * The half of a swap that ends with tokens, or the native coin, which we lock on an EVM chain and the client claims, by
 * itself or by our relay of what it signed.
 *
 * Loses money when wrong: a lock made twice, or never taken back; a secret seen and not used; a refund called final
 * while the client can still claim.
 */
export const targetTerms = {
  /** SHA-256 of the client's secret. */
  hash: sha256,
  /** What the client gives: a bound for the gas that saving it may cost. */
  sourceAmount: sats,
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
  clientText,
  /** Where the target goes on to after the claim, then USDC on the chain of the lock; left out where it stays. */
  onward: z
    .strictObject({ chain: z.string(), usdc: z.string(), domain: z.number(), recipient: bytes, fee: z.bigint() })
    .exactOptional(),
  gasless: z.boolean(),
  /** Nothing is locked after this moment of the EVM chain's clock. */
  lockBefore: unix,
  /** Height of the EVM chain when the swap was made: no lock of its hash is older. */
  since: z.number(),
  /** Blocks that bury the end of our lock, its own counted, however many end at once. */
  burial: z.number(),
};
/** What the swap was agreed for of our lock and of what its claim brings. */
export type EvmTarget = ValueOf<typeof targetTerms>;
/** What the half goes by. */
export type EvmTargetTerms = Pick<
  EvmTarget,
  'hash' | 'sourceAmount' | 'network' | 'contracts' | 'lock' | 'since' | 'burial'
>;

/**
 * An RPC said at this time, by the wall, that the contract already did this: a look that began later decides.
 */
const halted = { halted: unix.exactOptional() };
/**
 * A relay of the client's claim: `txid` once it is signed and saved, `taken` the variant that a node took, `by` the one
 * that was mined.
 */
const relay = z.strictObject({ txid: txid.nullable(), taken: txid.exactOptional(), by: txid.exactOptional() });
/**
 * Our lock stands, or stood. `sent`: the transaction of ours that made it, null where it was there already; `fundTxid`:
 * the mined one.
 */
const locked = { sent: txid.nullable(), fundTxid: txid };
/** `reverts`: relays that failed, each of which cost gas. `refusal`: why the last one came to nothing. */
const attempts = { reverts: z.number(), refusal: z.string().exactOptional() };
const claimable = { ...locked, ...attempts };
/**
 * The client's claim is not buried yet: its block may go, and then our lock stands again and is still the client's.
 * `missing`: since when, by the wall, the chain shows no claim and nothing of ours is on its way to make one.
 * `flagged`: the owner was told.
 */
const shallow = z.strictObject({
  ...attempts,
  ...halted,
  missing: unix.exactOptional(),
  flagged: z.literal(true).exactOptional(),
});

/**
 * The client has again what it gave: our lock comes back should its claim go with its block. `asked`: our refund was
 * asked for.
 */
const back = z.strictObject({
  ...halted,
  asked: z.literal(true).exactOptional(),
  refundTxid: txid.nullable(),
});

const claimed = { ...locked, redeemTxid: txid, relay: relay.nullable(), shallow: shallow.exactOptional() };

/** Stored fields of each state. */
export const evmFund = {
  standing: {
    /** Nothing of ours is signed yet. */
    funded: halted,
    /** Our lock is signed. */
    locking: { sent: txid },
    locked: claimable,
    /** The client's claim is being signed and sent by us: no node is known to have it. */
    relaying: { ...claimable, relay, ...halted },
    /** A node has it, or a block. */
    relayed: { ...claimable, relay },
    /** `redeemTxid`: a claim of the client's that is not buried yet, while a refund of ours was on its way. */
    refunding: {
      ...locked,
      ...halted,
      refundTxid: txid.nullable(),
      relay: relay.nullable(),
      redeemTxid: txid.exactOptional(),
    },
  },
  /**
   * The client claimed our lock, by `redeemTxid`; `shallow` ends with the burial of that, once what it gave is ours,
   * and `back` once it is the client's again.
   */
  revealed: { ...claimed, back: back.exactOptional() },
  /** Our lock went back to us by `returnTxid`, for good. */
  returned: { fundTxid: txid, returnTxid: txid },
  /** No lock of ours is known, but one might stand that this database forgot: a look that began later decides. */
  doubt: { since: unix },
} as const;

type Stages = StatesOf<typeof evmFund.standing>;
export type Stage<S extends keyof Stages = keyof Stages> = Stages[S];
export type Relay = z.infer<typeof relay>;
export type Shallow = z.infer<typeof shallow>;
export type Revealed = ValueOf<typeof evmFund.revealed>;
type Returned = ValueOf<typeof evmFund.returned>;

/** The states of our lock. */
export interface EvmFund {
  readonly standing: Stage;
  readonly revealed: Revealed;
  readonly returned: Returned;
  readonly doubt: ValueOf<typeof evmFund.doubt>;
}
export type Fact = News<FundFact<EvmFund>>;
export type Moved<S> = Answer<S, FundFact<EvmFund>>;
/** Null: the event does not concern our part. */
export type Reply<S> = Moved<S> | null;

/** Until when the client may claim our lock. */
export function givenLock({ network, lock }: Pick<EvmTargetTerms, 'network' | 'lock'>) {
  return { network, timelock: lockEnd({ lock }) };
}

/** What is new of a relay: the variant that a node took, or a block has; null where nothing is. */
export function followed(relay: Relay, state: SentState): Relay | null {
  if (state.is === 'waiting' && state.taken !== null && relay.taken !== state.taken)
    return { ...relay, taken: state.taken };
  return state.is === 'mined' && relay.by !== state.by ? { txid: relay.txid, by: state.by } : null;
}

/** Its transaction id once others can look it up: of the variant that a block has, or a node took. */
export function hashOf({ by, taken }: Relay): Txid | null {
  return by ?? taken ?? null;
}

/** What stays of the client's claim from stage to stage. */
export const revealedOf = partOf(claimed);

/** The part of a state that stays the swap's once our lock stands. */
export const lockedOf = partOf(locked);

/** What stays of it while its claims come and go. */
export const claimableOf = partOf(claimable);
