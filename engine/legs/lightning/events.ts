import type { Unix } from '../../domain/time.ts';
import type { HoldState, PaymentState } from './port.ts';

/** What happened on Lightning. */
export type LightningEvent =
  | { readonly is: 'hold.created'; readonly bolt11: string; readonly expiresAt: Unix }
  /** `taken`: the hash has an invoice already, which is not ours or cannot be paid any more. */
  | { readonly is: 'hold.refused'; readonly reason: string; readonly taken?: true }
  | { readonly is: 'hold.seen'; readonly state: HoldState }
  | { readonly is: 'hold.settled' }
  | { readonly is: 'hold.cancelled' }
  /** `unsure`: an earlier call to start it got no answer, and may still arrive. */
  | { readonly is: 'payment.started'; readonly unsure?: true }
  | { readonly is: 'payment.refused'; readonly reason: string; readonly unsure?: true }
  | { readonly is: 'payment.seen'; readonly state: PaymentState; readonly unsure?: true };
