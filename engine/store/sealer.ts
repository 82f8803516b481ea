import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

/** Keeps preimages and signed transactions out of the database file in clear. */
export interface Sealer {
  /** `context` names the row; bytes sealed for one row do not open in another. */
  seal(bytes: Uint8Array, context: string): Uint8Array;
  open(sealed: Uint8Array, context: string): Uint8Array;
}

const version = 1;
const nonceLength = 12;
const tagLength = 16;

/** AES-256-GCM with a random nonce; layout: version, nonce, tag, ciphertext. */
export function createSealer(key: Uint8Array): Sealer {
  if (key.length !== 32) throw new RangeError('the sealing key is 32 bytes');
  // Read once: bytes are made a key of for each row otherwise.
  const secret = createSecretKey(key);
  return {
    seal(bytes, context) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv('aes-256-gcm', secret, nonce);
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
      return new Uint8Array(Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), body]));
    },
    open(sealed, context) {
      if (sealed[0] !== version) throw new Error(`a sealed value of version ${sealed[0]} needs a newer Sluice`);
      const nonce = sealed.subarray(1, 1 + nonceLength);
      const tag = sealed.subarray(1 + nonceLength, 1 + nonceLength + tagLength);
      const decipher = createDecipheriv('aes-256-gcm', secret, nonce);
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(tag);
      return new Uint8Array(
        Buffer.concat([decipher.update(sealed.subarray(1 + nonceLength + tagLength)), decipher.final()]),
      );
    },
  };
}
