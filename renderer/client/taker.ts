/** A swap of this machine's own taker, as `GET /owner/taker/swaps` tells it. */
export interface TakerSwap {
  readonly id: string;
  readonly provider_swap_id: string | null;
  readonly direction: TakerDirection;
  readonly at: string;
  readonly status: string;
  /** Who is waiting for whom, in plain words. */
  readonly sentence: string;
  /** What to pay, once the record was checked. */
  readonly invoice?: string | null;
  /** Where to send, once the record was checked. */
  readonly address?: string | null;
  /** What the taker pays. */
  readonly amount_sats: number;
  readonly deadline: number | null;
  readonly can_refund: boolean;
}

export type TakerDirection = 'lightning-arkade' | 'arkade-lightning';

export interface NewTakerSwap {
  readonly direction: TakerDirection;
  readonly amount_sats: number;
  /** What the provider is to pay, for a swap to Lightning. */
  readonly invoice?: string;
}
