import { readEvmAddress } from '../../domain/evm-address.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { evmKeySchemes, type TakerAccounts, type TakerEvmKey } from '../../legs/evm/taker-key.ts';
import type { KeyRef, Signer } from '../../legs/signer.ts';
import { slices } from '../../runtime/slices.ts';

/** Keys beyond the last one that a swap was found for: as many as recoveries leave out (facts/clients.md 13). */
const gap = 120;

/**
 * Finds whose key of ours a record names, by deriving them one after the other; a provider's word for it is only where
 * to look first.
 */
export function createOwnKeys(options: { readonly signer: (ref: KeyRef) => Signer; readonly accounts: TakerAccounts }) {
  const { signer, accounts } = options;
  let highest = -1;
  const keys = createSearch((index) => [xOnlyOf(index)]);
  const below = createSearch((index) => evmKeySchemes.map((scheme) => toHex(accounts.accountOf({ scheme, index }))));

  function xOnlyOf(index: number): string {
    return toHex(signer({ branch: 'taker', index }).xOnly);
  }

  function met(index: number): number {
    highest = Math.max(highest, index);
    return index;
  }

  /** How an account is derived with this index; the newest way first. */
  function evmKey(account: EvmAddress, index: number): TakerEvmKey | null {
    const candidates = evmKeySchemes.map((scheme) => ({ scheme, index }));
    return candidates.find((key) => sameBytes(accounts.accountOf(key), account)) ?? null;
  }

  return {
    evmKey,
    /** Of a key in a record, 32 bytes or 33; null for one of somebody else. */
    async ofKey(text: unknown, hint: unknown): Promise<number | null> {
      if (typeof text !== 'string' || !/^(0[23])?[0-9a-f]{64}$/.test(text)) return null;
      const wanted = text.slice(-64);
      if (isIndex(hint) && xOnlyOf(hint) === wanted) return met(hint);
      const index = await keys(wanted, highest + gap);
      return index === null ? null : met(index);
    },
    /** Of an account in a record. That of the wallet is of every index: then the provider's is as good as any. */
    async ofAccount(text: unknown, hint: unknown): Promise<number | null> {
      const account = typeof text === 'string' ? readEvmAddress(text) : null;
      if (account === null) return null;
      const first = isIndex(hint) ? hint : 0;
      return evmKey(account, first) === null ? below(toHex(account), highest + gap) : first;
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
