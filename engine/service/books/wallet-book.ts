import type { WalletName } from '../../domain/accounts.ts';
import type { Asset } from '../../domain/money.ts';
import type { CoinLine, Verdict } from './coins.ts';

/** A wallet account beside what its network says, at one moment. */
export interface BookLook {
  /** The reading that it goes by: the same one again says nothing new. */
  readonly reading: unknown;
  readonly verdict: Verdict;
  /** Whatever comes in makes a shortfall smaller, and anybody can send something: a smaller one is the same one. */
  readonly shrinks?: true;
  /** Keeps what the lines go by, in the same commit. */
  alongside?(): void;
  /** The lines that end the difference, once those of the verdict are written. */
  writeOff(reason: string): readonly CoinLine[];
}

/** No verdict now, and why: it is neither right nor wrong. */
export interface Unknown {
  readonly unknown: string;
  /** There is no such account, and will be none as things are set. */
  readonly none?: true;
}

/** One wallet account of the books. */
export interface WalletBook {
  readonly of: Asset;
  readonly account: WalletName;
  look(): Promise<BookLook | Unknown>;
}
