import { randomBytes } from 'node:crypto';
import { forgetWordsCompared, noteWordsCompared, seedFromElsewhere, seedMadeHere } from '../engine/store/seed-marks.ts';
import { machineClock } from '../engine/machine-clock.ts';
import type { Keychain } from './keychain.ts';
import { sealSeed, type SealKey } from './keyfile.ts';
import { keychainAccount, seedPath } from './seed.ts';

/** What a new folder is to keep its seed by; one way at least. */
export interface SeedToKeep {
  readonly folder: string;
  readonly entropy: Uint8Array;
  readonly passphrase: Uint8Array | null;
  /** Null to leave the keychain out. */
  readonly keychain: Keychain | null;
  /** Its keys may have been used by another folder or another program. */
  readonly usedElsewhere: boolean;
  /** Whether the owner typed words of it, and they were right. */
  readonly compared: boolean;
}

/**
 * Seals the seed of a folder that has none; nothing is written where the keychain does not give back what it was given.
 */
export async function keepSeed(seed: SeedToKeep): Promise<'sealed' | 'keychain-away'> {
  const keys: SealKey[] = [];
  if (seed.passphrase !== null) keys.push({ way: 'passphrase', passphrase: seed.passphrase });
  if (seed.keychain !== null) {
    const key = await keyIn(seed.keychain, keychainAccount(seed.folder));
    if (key === null) return 'keychain-away';
    keys.push({ way: 'keychain', key });
  }
  // Noted before the seed is there: a start in between would take keys that were used.
  if (seed.usedElsewhere) seedFromElsewhere(seed.folder);
  forgetWordsCompared(seed.folder);
  await sealSeed(seedPath(seed.folder), seed.entropy, keys);
  if (seed.compared) noteWordsCompared(seed.folder, machineClock());
  if (!seed.usedElsewhere) seedMadeHere(seed.folder);
  return 'sealed';
}

async function keyIn(keychain: Keychain, account: string): Promise<Uint8Array | null> {
  const key = randomBytes(32);
  try {
    await keychain.set(account, key);
    const back = await keychain.get(account);
    return back !== null && key.equals(back) ? key : null;
  } catch {
    return null; // Locked, or its service is gone since it was asked.
  }
}
