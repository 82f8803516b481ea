import { createRequire } from 'node:module';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bech32 } from '@scure/base';
import { fromHex } from '../../../domain/hex.ts';

/** What a payment request says; amounts in millisatoshis, times in unix seconds, bytes as hex text. */
export interface PaymentRequest {
  readonly hash: string;
  readonly destination: string;
  readonly network: string;
  /** Null when the payer chooses the amount. */
  readonly amountMsat: bigint | null;
  readonly description: string;
  readonly descriptionHash: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly cltvDelta: number;
  /** The payment secret that a payer must repeat. */
  readonly paymentSecret: string | null;
  /** Whether it is for AMP, whose parts have hashes of their own. */
  readonly amp: boolean;
}

interface ParsedRequest {
  readonly id: string;
  readonly destination: string;
  readonly network: string;
  readonly mtokens?: string;
  readonly description?: string;
  readonly description_hash?: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly cltv_delta?: number;
  readonly payment?: string;
  readonly features?: readonly { readonly bit: number }[];
}

interface UnsignedRequest {
  readonly hash: string;
  readonly hrp: string;
  readonly tags: readonly number[];
}

/** The package has no types of its own. */
interface InvoicesPackage {
  createUnsignedRequest(request: Record<string, unknown>): UnsignedRequest;
  parsePaymentRequest(request: { request: string }): ParsedRequest;
}

const invoices = createRequire(import.meta.url)('invoices') as InvoicesPackage;

/** Feature bits of an lnd invoice: TLV onion and payment secret required, basic multi-part optional. */
export const invoiceFeatures = [8, 14, 17];
/** Bits of AMP, required and optional. */
const ampBits: readonly number[] = [30, 31];
/** BOLT 11: what applies when the field is left out. */
const defaultCltvDelta = 18;

/** An invoice of the node with this key pair. */
export interface InvoiceKeys {
  readonly privateKey: Uint8Array;
  /** Hex text. */
  readonly publicKey: string;
}

export function encodeInvoice(
  request: Omit<PaymentRequest, 'destination' | 'network' | 'amp'>,
  { privateKey, publicKey }: InvoiceKeys,
): string {
  const unsigned = invoices.createUnsignedRequest({
    id: request.hash,
    destination: publicKey,
    network: 'regtest',
    ...(request.amountMsat === null ? {} : { mtokens: request.amountMsat.toString() }),
    ...(request.descriptionHash === null
      ? { description: request.description }
      : { description_hash: request.descriptionHash }),
    created_at: isoTime(request.createdAt),
    expires_at: isoTime(request.expiresAt),
    cltv_delta: request.cltvDelta,
    features: invoiceFeatures.map((bit) => ({ bit })),
    ...(request.paymentSecret === null ? {} : { payment: request.paymentSecret }),
  });
  // Signing tells the recovery id; the package would find it again by trying all four.
  const [recovery = 0, ...signature] = secp256k1.sign(fromHex(unsigned.hash), privateKey, {
    prehash: false,
    format: 'recovered',
  });
  return bech32.encode(
    unsigned.hrp,
    [...unsigned.tags, ...bech32.toWords(Uint8Array.from([...signature, recovery]))],
    false,
  );
}

/** Throws when the text is not a payment request with a valid signature. */
export function decodeInvoice(bolt11: string): PaymentRequest {
  const parsed = invoices.parsePaymentRequest({ request: bolt11 });
  return {
    hash: parsed.id,
    destination: parsed.destination,
    network: parsed.network,
    amountMsat: parsed.mtokens === undefined || parsed.mtokens === '0' ? null : BigInt(parsed.mtokens),
    description: parsed.description ?? '',
    descriptionHash: parsed.description_hash ?? null,
    createdAt: unixTime(parsed.created_at),
    expiresAt: unixTime(parsed.expires_at),
    cltvDelta: parsed.cltv_delta ?? defaultCltvDelta,
    paymentSecret: parsed.payment ?? null,
    amp: (parsed.features ?? []).some(({ bit }) => ampBits.includes(bit)),
  };
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function unixTime(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}
