/** PSBTs, each as bytes. */
export interface CollabRefund {
  readonly arkTx: Uint8Array;
  readonly checkpoints: readonly Uint8Array[];
}

/**
 * Whether the sender has signed when the receiver is asked. A sender that signs after it is known by nothing: its
 * refund is only for a swap that nothing is given for any more.
 */
export type SenderSigns = 'before' | 'after';

export interface DelegateRefund {
  readonly intentProof: Uint8Array;
  readonly forfeits: readonly Uint8Array[];
}

export interface DelegateSettle extends DelegateRefund {
  /** The exact JSON text that the proof commits to. */
  readonly message: string;
}
