import { directionNames } from '../domain/chain.ts';
import {
  collabRefundRoutes,
  createExamples,
  delegateRefundRoutes,
  directionContracts,
} from './directions/directions.ts';
import {
  account,
  btc,
  contract,
  delegated,
  evmTxid,
  exchange,
  id,
  invoice,
  refund,
  serviceKey,
  signature,
  txid,
} from './examples/values.ts';
import type { RouteName } from './routes.ts';

/** One request of an operation, as a client may send it, and one reply to it where its schema does not say it all. */
interface Example {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly reply?: unknown;
}

/** The same for every name of an operation that answers a swap with what it was sent, signed. */
function ofEach(routes: Readonly<Record<string, unknown>>, body: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.keys(routes).map((name) => [name, { path: { id }, body, reply: body }]));
}

const creates = Object.fromEntries(
  directionNames.map((name) => [directionContracts[name].operation, createExamples[name]]),
);

/** Complete for the operations that wallets call; tests parse every one as the node would. */
/** Version 2, one input, one output of 99,000 sats. */
const cooperative = {
  pub_nonce: `02${'11'.repeat(32)}03${'22'.repeat(32)}`,
  transaction: `0200000001${'11'.repeat(32)}0000000000fdffffff01b8820100000000001600143333333333333333333333333333333333333333${'00'.repeat(4)}`,
  index: 0,
};
const cosigned = { pub_nonce: `03${'33'.repeat(32)}02${'44'.repeat(32)}`, partial_signature: '55'.repeat(32) };

export const examples: Readonly<Partial<Record<RouteName, Example>>> = {
  ...creates,

  tokens: {
    query: { source_chain: 'Lightning', source_token: 'btc' },
    reply: { btc_tokens: [btc('Arkade')], evm_tokens: [] },
  },
  swap: { path: { id } },
  bulkStatus: { body: { ids: [id] }, reply: { statuses: [{ id, status: 'serverredeemed' }], not_found: [] } },
  recover: {
    body: {
      xpub: 'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8',
      start_index: 0,
    },
    reply: { swaps: [], highest_index: 0, next_index: 0, scanned_until: 119, complete: true },
  },
  quote: {
    query: {
      source_chain: 'Lightning',
      source_token: 'btc',
      target_chain: 'Arkade',
      target_token: 'btc',
      source_amount: '50000',
    },
    reply: {
      exchange_rate: '1',
      network_fee: 0,
      gasless_network_fee: 0,
      protocol_fee: 125,
      protocol_fee_rate: 0.0025,
      min_amount: 1_000,
      max_amount: 10_000_000,
      source_amount: '50000',
      target_amount: '50000',
      net_source_amount: '50000',
      net_target_amount: '49875',
    },
  },
  lightningSendQuote: { query: { lightning_invoice: invoice } },
  referralFee: { query: { ref: 'friends' }, reply: { extra_fee_rate: 0 } },
  evmTokens: { query: { chain_id: 137 } },
  dexQuote: { body: exchange },
  dexFundCalls: { body: { ...exchange, sender: account } },
  dexClaimCalls: { body: { ...exchange, sender: account } },

  redeemData: {
    path: { id },
    query: { destination: account },
    reply: { calls_hash: `0x${'33'.repeat(32)}`, gasless_fee_sats: 0, min_amount_out: '49836' },
  },
  claimGasless: {
    path: { id },
    body: { secret: '44'.repeat(32), destination: account, ...signature },
    reply: { id, message: 'The claim is being sent.', status: 'clientredeeming', tx_hash: evmTxid },
  },
  permit2Funding: { path: { id } },
  useropFunding: { path: { id } },
  bundlerConfig: { query: { chain: 137 } },
  fundGasless: {
    path: { id },
    body: {
      permit2_nonce: '1',
      permit2_deadline: 1_795_316_580,
      permit2_signature: `0x${'11'.repeat(32)}${'22'.repeat(32)}1b`,
      calls: [],
    },
    reply: { id, tx_hash: evmTxid, message: 'The funding was sent.', status: 'pending' },
  },
  refundCalldata: { path: { id }, reply: { coordinator_address: contract, calldata: '0x' } },
  collabRefundEvmParams: { path: { id } },
  collabRefundEvm: {
    path: { id },
    body: { ...signature, depositor_address: account },
    reply: { id, tx_hash: evmTxid, message: 'The refund was sent.', status: 'serverwontfund' },
  },
  ...ofEach(collabRefundRoutes, refund),
  ...ofEach(delegateRefundRoutes, delegated),
  cooperativeClaim: { path: { id }, body: { ...cooperative, preimage: '44'.repeat(32) }, reply: cosigned },
  serverClaim: {
    path: { id },
    reply: { preimage: '44'.repeat(32), pub_nonce: cosigned.pub_nonce, transaction: cooperative.transaction },
  },
  signServerClaim: {
    path: { id },
    body: { pub_nonce: cooperative.pub_nonce, partial_signature: cosigned.partial_signature },
    reply: { accepted: true },
  },
  cooperativeRefund: { path: { id }, body: { ...cooperative, signature: '66'.repeat(64) }, reply: cosigned },
  delegateKey: { reply: { cosigner_pk: serviceKey } },
  delegateSettle: {
    body: {
      ...delegated,
      intent_message: '{"type":"register"}',
      cosigner_pk: serviceKey,
      swap_id: id,
    },
    reply: { commitment_txid: txid },
  },
  health: { reply: 'ok' },
  live: { reply: { live: true } },
  ready: { reply: { ready: true } },
  proof: { query: { nonce: '77'.repeat(32), origin: 'http://127.0.0.1:7733' }, reply: { proof: '88'.repeat(32) } },
  version: { reply: { tag: '0.1.0', commit_hash: txid.slice(0, 40) } },
};
