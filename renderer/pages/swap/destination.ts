import type { BitcoinNetwork } from '../../../engine/domain/chain.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { readEvmAddress } from '../../../engine/domain/evm-address.ts';
import { withoutLink } from '../../format/link.ts';
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
  /** An invoice or address of networks that this node is not on, by their names. */
  | { readonly is: 'foreign'; readonly of: readonly BitcoinNetwork[] }
  /** An address of an EVM chain with a wrong letter, or one that nobody has the key of. */
  | { readonly is: 'mistyped' | 'nobodys' }
  | { readonly is: 'unreadable' };

/** The networks of an invoice or address, by its first letters; empty for a network that no node is on. */
const beginnings: readonly (readonly [RegExp, readonly BitcoinNetwork[]])[] = [
  [/^(lnbc(?!rt)|bc1|ark1|[13])/, ['mainnet']],
  [/^lntbs/, ['signet', 'mutinynet']],
  [/^tb1/, ['signet', 'mutinynet']],
  [/^(lnbcrt|bcrt1)/, ['regtest']],
  [/^(tark1|[2mn])/, ['signet', 'mutinynet', 'regtest']],
];

/**
 * Links of wallets carry it behind their scheme. `network` of the node, null while it is not known: then none is
 * foreign.
 */
export function recognise(pasted: string, network: BitcoinNetwork | null): Destination {
  const destination = read(pasted);
  if (network === null || !('network' in destination) || destination.is === 'lnurl') return destination;
  if (destination.is === 'lightningAddress') return destination;
  const of = beginnings.find(([letters]) => letters.test(destination.text))?.[1] ?? [];
  return of.includes(network) ? destination : { is: 'foreign', of };
}

function read(pasted: string): Destination {
  const text = withoutLink(pasted);
  const lower = text.toLowerCase();
  if (text === '') return { is: 'empty' };
  if (/^lnurl1/.test(lower)) return { is: 'lnurl', network: 'lightning', text };
  if (/^ln(bc|tb|tbs|bcrt|sb)/.test(lower)) return invoice(lower);
  if (/^t?ark1[02-9ac-hj-np-z]{20,}$/.test(lower)) return { is: 'arkade', network: 'arkade', text: lower };
  if (/^(bc|tb|bcrt)1[02-9ac-hj-np-z]{20,}$/.test(lower)) return { is: 'bitcoin', network: 'bitcoin', text: lower };
  if (/^[123mn][1-9A-HJ-NP-Za-km-z]{25,34}$/.test(text)) return { is: 'bitcoin', network: 'bitcoin', text };
  if (/^0x[0-9a-f]{40}$/i.test(text)) return account(text);
  if (/^[\w.+-]+@[\w.-]+\.[a-z0-9]{2,}(:\d+)?$/i.test(text) || /^[\w.+-]+@(localhost|127\.0\.0\.1)(:\d+)?$/.test(text))
    return { is: 'lightningAddress', network: 'lightning', text };
  return { is: 'unreadable' };
}

function account(text: string): Destination {
  if (readEvmAddress(text) === null) return { is: 'mistyped' };
  return /^0x0{40}$/.test(text) ? { is: 'nobodys' } : { is: 'evm', text };
}

function invoice(text: string): Destination {
  const amount = invoiceAmount('This invoice', text);
  return isRefusal(amount)
    ? { is: 'bad-invoice', sentence: amount.sentence }
    : { is: 'invoice', network: 'lightning', text, amount: String(amount) };
}
