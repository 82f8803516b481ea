/** lnd's Transaction message, as far as it is used here. */
export interface Transaction {
  readonly tx_hash: string;
  readonly amount: string;
  readonly total_fees: string;
  readonly block_height: number;
  readonly num_confirmations: number;
  readonly label: string;
  readonly raw_tx_hex: string;
  readonly previous_outpoints: readonly { readonly outpoint: string; readonly is_our_output: boolean }[];
  readonly output_details: readonly {
    readonly output_type: string;
    readonly output_index: string;
    readonly amount: string;
    readonly is_our_address: boolean;
  }[];
}
