import { isRefusal, type Refusal } from '../../domain/errors.ts';
import type { PublicKey } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { userIdsOf } from '../../legs/xpub.ts';

/** The user ids of a wallet by their index. */
export type UserIds = (index: number) => string;

/** All wallets together; an id with its place in the map takes about 200 bytes. */
const mostKept = 20_000;
const mostWallets = 1_000;

interface Wallet {
  readonly key: (index: number) => PublicKey;
  readonly ids: Map<number, string>;
}

/**
 * The user ids that wallets derive from their extended keys (facts/clients.md 13), remembered, since each costs a
 * multiplication on the curve and every page and every repetition asks for the same ones. The wallets that asked last
 * are kept.
 */
export function createUserIds(most = mostKept): (xpub: string) => UserIds | Refusal {
  const wallets = new Map<string, Wallet>();
  let cachedIds = 0;

  function forgetOldest(but: string): void {
    for (const [xpub, { ids }] of wallets) {
      if (cachedIds <= most && wallets.size <= mostWallets) return;
      if (xpub === but) continue;
      wallets.delete(xpub);
      cachedIds -= ids.size;
    }
  }

  return (xpub) => {
    const key = wallets.get(xpub)?.key ?? userIdsOf(xpub);
    if (isRefusal(key)) return key;
    const wallet = wallets.get(xpub) ?? { key, ids: new Map<number, string>() };
    wallets.delete(xpub);
    wallets.set(xpub, wallet);
    forgetOldest(xpub);
    return (index) => {
      const cached = wallet.ids.get(index);
      if (cached !== undefined) return cached;
      const id = toHex(key(index));
      if (wallet.ids.size >= most || wallets.get(xpub) !== wallet) return id;
      wallet.ids.set(index, id);
      cachedIds += 1;
      forgetOldest(xpub);
      return id;
    };
  };
}
