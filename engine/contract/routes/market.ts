import {
  chainConfig,
  dexCalls,
  dexQuote,
  evmTokenChains,
  evmTokens,
  lightningSendQuote,
  networkFees,
  quote,
  referralFee,
  swapPairs,
} from '../records/market.ts';
import { dexCallsBody, dexQuoteBody, evmTokensQuery } from '../requests/dex.ts';
import { lightningSendQuery, quoteQuery, referralFeeQuery } from '../requests/quotes.ts';
import { costs, moreOutside, route } from './route.ts';

/** What swaps cost, and what can be swapped. */
export const marketRoutes = {
  quote: route('GET', '/quote', {
    summary: 'What a swap costs',
    query: quoteQuery,
    reply: quote,
    refusals: [400, 401, 503],
    more: ({ query }) => moreOutside(query.source.token !== 'btc' || query.target.token !== 'btc', costs.read),
  }),
  lightningSendQuote: route('GET', '/quote/lightning-send', {
    summary: 'What a payout over Lightning costs',
    query: lightningSendQuery,
    reply: lightningSendQuote,
    refusals: [400, 401, 503],
    more: ({ query }) => moreOutside(query.sourceChain !== 'Arkade' || query.payee.is !== 'invoice', costs.read),
  }),
  referralFee: route('GET', '/referral-fee', {
    summary: 'What a surcharge or a referral code adds to the fee',
    query: referralFeeQuery,
    reply: referralFee,
    refusals: [400, 401],
  }),
  swapPairs: route('GET', '/swap-pairs', {
    summary: 'The pairs that can be swapped now, with fees and limits',
    reply: swapPairs,
    refusals: [],
  }),
  networkFees: route('GET', '/network-fees', {
    summary: 'Network fees of each pair',
    reply: networkFees,
    refusals: [],
  }),
  chainConfig: route('GET', '/chain-config', {
    summary: 'The BTC-pegged token of each EVM chain',
    reply: chainConfig,
    refusals: [],
  }),

  evmTokens: route('GET', '/evm-tokens', {
    summary: 'The tokens of EVM chains that can be swapped now',
    query: evmTokensQuery,
    reply: evmTokens,
    refusals: [400],
  }),
  evmTokenChains: route('GET', '/evm-tokens/chains', {
    summary: 'The EVM chains that can be swapped on now',
    reply: evmTokenChains,
    refusals: [],
  }),
  dexQuote: route('POST', '/dex-quote', {
    summary: 'What an exchange of the BTC-pegged token gives',
    body: dexQuoteBody,
    reply: dexQuote,
    refusals: [400, 500, 502, 503],
    cost: costs.asksOutside,
  }),
  dexFundCalls: route('POST', '/dex-calldata/fund', {
    summary: 'The calls of an exchange that pays the coordinator',
    body: dexCallsBody,
    reply: dexCalls,
    refusals: [400, 500, 502, 503],
    cost: costs.asksOutside,
  }),
  dexClaimCalls: route('POST', '/dex-calldata/claim', {
    summary: 'The calls of an exchange that pays who makes them',
    body: dexCallsBody,
    reply: dexCalls,
    refusals: [400, 500, 502, 503],
    cost: costs.asksOutside,
  }),
};
