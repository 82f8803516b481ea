export type LightningErrorKind =
  | 'bad-request'
  | 'bad-invoice'
  | 'duplicate-hash'
  | 'unknown-invoice'
  | 'invoice-open'
  | 'invoice-settled'
  | 'invoice-cancelled'
  | 'already-paid'
  | 'in-transition'
  | 'amp'
  | 'expired'
  | 'cltv-limit'
  | 'self-payment'
  | 'no-route'
  | 'unknown-payment'
  | 'not-in-flight';

/** What lnd refuses; the message is lnd's own text where clients compare it. */
export class LightningError extends Error {
  override readonly name = 'LightningError';
  readonly kind: LightningErrorKind;

  constructor(kind: LightningErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
