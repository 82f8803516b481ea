import type { LightningPort } from '../legs/lightning/port.ts';
import type { BitcoinPort } from '../legs/onchain/port.ts';
import type { ArkadePort } from '../legs/vhtlc/port.ts';
import type { Providers } from '../taker/port.ts';

/** The networks that the owner connected; null is one that is absent. */
export interface Ports {
  readonly arkade: ArkadePort | null;
  readonly lightning: LightningPort | null;
  readonly bitcoin: BitcoinPort | null;
  /** Where the taker swaps; a node that only provides has none. */
  readonly providers?: Providers;
}
