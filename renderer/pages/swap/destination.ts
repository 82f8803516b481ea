import { isRefusal } from '../../../engine/domain/errors.ts';
import { invoiceAmount } from '../../../engine/contract/invoice.ts';

/** What was pasted into the one box; whether it is right is judged by the node, before anything is paid. */
export type Destination =
  | { readonly is: 'empty' }
  | { readonly is: 'invoice'; readonly network: 'lightning'; readonly text: string; readonly amount: string }
  /** An invoice that cannot be paid here, with the reason. */
  | { readonly is: 'bad-invoice'; readonly sentence: string }
  | { readonly is: 'lnurl' | 'lightningAddress'; readonly network: 'lightning'; readonly text: string }
  | { readonly is: 'arkade' | 'bitcoin'; readonly network: 'arkade' | 'bitcoin'; readonly text: string }
  | { readonly is: 'evm'; readonly text: string }
  | { readonly is: 'unreadable' };

/** Links of wallets carry it behind their scheme. */
export function recognise(pasted: string): Destination {
  const text = pasted.trim().replace(/^(lightning|bitcoin|ethereum|ark):(\/\/)?/i, '');
  const lower = text.toLowerCase();
  if (text === '') return { is: 'empty' };
  if (/^lnurl1/.test(lower)) return { is: 'lnurl', network: 'lightning', text };
  if (/^ln(bc|tb|tbs|bcrt|sb)/.test(lower)) return invoice(lower);
  if (/^t?ark1[02-9ac-hj-np-z]{20,}$/.test(lower)) return { is: 'arkade', network: 'arkade', text: lower };
  if (/^(bc|tb|bcrt)1[02-9ac-hj-np-z]{20,}$/.test(lower)) return { is: 'bitcoin', network: 'bitcoin', text: lower };
  if (/^[123mn][1-9A-HJ-NP-Za-km-z]{25,34}$/.test(text)) return { is: 'bitcoin', network: 'bitcoin', text };
  if (/^0x[0-9a-f]{40}$/i.test(text)) return { is: 'evm', text };
  if (/^[\w.+-]+@[\w.-]+\.[a-z0-9]{2,}(:\d+)?$/i.test(text) || /^[\w.+-]+@(localhost|127\.0\.0\.1)(:\d+)?$/.test(text))
    return { is: 'lightningAddress', network: 'lightning', text };
  return { is: 'unreadable' };
}

function invoice(text: string): Destination {
  const amount = invoiceAmount('This invoice', text);
  return isRefusal(amount)
    ? { is: 'bad-invoice', sentence: amount.sentence }
    : { is: 'invoice', network: 'lightning', text, amount: String(amount) };
}
