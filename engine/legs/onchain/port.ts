import type { Unix } from '../../domain/time.ts';

export interface ChainTip {
  readonly hash: string;
  readonly height: number;
  /** BIP-113: the median of the last eleven block times. */
  readonly mtp: Unix;
  /** The tip's own time. */
  readonly time: Unix;
}

/** The Bitcoin chain as a clock. Rejects with a `PortFailure`; reading is always safe to repeat. */
export interface BitcoinClockPort {
  genesis(): Promise<string>;
  tip(): Promise<ChainTip>;
}
