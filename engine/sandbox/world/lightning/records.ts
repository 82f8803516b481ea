/** The two ends of the sandbox's Lightning network: the owner's node, and the wallet of everybody else. */
export type Party = 'node' | 'outside';

export function otherParty(party: Party): Party {
  return party === 'node' ? 'outside' : 'node';
}

export type InvoiceState = 'open' | 'accepted' | 'settled' | 'cancelled';

/** An HTLC that reached the invoice's owner. */
export interface ArrivedHtlc {
  readonly amountMsat: bigint;
  readonly acceptedAt: number;
  readonly acceptHeight: number;
  /** Height from which the payer may take it back. */
  readonly expiryHeight: number;
  readonly resolvedAt: number | null;
}

export interface Invoice {
  readonly owner: Party;
  readonly hash: string;
  readonly bolt11: string;
  readonly memo: string;
  readonly descriptionHash: string | null;
  /** Null for an amountless invoice. */
  readonly amountMsat: bigint | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly cltvDelta: number;
  readonly paymentSecret: string;
  /** A hold invoice is settled by hand; a plain one as soon as it is paid. */
  readonly hold: boolean;
  /** Known from the start for a plain invoice, from its settlement for a hold invoice. */
  readonly preimage: string | null;
  readonly state: InvoiceState;
  readonly addIndex: number;
  readonly settleIndex: number;
  readonly htlc: ArrivedHtlc | null;
}

export type PaymentFailure = 'no-route' | 'insufficient-balance' | 'incorrect-details';

export type PaymentOutcome = 'in-flight' | 'settled' | 'failed';

export interface Payment {
  readonly payer: Party;
  readonly hash: string;
  readonly bolt11: string;
  readonly destination: string;
  readonly paymentSecret: string | null;
  /** Starts at 1 in the order of the first attempt of each payment. */
  readonly index: number;
  readonly amountMsat: bigint;
  readonly feeMsat: bigint;
  readonly createdAt: number;
  readonly resolvedAt: number | null;
  /** False while the route is only planned or was never found: nothing of it is locked in a channel. */
  readonly locked: boolean;
  /** Timeout of the last hop, and of the first one, which is the payer's own risk. */
  readonly finalExpiry: number;
  readonly firstExpiry: number;
  readonly outcome: PaymentOutcome;
  readonly preimage: string | null;
  readonly failure: PaymentFailure | null;
  /** Where an in-flight payment is: on its way, or kept by the invoice's owner. */
  readonly at: 'travelling' | 'held';
  /** The bad luck chosen for it when it started. */
  readonly fate: 'fails' | 'hangs' | null;
}

type Bigints = 'amountMsat' | 'feeMsat';

/** Rows keep bigints as text. */
export function toRow(record: Invoice | Payment): unknown {
  return JSON.parse(JSON.stringify(record, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)));
}

export function invoiceFromRow(row: unknown): Invoice {
  const { amountMsat, htlc, ...rest } = row as Omit<Invoice, Bigints | 'htlc'> & { amountMsat: string | null; htlc: (Omit<ArrivedHtlc, Bigints> & { amountMsat: string }) | null };
  return {
    ...rest,
    amountMsat: amountMsat === null ? null : BigInt(amountMsat),
    htlc: htlc === null ? null : { ...htlc, amountMsat: BigInt(htlc.amountMsat) },
  };
}

export function paymentFromRow(row: unknown): Payment {
  const { amountMsat, feeMsat, ...rest } = row as Omit<Payment, Bigints> & { amountMsat: string; feeMsat: string };
  return { ...rest, amountMsat: BigInt(amountMsat), feeMsat: BigInt(feeMsat) };
}
