/** An EVM chain: no direction uses one yet, and the owner sees whether it could. */
export type EvmSeen = { readonly chain: string } & (
  | { readonly state: 'away'; readonly detail: string }
  | {
      readonly state: 'connected';
      readonly detail: string;
      readonly height: number;
      /** Unix seconds of the latest block. */ readonly blockTime: number;
    }
);
