/** The two ends of the sandbox's Lightning network: the owner's node, and the wallet of everybody else. */
export type Party = 'node' | 'outside';

export function otherParty(party: Party): Party {
  return party === 'node' ? 'outside' : 'node';
}

export type InvoiceState = 'open' | 'accepted' | 'settled' | 'cancelled';

/** An HTLC that reached the invoice's owner; one of several where the payment came in parts. */
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
  /** Of an open invoice: parts of a payment that is not complete. */
  readonly htlcs: readonly ArrivedHtlc[];
}

export type PaymentFailure = 'no-route' | 'insufficient-balance' | 'incorrect-details';

export type PaymentOutcome = 'in-flight' | 'settled' | 'failed';

/** One HTLC of a payment, as its payer sent it. */
export interface PaymentPart {
  readonly amountMsat: bigint;
  readonly feeMsat: bigint;
  /** Timeout of the last hop, and of the first one, which is the payer's own risk. */
  readonly finalExpiry: number;
  readonly firstExpiry: number;
  readonly arrived: boolean;
}

export interface Payment {
  readonly payer: Party;
  readonly hash: string;
  readonly bolt11: string;
  readonly destination: string;
  readonly paymentSecret: string | null;
  /** Starts at 1 in the order of the payments: lnd gives one that failed and is sent again a new one. */
  readonly index: number;
  /** What all parts together are to bring. */
  readonly amountMsat: bigint;
  /** Of the parts that were sent. */
  readonly feeMsat: bigint;
  readonly createdAt: number;
  readonly resolvedAt: number | null;
  /** What is, or was, locked in channels; none where no route was found. */
  readonly parts: readonly PaymentPart[];
  /** The first timeout of a part's first hop; of a payment without parts that of the route it looked for. */
  readonly firstExpiry: number;
  readonly outcome: PaymentOutcome;
  readonly preimage: string | null;
  readonly failure: PaymentFailure | null;
  /** Where an in-flight payment is: on its way, or kept by the invoice's owner. */
  readonly at: 'travelling' | 'held';
  /** The bad luck chosen for it when it started. */
  readonly fate: 'fails' | 'hangs' | null;
}

type InText<T> = T extends bigint
  ? string
  : T extends readonly (infer One)[]
    ? readonly InText<One>[]
    : T extends object
      ? { readonly [Name in keyof T]: InText<T[Name]> }
      : T;

/** Rows keep bigints as text. */
function inText<T>(value: T): InText<T>;
function inText(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(inText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inText(one)]));
}

export function toRow(record: Invoice | Payment): unknown {
  return inText(record);
}

export function invoiceFromRow(row: unknown): Invoice {
  const { amountMsat, htlcs, ...rest } = row as InText<Invoice>;
  return {
    ...rest,
    amountMsat: amountMsat === null ? null : BigInt(amountMsat),
    htlcs: htlcs.map((htlc) => ({ ...htlc, amountMsat: BigInt(htlc.amountMsat) })),
  };
}

export function paymentFromRow(row: unknown): Payment {
  const { amountMsat, feeMsat, parts, ...rest } = row as InText<Payment>;
  return {
    ...rest,
    amountMsat: BigInt(amountMsat),
    feeMsat: BigInt(feeMsat),
    parts: parts.map((part) => ({ ...part, amountMsat: BigInt(part.amountMsat), feeMsat: BigInt(part.feeMsat) })),
  };
}
