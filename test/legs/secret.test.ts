import { describe, expect, it } from 'vitest';
import { asPreimage, asSha256 } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { hash160Of, hash160OfSha256, preimageMatches, sha256Of } from '../../engine/legs/secret.ts';

/**
 * HASH160 of thirty-two bytes of 7, as in vector 2 of arkade/script.test.ts; a client's derived preimage and its hashes
 * (facts/clients.md 13).
 */
const client = asPreimage(fromHex('423bc17c03beddc347b0fb37f49bab47e7929bfe9a4869a52280dd5688850bd8'));

describe('the secret of a swap', () => {
  it('has the hashes of the published vectors', () => {
    expect([
      toHex(hash160Of(asPreimage(new Uint8Array(32).fill(7)))),
      toHex(sha256Of(client)),
      toHex(hash160Of(client)),
    ]).toEqual([
      'b566a3eecce809896361988823cd2f423fe800e7',
      'f9c3585ad8e0345d1ab9539731fcbd5bee5aabba3b4aa82567983ed9aca173b3',
      '26e4f11708c87f5f94d430f258503c5539917d5e',
    ]);
    expect(hash160OfSha256(sha256Of(client))).toEqual(hash160Of(client));
  });

  it('opens both forms of its hash and no other one', () => {
    const other = asPreimage(new Uint8Array(32).fill(8));
    expect([preimageMatches(sha256Of(client), client), preimageMatches(hash160Of(client), client)]).toEqual([
      client,
      client,
    ]);
    expect([preimageMatches(sha256Of(client), other), preimageMatches(hash160Of(client), other)]).toEqual([null, null]);
  });

  it('is 32 bytes and nothing else, even where the hash of another length fits', async () => {
    for (const length of [0, 31, 33, 64]) {
      const candidate = new Uint8Array(length).fill(1);
      const digest = asSha256(new Uint8Array(await crypto.subtle.digest('SHA-256', candidate)));
      expect(preimageMatches(digest, candidate)).toBeNull();
      expect(preimageMatches(hash160OfSha256(digest), candidate)).toBeNull();
    }
  });
});
