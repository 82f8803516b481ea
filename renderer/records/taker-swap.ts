/** A swap of the owner's own, as its screens read it: codes, times and facts. */
export interface Side {
  readonly network: string;
  readonly token: string | null;
  readonly symbol: string;
  readonly decimals: number;
  readonly amount: string;
  readonly sats: number | null;
}

/** On the chain's own clock, unix seconds; null for what does not exist. */
export interface SwapTimes {
  readonly now: number;
  readonly pay_until: number | null;
  readonly normal_until: number | null;
  readonly refund_signed_from: number | null;
  readonly refund_alone_from: number | null;
  readonly danger_from: number | null;
  readonly last: number | null;
}

export interface TakerSwap {
  readonly id: string;
  readonly provider_url: string;
  readonly provider_swap_id: string | null;
  readonly direction: string;
  readonly created: number;
  readonly updated: number;
  readonly at: string;
  readonly phase: 'creating' | 'pay' | 'wait' | 'claim' | 'refund' | 'over';
  readonly outcome: null | 'finished' | 'returned' | 'unpaid' | 'refused';
  readonly open: boolean;
  readonly attention: 'none' | 'waiting' | 'needs-you' | 'danger';
  readonly turn: {
    readonly who: 'you' | 'provider' | 'node' | 'payer' | 'nobody';
    readonly step: string;
    readonly until: number | null;
  };
  readonly give: Side;
  readonly get: Side;
  readonly costs: readonly { readonly part: 'service' | 'network' | 'gasless' | 'exchange'; readonly sats: number }[];
  readonly pay: null | {
    readonly kind: 'invoice' | 'arkade' | 'bitcoin' | 'evm';
    readonly text: string;
    readonly uri: string;
    readonly amount: string;
    readonly until: number | null;
    readonly own_wallet: boolean;
  };
  readonly times: SwapTimes;
  readonly refund: {
    readonly state: 'none' | 'possible' | 'later' | 'running' | 'done';
    readonly from: number | null;
    readonly why: string | null;
  };
  readonly steps: readonly {
    readonly step: string;
    readonly state: 'done' | 'current' | 'later';
    readonly time: number | null;
  }[];
  readonly transactions: readonly {
    readonly what: 'fund' | 'lock' | 'claim' | 'refund' | 'exit';
    readonly network: string;
    readonly txid: string;
    readonly whose: 'you' | 'provider';
  }[];
  readonly said: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
}
