import type { Client } from '../../engine/contract/client.ts';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';

/** All that the page knows of one direction that can be swapped here. */
export interface PageDirection {
  /** What the amount is that is asked for. */
  readonly amountLabel: string;
  /** The invoice of a new swap of this amount, where the sandbox's payee makes one. */
  invoice(client: Client, amount: number): Promise<string | null>;
  placeLabel(swap: TakerSwap): string;
  readonly qrLabel: string;
  readonly fundLabel: string;
  /** Pays with what the sandbox gives away. */
  fund(client: Client, swap: TakerSwap): Promise<void>;
}
