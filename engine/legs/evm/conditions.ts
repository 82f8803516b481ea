import type { EvmNetwork } from '../../domain/chain.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { TimedBy, Unix } from '../../domain/time.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';
import type { LockTerms } from './swap-key.ts';

/** A lock that must still stand, and deep enough. */
interface LockCondition {
  readonly network: EvmNetwork;
  readonly htlc: EvmAddress;
  /** With the amount that its event told. */
  readonly lock: LockTerms;
  /** The transaction that made it. */
  readonly txid: Txid;
  /** Blocks that must stand on it, its own counted. */
  readonly confirmations: number;
  /** Two RPCs must say that it stands, where there are two: for what is worth more than one's word. */
  readonly agreed: boolean;
  /** What its claim saves: gas may cost a share of it. */
  readonly value: Sats;
}

/** The client's lock that must still stand, deep enough, and timelocked for long enough to pay for it. */
export interface StillDeposited extends LockCondition {
  readonly finalCltv: number;
  readonly invoiceExpiresAt: Unix;
  readonly policy: TimeoutPolicy;
}

/**
 * The client's lock that must still stand, deep enough, and timelocked for longer than what we fund against it, on the
 * Bitcoin chain or on Arkade.
 */
export interface StillEscrowed extends LockCondition {
  /** Of our refund, by median time past. */
  readonly htlcRefundLocktime: Unix;
  readonly policy: TimeoutPolicy;
}

/** The provider's lock that must still stand, deep enough, and for long enough to show the secret that claims it. */
export interface StillOffered extends LockCondition {
  readonly policy: TimeoutPolicy;
}

/** What an EVM chain must still show when an act is begun. */
export interface EvmConditions {
  readonly deposit?: StillDeposited;
  readonly escrow?: StillEscrowed;
  readonly offer?: StillOffered;
}

/**
 * By which clock an act is late that depends on it: a lock's own chain says when its refund opens, and a funding is
 * late by the chain that it is made on.
 */
export const evmTimedBy: TimedBy<EvmConditions> = {
  deposit: ({ network }) => network,
  escrow: () => 'bitcoin',
  offer: ({ network }) => network,
};
