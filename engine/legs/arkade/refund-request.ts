/** PSBTs, each as bytes. */
export interface CollabRefund {
  readonly arkTx: Uint8Array;
  readonly checkpoints: readonly Uint8Array[];
}

export interface DelegateRefund {
  readonly intentProof: Uint8Array;
  readonly forfeits: readonly Uint8Array[];
}

export interface DelegateSettle extends DelegateRefund {
  /** The exact JSON text that the proof commits to. */
  readonly message: string;
}
