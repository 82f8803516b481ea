import { Intent } from '@arkade-os/sdk';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { registerMessage, signedProof } from '../../engine/adapters/arkade/proofs.ts';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { after, seconds } from '../../engine/domain/time.ts';
import type { Vtxo } from '../../engine/legs/arkade/vtxo.ts';
import { vhtlcScript, type VhtlcLeaf } from '../../engine/legs/arkade/script.ts';
import type { VhtlcTerms } from '../../engine/legs/arkade/terms.ts';
import { seedOf } from './node.ts';
import type { World } from './world.ts';

/** The key with which the client of `openClient` takes part in a swap. */
export function clientSecret(): Uint8Array {
  return createKeys(seedOf(200), 'regtest').privateKey({ branch: 'taker', index: 0 });
}

/**
 * Registers a coin of a VHTLC for a batch by a leaf of the client's, and then does nothing more about it; answers the
 * operator's id of it.
 */
export function register(world: World, terms: VhtlcTerms, coin: Vtxo, leaf: VhtlcLeaf, preimage?: Uint8Array): string {
  const script = vhtlcScript(terms);
  const secret = clientSecret();
  const input = {
    outpoint: coin.outpoint,
    amount: coin.amount,
    script: coin.script,
    tapLeaf: script.leaf[leaf].tapLeaf,
    tapTree: script.tapTree,
    locked: leaf === 'refund-without-receiver',
    ...(preimage === undefined ? {} : { condition: [preimage] }),
  };
  const { proof, message } = signedProof(
    registerMessage(
      { from: world.now(), until: after(world.now(), seconds(120)) },
      secp256k1.getPublicKey(secret, true),
    ),
    [input],
    [{ script: script.pkScript, amount: coin.amount }],
    secret,
  );
  return world.operator.registerIntent({ proof, message: Intent.encodeMessage(message) });
}
