import type { Keychain } from '../../../main/keychain.ts';

/** A keychain in memory, as a desktop would have one. */
export function memoryKeychain(available = true): Keychain & { readonly entries: Map<string, Uint8Array> } {
  const entries = new Map<string, Uint8Array>();
  return {
    entries,
    available: async () => available,
    get: async (account) => entries.get(account) ?? null,
    set: async (account, key) => void entries.set(account, key),
    remove: async (account) => void entries.delete(account),
  };
}
