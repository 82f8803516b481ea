import type { Network } from '../domain/chain.ts';
import { createSignal } from './signal.ts';

/** A wallet whose coins are chosen by one at a time, by the network that it is on. */
export type Wallet = Network;

/** Coins of a wallet are chosen by one at a time: two would choose the same ones. */
export interface Wallets {
  /** Waits for its turn. */
  alone<T>(wallet: Wallet, work: () => Promise<T>): Promise<T>;
  isFree(wallet: Wallet): boolean;
  /** Called whenever the last one who waited for a wallet is done with it. */
  onFree(listener: () => void): () => void;
}

export function createWallets(): Wallets {
  const turns = new Map<Wallet, { readonly last: Promise<unknown>; readonly waiting: number }>();
  const freed = createSignal<void>();

  function left(wallet: Wallet): void {
    const turn = turns.get(wallet);
    if (turn === undefined) return;
    if (turn.waiting > 1) {
      turns.set(wallet, { ...turn, waiting: turn.waiting - 1 });
      return;
    }
    turns.delete(wallet);
    freed.tell();
  }

  return {
    alone(wallet, work) {
      const turn = turns.get(wallet);
      const done = (turn?.last ?? Promise.resolve()).then(work, work).finally(() => left(wallet));
      turns.set(wallet, { last: done.catch(() => undefined), waiting: (turn?.waiting ?? 0) + 1 });
      return done;
    },
    isFree: (wallet) => !turns.has(wallet),
    onFree: freed.on,
  };
}
