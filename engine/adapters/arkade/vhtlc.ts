import { sameBytes } from '../../domain/hash.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { hash160, vhtlcScript, type VhtlcLeaf } from '../../legs/arkade/script.ts';
import type { VhtlcTerms } from '../../legs/arkade/terms.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import { xOnlyKeyOf } from '../../legs/secp256k1.ts';
import type { KeyRef } from '../../legs/signer.ts';
import type { SpendInput } from './build.ts';
import type { ArkadeOptions } from './operator.ts';

/** The private key that a reference names, which has to be the one of this party to the VHTLC. */
export function partySecret(
  { keys }: ArkadeOptions,
  terms: VhtlcTerms,
  key: KeyRef,
  party: 'sender' | 'receiver',
): Uint8Array {
  const secret = keys(key);
  if (!sameBytes(xOnlyKeyOf(secret), terms[party]))
    throw arkadeFailure('bad-key', 'never', `the key is not the ${party}'s of this VHTLC`);
  return secret;
}

export function requirePreimage(terms: VhtlcTerms, preimage: Uint8Array | undefined): Uint8Array {
  if (preimage?.length !== 32 || !sameBytes(hash160(preimage), terms.hash))
    throw arkadeFailure('bad-preimage', 'never', 'the preimage does not open this VHTLC');
  return preimage;
}

/** Coins of one VHTLC, each spent by this leaf of its script. */
export function vhtlcInputs(
  terms: VhtlcTerms,
  leaf: VhtlcLeaf,
  coins: readonly Vtxo[],
  preimage?: Uint8Array,
): SpendInput[] {
  const script = vhtlcScript(terms);
  if (coins.length === 0) throw arkadeFailure('no-coins', 'never', 'there is no coin of the VHTLC to spend');
  if (coins.some((coin) => !sameBytes(coin.script, script.pkScript)))
    throw arkadeFailure('bad-coin', 'never', 'a coin is not at the script of this VHTLC');
  return coins.map((coin) => ({
    coin,
    script: script.pkScript,
    leaf: script.leaf[leaf],
    tapTree: script.tapTree,
    ...(preimage ? { condition: [preimage] } : {}),
  }));
}
