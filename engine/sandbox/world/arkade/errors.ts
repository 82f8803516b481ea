/**
 * A refusal of the operator as arkd spells it: a gRPC status, and for most refusals a numbered detail with metadata.
 * Codes, names and statuses follow the recorded exchanges in `test/vectors/arkd`.
 */
export class OperatorError extends Error {
  readonly grpc: number;
  readonly detail: ErrorDetail | null;

  constructor(grpc: number, message: string, detail: ErrorDetail | null = null) {
    super(message);
    this.grpc = grpc;
    this.detail = detail;
  }
}

export interface ErrorDetail {
  readonly code: number;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
}

const names = {
  INTERNAL_ERROR: 0,
  INVALID_ARK_PSBT: 1,
  VTXO_ALREADY_REGISTERED: 4,
  INVALID_PSBT_INPUT: 5,
  VTXO_ALREADY_SPENT: 6,
  VTXO_ALREADY_UNROLLED: 7,
  VTXO_RECOVERABLE: 8,
  INVALID_VTXO_SCRIPT: 10,
  FORFEIT_CLOSURE_LOCKED: 11,
  MALFORMED_ARK_TX: 13,
  AMOUNT_TOO_HIGH: 14,
  AMOUNT_TOO_LOW: 15,
  CHECKPOINT_MISMATCH: 16,
  ARK_TX_MISMATCH: 17,
  INVALID_SIGNATURE: 18,
  TX_NOT_FOUND: 19,
  INVALID_INTENT_TIMERANGE: 20,
  INVALID_INTENT_MESSAGE: 21,
  INVALID_INTENT_PSBT: 22,
  INVALID_INTENT_PROOF: 23,
  CONFIRMATION_SESSION_NOT_STARTED: 25,
  INVALID_FORFEIT_TXS: 26,
  SIGNING_SESSION_TIMED_OUT: 28,
  VTXO_BANNED: 29,
  VTXO_NOT_FOUND: 30,
  INTENT_INSUFFICIENT_FEE: 31,
  INTENT_NOT_FOUND: 45,
  TX_TOO_LARGE: 46,
  DIGEST_MISMATCH: 49,
  SUBSCRIPTION_NOT_FOUND: 50,
} as const;

export type ErrorName = keyof typeof names;

function grpcOf(code: number): number {
  if (code === 4) return 6;
  if (code === 19 || code === 30 || code === 45 || code === 50) return 5;
  if (code === 11 || code === 49) return 9;
  if (code === 0 || code === 28) return 13;
  return 3;
}

/** A numbered refusal. */
export function refusal(name: ErrorName, text: string, metadata: Record<string, string> = {}): OperatorError {
  const code = names[name];
  return new OperatorError(grpcOf(code), `${name} (${code}): ${text}`, { code, name, metadata });
}

/** A refusal of the request's shape: plain message, no details. */
export function badRequest(text: string): OperatorError {
  return new OperatorError(3, text);
}

/** Thrown after the work was done: the answer is lost on the way back. */
export class AnswerLost extends Error {}

/** Thrown while the operator is away: nobody answers. */
export class OperatorAway extends Error {}

/** Go's default text of a float64, which is how arkd writes large numbers into metadata. */
export function floatText(value: number): string {
  if (Math.abs(value) < 1e6) return String(value);
  const [mantissa = '', exponent = ''] = value.toExponential().split('e+');
  return `${mantissa}e+${exponent.padStart(2, '0')}`;
}

export function badInput(tx: { readonly id: string }, index: number, text: string): OperatorError {
  return refusal('INVALID_PSBT_INPUT', text, { input_index: String(index), txid: tx.id });
}
