import type { Preimage, PublicKey } from '../../domain/hash.ts';
import type { KeyRef, Signer } from '../../legs/signer.ts';

/** The taker's own keys. Its secret leaves this node in a claim and nowhere else. */
export interface TakerKeys {
  readonly signer: (ref: KeyRef) => Signer;
  takerSecret(index: number): Preimage;
  userId(index: number): PublicKey;
}
