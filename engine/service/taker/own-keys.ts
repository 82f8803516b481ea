import { readEvmAddress } from '../../domain/evm-address.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { evmKeySchemes, type TakerAccounts, type TakerEvmKey } from '../../legs/evm/taker-key.ts';
import { sha256Of } from '../../legs/secret.ts';
import { slices } from '../../runtime/slices.ts';
import type { Restorable } from '../../taker/restore/restoring.ts';
import type { TakerKeys } from './keys.ts';

/** Keys beyond the last one that a swap was found for: as many as recoveries leave out (facts/clients.md 13). */
const gap = 120;

/**
 * Finds whose key of ours a record names, by deriving them one after the other; a provider's word for it is only where
 * to look first.
 */
export function createOwnKeys(options: {
  readonly keys: Pick<TakerKeys, 'signer' | 'takerSecret'>;
  readonly accounts: TakerAccounts;
}) {
  const { keys, accounts } = options;
  let highest = -1;
  const ofKeys = createSearch((index) => [xOnlyOf(index)]);
  const ofSecrets = createSearch((index) => [hashOf(index)]);
  const below = createSearch((index) => evmKeySchemes.map((scheme) => toHex(accounts.accountOf({ scheme, index }))));

  function xOnlyOf(index: number): string {
    return toHex(keys.signer({ branch: 'taker', index }).xOnly);
  }

  function hashOf(index: number): string {
    return toHex(sha256Of(keys.takerSecret(index)));
  }

  /** How an account is derived with this index; the newest way first. */
  function evmKey(account: EvmAddress, index: number): TakerEvmKey | null {
    const candidates = evmKeySchemes.map((scheme) => ({ scheme, index }));
    return candidates.find((key) => sameBytes(accounts.accountOf(key), account)) ?? null;
  }

  /** Of what nobody can derive but from the words. */
  async function ofOurs(text: string, hint: unknown, by: { nameOf: typeof hashOf; search: typeof ofKeys }) {
    const index = isIndex(hint) && by.nameOf(hint) === text ? hint : await by.search(text, highest + gap);
    if (index !== null) highest = Math.max(highest, index);
    return index;
  }

  /** Of a key in a record, 32 bytes or 33; null for one of somebody else. */
  async function ofKey(text: unknown, hint: unknown): Promise<number | null> {
    if (typeof text !== 'string' || !/^(0[23])?[0-9a-f]{64}$/.test(text)) return null;
    return ofOurs(text.slice(-64), hint, { nameOf: xOnlyOf, search: ofKeys });
  }

  /** Of the SHA-256 of a secret of ours in a record. */
  async function ofHash(text: unknown, hint: unknown): Promise<number | null> {
    if (typeof text !== 'string' || !/^(0x)?[0-9a-f]{64}$/i.test(text)) return null;
    return ofOurs(text.slice(-64).toLowerCase(), hint, { nameOf: hashOf, search: ofSecrets });
  }

  /** Of an account in a record. That of the wallet is of every index: then the provider's is as good as any. */
  async function ofAccount(text: unknown, hint: unknown): Promise<number | null> {
    const account = typeof text === 'string' ? readEvmAddress(text) : null;
    if (account === null) return null;
    const first = isIndex(hint) ? hint : 0;
    return evmKey(account, first) === null ? below(toHex(account), highest + gap) : first;
  }

  return {
    evmKey,
    /** Of a record, by the field of it that is ours. */
    ofRecord(ours: Restorable['ours'], record: Readonly<Record<string, unknown>>): Promise<number | null> {
      const [text, hint] = [record[ours], record['index']];
      if (ours === 'client_evm_address') return ofAccount(text, hint);
      return ours === 'hash_lock' || ours === 'evm_hash_lock' ? ofHash(text, hint) : ofKey(text, hint);
    },
  };
}

function isIndex(index: unknown): index is number {
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 && index < 2 ** 31;
}

/**
 * What each index makes, derived once, with a turn of the event loop now and then: hundreds of them are tens of
 * milliseconds.
 */
function createSearch(namesOf: (index: number) => readonly string[]) {
  const indices = new Map<string, number>();
  let derived = 0;
  return async (wanted: string, last: number): Promise<number | null> => {
    const pause = slices();
    while (!indices.has(wanted) && derived <= last) {
      await pause();
      for (const name of namesOf(derived)) if (!indices.has(name)) indices.set(name, derived);
      derived += 1;
    }
    return indices.get(wanted) ?? null;
  };
}

export type OwnKeys = ReturnType<typeof createOwnKeys>;
