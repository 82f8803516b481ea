import { walletParams, withdrawal, withdrawBody } from '../owner/wallets.ts';
import {
  takerPayee,
  takerPayeeBody,
  takerRestoreBody,
  takerSwapBody,
  takerSwapCreated,
  takerSwapsQuery,
} from '../taker.ts';
import { takerRestore } from '../taker-restore.ts';
import { providerCheck, providerCheckBody, takerQuotes, takerQuotesBody } from '../taker-quotes.ts';
import { takerWays } from '../taker-ways.ts';
import { takerAccounts } from '../taker-accounts.ts';
import { takerSwap, takerSwaps } from '../taker-swap.ts';
import { route, swapId } from './route.ts';
import { act } from './owner-act.ts';

/** Swaps in which this node is the client, for its owner. */
export const takerRoutes = {
  takerSwaps: route('GET', '/owner/taker/swaps', {
    summary: 'Swaps in which this node is the client, newest first',
    query: takerSwapsQuery,
    reply: takerSwaps,
    refusals: [400, 401, 404],
  }),
  takerSwap: route('GET', '/owner/taker/swaps/{id}', {
    summary: 'A swap in which this node is the client',
    params: swapId,
    reply: takerSwap,
    refusals: [401, 404],
  }),
  takerQuotes: route('POST', '/owner/taker/quotes', {
    summary: 'What every provider would do for an amount, the best first; nothing is begun',
    body: takerQuotesBody,
    reply: takerQuotes,
    spends: false,
    refusals: [400, 401, 404, 503],
  }),
  takerWays: route('GET', '/owner/taker/ways', {
    summary: 'What can be swapped into what now, with this node or another provider',
    reply: takerWays,
    refusals: [401, 404],
  }),
  takerPayee: route('POST', '/owner/taker/payees', {
    summary: 'What a Lightning address or LNURL takes; no invoice is asked for',
    body: takerPayeeBody,
    reply: takerPayee,
    spends: false,
    refusals: [400, 401, 404, 503],
  }),
  checkProvider: route('POST', '/owner/taker/providers/check', {
    summary: 'Whether an address answers as a provider of swaps does',
    body: providerCheckBody,
    reply: providerCheck,
    spends: false,
    refusals: [400, 401, 404],
  }),
  createTakerSwap: route('POST', '/owner/taker/swaps', {
    summary: 'Swap with a provider: this node checks its record, claims, and refunds',
    body: takerSwapBody,
    reply: takerSwapCreated,
    refusals: [400, 401, 403, 404, 503],
  }),
  payTakerSwap: route('POST', '/owner/taker/swaps/{id}/pay', {
    summary: 'Pay a swap of our own from the Arkade or the Bitcoin wallet of this node, once at most',
    ...act,
  }),
  cancelTakerSwap: route('POST', '/owner/taker/swaps/{id}/cancel', {
    summary: 'Give up a swap of our own that nothing was paid for; it is watched on, and a late payment is not lost',
    ...act,
  }),
  refundTakerSwap: route('POST', '/owner/taker/swaps/{id}/refund', {
    summary: 'Take back what was sent to a swap of our own',
    ...act,
  }),
  takerAccounts: route('GET', '/owner/taker/accounts', {
    summary: 'What the account of our own swaps holds on each EVM chain',
    reply: takerAccounts,
    refusals: [401, 404],
  }),
  sendOnFromTaker: route('POST', '/owner/taker/accounts/{network}/send', {
    summary: 'Send on what lies at the account of our own swaps, by one transaction of that account',
    params: walletParams,
    body: withdrawBody,
    reply: withdrawal,
    refusals: [400, 401, 403, 404, 503],
  }),
  takerRestore: route('GET', '/owner/taker/restore', {
    summary: 'How far finding swaps of our own again is',
    reply: takerRestore,
    refusals: [401, 404],
  }),
  restoreTakerSwaps: route('POST', '/owner/taker/restore', {
    summary: 'Find own swaps again from the seed, in the background',
    body: takerRestoreBody,
    reply: takerRestore,
    refusals: [400, 401, 404],
  }),
};
