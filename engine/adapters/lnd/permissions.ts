import type { Macaroon } from './macaroon.ts';

/**
 * Every call that the adapter makes, and the right that lnd asks for it: least privilege is these calls and no other.
 */
export const neededPermissions = {
  '/lnrpc.Lightning/GetInfo': 'info:read',
  '/lnrpc.Lightning/ListChannels': 'offchain:read',
  '/lnrpc.Lightning/ChannelBalance': 'offchain:read',
  '/lnrpc.Lightning/ListPayments': 'offchain:read',
  '/lnrpc.Lightning/ListInvoices': 'invoices:read',
  '/lnrpc.Lightning/WalletBalance': 'onchain:read',
  '/lnrpc.Lightning/GetTransactions': 'onchain:read',
  '/lnrpc.Lightning/QueryRoutes': 'info:read',
  '/lnrpc.Lightning/AddInvoice': 'invoices:write',
  '/lnrpc.Lightning/LookupInvoice': 'invoices:read',
  '/invoicesrpc.Invoices/AddHoldInvoice': 'invoices:write',
  '/invoicesrpc.Invoices/SettleInvoice': 'invoices:write',
  '/invoicesrpc.Invoices/CancelInvoice': 'invoices:write',
  '/invoicesrpc.Invoices/SubscribeSingleInvoice': 'invoices:read',
  '/routerrpc.Router/SendPaymentV2': 'offchain:write',
  '/routerrpc.Router/TrackPaymentV2': 'offchain:read',
} as const satisfies Record<string, string>;

/** Without these every swap goes on, and channels or wallet are not compared with the books. */
const forBooks: ReadonlySet<string> = new Set<keyof typeof neededPermissions>([
  '/lnrpc.Lightning/ChannelBalance',
  '/lnrpc.Lightning/ListPayments',
  '/lnrpc.Lightning/ListInvoices',
  '/lnrpc.Lightning/GetTransactions',
]);

/** Makes a macaroon that may do exactly what is needed; to be run where lnd runs. */
export const bakeCommand = `lncli bakemacaroon --save_to sluice.macaroon ${Object.keys(neededPermissions)
  .map((call) => `uri:${call}`)
  .join(' ')}`;

/** How a macaroon differs from the least one that works. */
export interface RightsJudged {
  /** Calls that lnd would refuse, and swaps cannot do without. */
  readonly lacking: readonly string[];
  /** The same of the comparison with the books. */
  readonly unlisted: readonly string[];
  /** Rights that no call of ours uses. */
  readonly excess: readonly string[];
}

export function judgeRights({ rights }: Macaroon): RightsJudged {
  const held = new Set(rights);
  const useful = new Set<string>(Object.entries(neededPermissions).flatMap(([call, right]) => [`uri:${call}`, right]));
  const refused = Object.entries(neededPermissions).flatMap(([call, right]) =>
    held.has(right) || held.has(`uri:${call}`) ? [] : [call],
  );
  return {
    lacking: refused.filter((call) => !forBooks.has(call)),
    unlisted: refused.filter((call) => forBooks.has(call)),
    excess: rights.filter((right) => !useful.has(right)),
  };
}
