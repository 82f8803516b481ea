import { generateMnemonic, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { type Refusal, refuse } from '../../domain/errors.ts';

/** Bits of entropy in a new seed: 24 words. */
const newSeedBits = 256;

export function newWords(): string {
  return generateMnemonic(wordlist, newSeedBits);
}

/** The BIP-39 seed of English words, 64 bytes; refuses words whose checksum is wrong. */
export function seedOfWords(words: string): Uint8Array | Refusal {
  const normal = words.trim().toLowerCase().split(/\s+/).join(' ');
  if (!validateMnemonic(normal, wordlist)) {
    return refuse(
      'invalid',
      'These words are not a BIP-39 seed: a word is misspelt, missing or out of place. Give the 12 to 24 words in their order.',
    );
  }
  return mnemonicToSeedSync(normal);
}
