/** Why a transaction does not enter the mempool, in the words and codes of Bitcoin Core. */
export class TxRejected extends Error {
  override readonly name = 'TxRejected';
  /**
   * Of the JSON-RPC error: -25 an input is missing, -26 a rule, -27 on the chain already, -22 no transaction at all.
   */
  readonly code: -22 | -25 | -26 | -27;
  /** The short reason that `testmempoolaccept` tells. */
  readonly reason: string;

  constructor(code: TxRejected['code'], reason: string, detail?: string) {
    super(detail === undefined ? reason : `${reason}, ${detail}`);
    this.code = code;
    this.reason = reason;
  }
}

export function reject(reason: string, detail?: string): never {
  throw new TxRejected(-26, reason, detail);
}

export const missingInputs = 'bad-txns-inputs-missingorspent';

/** Bitcoin as Core prints amounts in its reasons. */
export function inBitcoin(amount: bigint): string {
  return (Number(amount) / 1e8).toFixed(8);
}
