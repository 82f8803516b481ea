import { createHash, randomBytes } from 'node:crypto';
import {
  cancelHodlInvoice,
  createHodlInvoice,
  createInvoice,
  getInvoice,
  getPayment,
  payViaPaymentRequest,
  settleHodlInvoice,
} from 'ln-service';
import { readInvoice } from '../../stories/client/invoice.ts';
import type { Lnd } from './lnd.ts';

/** A client's Lightning wallet on an lnd that may be killed at any time. */
export interface LightningWallet {
  /** A held one is settled with its secret, or cancelled, when the wallet says so. */
  invoice(sats: number, kind?: 'plain' | 'held'): Promise<{ bolt11: string; hash: string; secret: string }>;
  settle(secret: string): Promise<void>;
  cancel(hash: string): Promise<void>;
  /** Sats that an invoice got: 0 while open or cancelled, and whether it is held. */
  invoiceState(hash: string): Promise<'open' | 'held' | 'settled' | 'cancelled'>;
  /** Begins to pay and returns at once; what becomes of it is asked by its hash. */
  pay(bolt11: string): string;
  payment(hash: string): Promise<'unknown' | 'in-flight' | 'settled' | 'failed'>;
}

export function lightningWallet({ lnd }: Lnd): LightningWallet {
  return {
    async invoice(sats, kind = 'plain') {
      const secret = randomBytes(32).toString('hex');
      const hash = createHash('sha256').update(Buffer.from(secret, 'hex')).digest('hex');
      const { request } =
        kind === 'held'
          ? await createHodlInvoice({ lnd, id: hash, tokens: sats })
          : await createInvoice({ lnd, secret, tokens: sats });
      return { bolt11: request, hash, secret };
    },
    settle: (secret) => settleHodlInvoice({ lnd, secret }),
    cancel: (hash) => cancelHodlInvoice({ lnd, id: hash }),
    async invoiceState(hash) {
      const invoice = await getInvoice({ lnd, id: hash });
      if (invoice.is_confirmed) return 'settled';
      if (invoice.is_canceled === true) return 'cancelled';
      return invoice.is_held === true ? 'held' : 'open';
    },
    pay(bolt11) {
      // The answer of this call says nothing when lnd dies meanwhile: the payment is asked for by its hash.
      payViaPaymentRequest({ lnd, request: bolt11, max_fee: 100 }).then(
        () => undefined,
        () => undefined,
      );
      return readInvoice(bolt11).hash;
    },
    async payment(hash) {
      try {
        const payment = await getPayment({ lnd, id: hash });
        return payment.is_confirmed ? 'settled' : payment.is_failed ? 'failed' : 'in-flight';
      } catch (error) {
        if (Array.isArray(error) && error[1] === 'SentPaymentNotFound') return 'unknown';
        throw error;
      }
    },
  };
}
