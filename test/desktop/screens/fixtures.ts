import type { OwnerStatus } from '../../../engine/contract/owner/status.ts';
import type { SandboxWorld } from '../../../engine/contract/sandbox.ts';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import type { Fixtures } from './fixture-page.ts';

/** Sun 22 Nov 2026, 20:41 UTC. */
export const now = 1_795_380_060;

export const status: OwnerStatus = {
  version: '0.1.0',
  network: 'regtest',
  started: now - 3_600,
  paused: null,
  live: true,
  networks: [
    { name: 'arkade', state: 'connected', detail: 'operator', lag_seconds: 1 },
    { name: 'lightning', state: 'connected', detail: 'sandbox', lag_seconds: 1, height: 4_150 },
    { name: 'bitcoin', state: 'connected', detail: 'median time past', lag_seconds: 6, height: 4_150 },
    { name: 'evm:137', state: 'connected', detail: '2 of 2 RPCs answer', height: 12_902, lag_seconds: 1 },
  ],
  open_swaps: 0,
  at_risk_sats: 0,
};

const pegged = '0xa8Adc1Cde1776958b98bEe423684040f56815836';
export const usdc = '0x66C711D0f0324656F136276eF6eEc2c6676634Dc';

export const world: SandboxWorld = {
  clock: now,
  arkade: { url: 'http://127.0.0.1:33989' },
  bitcoin: { esploraUrl: 'http://127.0.0.1:36539', height: 4_150, mtp: now - 6, feeRate: 8 },
  lightning: { nodePubkey: '02ef', peerPubkey: '0327', lnurl: 'lnurl1', lightningAddress: 'outside@127.0.0.1:44001' },
  evm: {
    '137': {
      rpcUrl: 'http://127.0.0.1:43533',
      htlc: pegged,
      coordinator: pegged,
      tokens: [
        { symbol: 'WBTC', address: pegged, decimals: 8 },
        { symbol: 'USDC', address: usdc, decimals: 6 },
      ],
    },
  },
  faults: { arkade: 'back', lightning: 'away', nextPayment: null, hanging: ['ab'.repeat(32)], evm: { '137': 'back' } },
};

export function swap(over: Partial<TakerSwap> = {}): TakerSwap {
  return {
    id: '7f3a91c4-0000-4000-8000-000000000001',
    label: null,
    note: null,
    provider_url: '',
    provider_swap_id: null,
    direction: 'arkade-lightning',
    created: now - 600,
    updated: now - 60,
    at: 'funded',
    phase: 'wait',
    outcome: null,
    open: true,
    attention: 'waiting',
    turn: { who: 'provider', step: 'pay-out', until: now + 3_600 },
    give: { network: 'arkade', token: null, symbol: 'sats', decimals: 0, amount: '212530', sats: 212_530 },
    get: { network: 'lightning', token: null, symbol: 'sats', decimals: 0, amount: '211900', sats: 211_900 },
    to: { own: false, text: 'lnbcrt2119u1pjtheirs' },
    paid: { state: 'stands', amount: '212530' },
    costs: [{ part: 'service', sats: 630 }],
    pay: null,
    times: {
      now,
      pay_until: null,
      normal_until: now + 36_000,
      refund_signed_from: null,
      refund_alone_from: now + 93_540,
      danger_from: null,
      last: null,
    },
    refund: { state: 'later', from: now + 93_540, why: 'in-progress' },
    back: null,
    steps: [],
    transactions: [],
    said: null,
    reason: null,
    detail: null,
    ...over,
  };
}

/** What the shell of every page reads. */
export function shellFixtures(swaps: readonly TakerSwap[] = [], sandbox = true): Fixtures {
  const counts = { all: swaps.length, open: 0, needs_you: 0, finished: 0, returned: 0 };
  return {
    'GET /owner/status': status,
    'GET /owner/display': { fiat: null, trouble: null, explorers: {} },
    'GET /owner/taker/swaps': { swaps, next_cursor: null, counts },
    ...(sandbox ? { 'GET /sandbox': world } : {}),
  };
}

const none = { reserved: '0', locked: '0', pending: '0' };

/** What the wallets hold, and the tokens that say how to read it. */
export const walletFixtures: Fixtures = {
  'GET /owner/balances': {
    balances: [
      { network: 'arkade', asset: 'btc', available: '3482117', reserved: '0', locked: '1250000', pending: '0' },
      { network: 'lightning', asset: 'btc', available: '900000', ...none },
      { network: 'bitcoin', asset: 'btc', available: '20500', ...none, pending: '96212', fee_reserve: '4000' },
      { network: 'evm:137', asset: `0x${'0'.repeat(40)}`, available: '1500000000000000000', ...none },
      { network: 'evm:137', asset: pegged.toLowerCase(), available: '431877', ...none },
    ],
  },
  'GET /tokens': {
    btc_tokens: [],
    evm_tokens: [{ chain: '137', decimals: 8, name: 'Wrapped BTC', symbol: 'WBTC', token_id: pegged.toLowerCase() }],
  },
  'GET /owner/taker/accounts': {
    accounts: [
      {
        network: 'evm:137',
        address: '0xA8ADc1CDE1776958b98bEE423684040F56815836',
        holdings: [
          {
            asset: `0x${'0'.repeat(40)}`,
            symbol: '',
            decimals: 18,
            available: '20000000000000000',
            kept: '0',
            most_gas: '4200000000000000',
          },
          {
            asset: usdc.toLowerCase(),
            symbol: 'USDC',
            decimals: 6,
            available: '912440000',
            kept: '2400000000',
            most_gas: '12000000000000000',
          },
        ],
      },
    ],
  },
  'GET /owner/settings': {
    settings: {
      network: 'mainnet',
      ceilings: { withdrawalBps: 500, withdrawalMinSats: 2_000, withdrawalMaxSats: 50_000 },
    },
  },
};
