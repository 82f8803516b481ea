import type { Intent, Transaction } from '@arkade-os/sdk';
import type { Outpoint, Txid } from '../../../domain/outpoint.ts';
import type { Payment } from '../build.ts';

export interface Connector {
  readonly txid: Txid;
  readonly script: Uint8Array;
  readonly amount: bigint;
}

export interface BatchJob {
  readonly intent: { readonly proof: string; readonly message: Intent.RegisterMessage };
  readonly inputs: readonly Outpoint[];
  /** Outputs that must be in the tree before we sign it. */
  readonly outputs: readonly Payment[];
  /** Secret key of the cosigner that the message names. */
  readonly cosigner: Uint8Array;
  /** The forfeit of one coin that still needs one, signed, with the connector as its second input. */
  readonly forfeit: (coin: Outpoint, connector: Connector) => Transaction;
  /** Withdraws the intent; absent where another's key signed it. */
  readonly release?: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** What the operator may hold of ours: asked for, and under which name. */
export interface Registration {
  intentId: string | null;
  requested: boolean;
  /** A round has it, which drops it at its end. */
  confirmed: boolean;
}

/** The round that took the intent ended, and not through anything that we, or the intent, did wrong. */
export class RoundOver extends Error {}
