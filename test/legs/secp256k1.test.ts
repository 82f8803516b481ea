import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { p2tr } from '@scure/btc-signer';
import { taprootTweakPubkey } from '@scure/btc-signer/utils.js';
import { assert, property, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asXOnly } from '../../engine/domain/hash.ts';
import {
  isXOnly,
  keyPathSecret,
  publicKeyOf,
  schnorrSign,
  schnorrVerify,
  taggedHash,
  tweaked,
  xOnlyKeyOf,
} from '../../engine/legs/secp256k1.ts';

/** Any 32 bytes that are a private key; zero and what lies above the order are not met by chance. */
const bytes = uint8Array({ minLength: 32, maxLength: 32 });
const secrets = bytes.filter((secret) => secp256k1.utils.isValidSecretKey(secret));

function hex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

describe('the curve of the engine, held to the library that the sandbox judges with', () => {
  it('gives the same public keys', () => {
    assert(
      property(secrets, (secret) => {
        expect(Buffer.from(publicKeyOf(secret))).toEqual(Buffer.from(secp256k1.getPublicKey(secret, true)));
        expect(Buffer.from(xOnlyKeyOf(secret))).toEqual(Buffer.from(schnorr.getPublicKey(secret)));
      }),
      { numRuns: 25 },
    );
  });

  it('signs what the other verifies, always with the same bytes, and verifies what the other signs', () => {
    assert(
      property(secrets, bytes, (secret, message) => {
        const key = schnorr.getPublicKey(secret);
        const signature = schnorrSign(message, secret);
        expect(schnorr.verify(signature, message, key)).toBe(true);
        expect(schnorrSign(message, secret)).toEqual(signature);
        expect(schnorrVerify(schnorr.sign(message, secret), message, key)).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  it('refuses another message, another key, and a signature with one bit turned', () => {
    assert(
      property(secrets, secrets, bytes, bytes, (secret, other, message, otherMessage) => {
        const signature = schnorrSign(message, secret);
        const key = xOnlyKeyOf(secret);
        if (!Buffer.from(message).equals(otherMessage)) expect(schnorrVerify(signature, otherMessage, key)).toBe(false);
        if (!Buffer.from(xOnlyKeyOf(other)).equals(key))
          expect(schnorrVerify(signature, message, xOnlyKeyOf(other))).toBe(false);
        const bent = Uint8Array.from(signature);
        bent[40] = (bent[40] ?? 0) ^ 1;
        expect(schnorrVerify(bent, message, key)).toBe(false);
      }),
      { numRuns: 15 },
    );
  });

  it('takes what is no key and no signature for no valid signature', () => {
    const key = xOnlyKeyOf(new Uint8Array(32).fill(1));
    const message = new Uint8Array(32);
    expect(schnorrVerify(new Uint8Array(64), message, key)).toBe(false);
    expect(schnorrVerify(new Uint8Array(64).fill(0xff), message, key)).toBe(false);
    expect(schnorrVerify(new Uint8Array(63), message, key)).toBe(false);
    expect(
      schnorrVerify(schnorrSign(message, new Uint8Array(32).fill(1)), message, new Uint8Array(32).fill(0xff)),
    ).toBe(false);
  });

  // BIP-340, test-vectors.csv, rows 0 and 5.
  it('agrees with the vectors of BIP-340', () => {
    const secret = hex('0000000000000000000000000000000000000000000000000000000000000003');
    const key = hex('F9308A019258C31049344F85F89D5229B531C845836F99B08601F113BCE036F9');
    const signature = hex(
      'E907831F80848D1069A5371B402410364BDF1C5F8307B0084C55F1CE2DCA821525F66A4A85EA8B71E482A74F382D2CE5EBEEE8FDB2172F477DF4900D310536C0',
    );
    expect(Buffer.from(xOnlyKeyOf(secret))).toEqual(Buffer.from(key));
    expect(Buffer.from(schnorrSign(new Uint8Array(32), secret))).toEqual(Buffer.from(signature));
    expect(schnorrVerify(signature, new Uint8Array(32), key)).toBe(true);
    const offCurve = hex('EEFDEA4CDB677750A420FEE807EACF21EB9898AE79B9768766E4FAA04A2D4A34');
    expect(isXOnly(asXOnly(offCurve))).toBe(false);
    expect(isXOnly(asXOnly(key))).toBe(true);
  });

  it('tweaks a key as BIP-341 says, odd or even', () => {
    assert(
      property(secrets, bytes, (secret, root) => {
        const internal = xOnlyKeyOf(secret);
        const [key, parity] = taprootTweakPubkey(internal, root);
        expect(tweaked(internal, taggedHash('TapTweak', internal, root))).toEqual({ key, odd: parity === 1 });
      }),
      { numRuns: 15 },
    );
  });

  it('finds the secret of a key-path output', () => {
    assert(
      property(secrets, (secret) => {
        expect(Buffer.from(xOnlyKeyOf(keyPathSecret(secret)))).toEqual(
          Buffer.from(p2tr(xOnlyKeyOf(secret)).tweakedPubkey),
        );
      }),
      { numRuns: 15 },
    );
  });

  it('hashes in the domain of a tag as the other library does', () => {
    expect(taggedHash('TapBranch', Uint8Array.of(1, 2), Uint8Array.of(3))).toEqual(
      schnorr.utils.taggedHash('TapBranch', Uint8Array.of(1, 2, 3)),
    );
  });
});
