import { describe, expect, it } from 'vitest';
import { parseRequest, type RawArgs, type RouteName } from '../../engine/contract/routes.ts';
import { bolt11 } from './bodies.ts';

const psbt = Buffer.from('psbt\xff rest', 'latin1').toString('base64');
const psbtBytes = new Uint8Array(Buffer.from(psbt, 'base64'));
const account = '0x9858effd232b4033e47d90003d41ec34ecaeda94';
const accountBytes = new Uint8Array(Buffer.from(account.slice(2), 'hex'));
const r = '11'.repeat(32);
const s = `0x${'22'.repeat(32)}`;
const rBytes = new Uint8Array(32).fill(0x11);
const sBytes = new Uint8Array(32).fill(0x22);
const claim = { secret: '33'.repeat(32), destination: account, v: 27, r, s };
const key = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

function part(name: RouteName, raw: RawArgs): unknown {
  const parsed = parseRequest(name, { params: { id: 'x' }, ...raw });
  return 'refusal' in parsed ? parsed.sentence : 'body' in raw ? parsed.body : parsed.query;
}

const quoted = {
  source_chain: 'Arkade',
  source_token: 'btc',
  target_chain: '137',
  target_token: '0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6',
};

describe('the other requests in domain terms', () => {
  const read: [string, RouteName, RawArgs, unknown][] = [
    [
      'a filter of tokens',
      'tokens',
      { query: { source_chain: 'Arkade', source_token: 'BTC' } },
      { source: { chain: 'Arkade', token: 'btc' }, target: null },
    ],
    [
      'half a filter with values that nobody knows',
      'tokens',
      { query: { source_chain: 'Mars', target_token: 'USDC' } },
      { source: null, target: null },
    ],
    [
      'half a filter, which filters nothing',
      'tokens',
      { query: { source_chain: 'Arkade', target_token: 'btc' } },
      { source: null, target: null },
    ],
    [
      'a quote',
      'quote',
      {
        query: {
          ...quoted,
          source_amount: '50000',
          extra_fees: '12',
          ref: 'friend',
          bridge_target_chain: 'Base',
          bridge_recipient_setup: 'true',
        },
      },
      {
        source: { chain: 'Arkade', token: 'btc' },
        target: { chain: '137', token: quoted.target_token.toLowerCase() },
        amount: { pinned: 'source', amount: 50_000n },
        bridgeSource: null,
        bridgeTarget: { chain: 'Base', token: null, recipientSetup: true },
        referralCode: 'friend',
        extraFeesBps: 12,
      },
    ],
    [
      'a Lightning payout to an invoice, from Arkade by default',
      'lightningSendQuote',
      { query: { lightning_invoice: bolt11 } },
      {
        sourceChain: 'Arkade',
        sourceToken: null,
        sourceInSats: false,
        payee: { is: 'invoice', bolt11, amount: 250_000n },
        referralCode: null,
        extraFeesBps: 0,
      },
    ],
    [
      'a Lightning payout by the deprecated amount',
      'lightningSendQuote',
      { query: { source_amount_sats: '700', lightning_address: 'Alice@example.com' } },
      {
        sourceChain: 'Arkade',
        sourceToken: null,
        sourceInSats: true,
        payee: { is: 'address', text: 'alice@example.com', amount: { pinned: 'source', amount: 700n } },
        referralCode: null,
        extraFeesBps: 0,
      },
    ],
    ['ids', 'bulkStatus', { body: { ids: ['a', 'b'] } }, { ids: ['a', 'b'] }],
    ['a recovery', 'recover', { body: { xpub: 'xpub1', start_index: 21 } }, { xpub: 'xpub1', startIndex: 21 }],
    [
      'a collaborative refund',
      'collabRefund',
      { body: { ark_tx: psbt, checkpoint_txs: [psbt] } },
      { arkTx: psbtBytes, checkpoints: [psbtBytes] },
    ],
    [
      'a delegate refund',
      'collabRefundDelegate',
      { body: { intent_proof: psbt, forfeit_psbts: [psbt, psbt] } },
      { intentProof: psbtBytes, forfeits: [psbtBytes, psbtBytes] },
    ],
    [
      'a delegate settlement',
      'delegateSettle',
      {
        body: {
          intent_proof: psbt,
          intent_message: '{}',
          forfeit_psbts: [psbt],
          cosigner_pk: key,
          swap_id: '1',
          preimage: s,
        },
      },
      {
        intentProof: psbtBytes,
        forfeits: [psbtBytes],
        message: '{}',
        cosigner: { key: new Uint8Array(Buffer.from(key, 'hex')), text: key },
        swapId: '1',
        preimage: sBytes,
      },
    ],
    [
      'a gasless claim, hex with and without 0x',
      'claimGasless',
      { body: { ...claim, dex_calldata: { data: '0xaabb', to: account, value: '7' } } },
      {
        destination: accountBytes,
        bridgeRecipient: null,
        bridgeRecipientWallet: null,
        secret: new Uint8Array(32).fill(0x33),
        signature: { v: 27, r: rBytes, s: sBytes },
        dexCall: { target: accountBytes, value: 7n, data: new Uint8Array([0xaa, 0xbb]) },
      },
    ],
    [
      'redeem data',
      'redeemData',
      { query: { destination: account } },
      { destination: accountBytes, bridgeRecipient: null, bridgeRecipientWallet: null },
    ],
    [
      'a gasless funding as published clients send it',
      'fundGasless',
      {
        body: {
          permit2_nonce: '9',
          permit2_deadline: 1_800_000_000,
          permit2_signature: `0x${'44'.repeat(65)}`,
          calls: [{ target: account, value: '0', call_data: '0x' }],
          eip2612_permit: { value: (2n ** 256n - 1n).toString(), deadline: 5, nonce: 3, v: 28, r, s: '22'.repeat(32) },
        },
      },
      {
        permit2: { nonce: 9n, deadline: 1_800_000_000, signature: new Uint8Array(65).fill(0x44) },
        calls: [{ target: accountBytes, value: 0n, data: new Uint8Array() }],
        permit: { value: 2n ** 256n - 1n, deadline: 5n, signature: { v: 28, r: rBytes, s: sBytes } },
      },
    ],
    [
      'a collaborative EVM refund',
      'collabRefundEvm',
      { body: { v: 27, r: `0x${r}`, s, depositor_address: account } },
      { depositor: accountBytes, signature: { v: 27, r: rBytes, s: sBytes } },
    ],
    [
      'a page of swaps',
      'ownerSwaps',
      { query: { direction: 'lightning_to_arkade', open: 'true', limit: '10' } },
      { direction: 'lightning-arkade', status: null, open: true, text: null, cursor: null, limit: 10 },
    ],
    [
      'a page of the ledger',
      'ownerLedger',
      { query: { from: '5', pair: 'btc_to_arkade', format: 'csv' } },
      { from: 5, to: null, pair: 'bitcoin-arkade', format: 'csv', cursor: null },
    ],
  ];
  it.each(read)('%s', (_what, name, raw, expected) => {
    expect(part(name, raw)).toEqual(expected);
  });
});

describe('the other requests are refused with a sentence of their own for', () => {
  const faults: [string, RouteName, RawArgs, string][] = [
    [
      'a chain value nobody knows',
      'tokens',
      { query: { source_chain: 'Mars', source_token: 'btc' } },
      'source_chain cannot be "Mars": send one of Arkade, Lightning, Bitcoin, 137, 1, 42161, 30, 31.',
    ],
    [
      'a parameter given twice',
      'tokens',
      { query: { source_chain: ['Arkade', 'Bitcoin'], source_token: 'btc' } },
      'source_chain cannot be a list of 2: send one of Arkade, Lightning, Bitcoin, 137, 1, 42161, 30, 31.',
    ],
    [
      'a token that is no address',
      'tokens',
      { query: { source_chain: 'Arkade', source_token: 'USDC' } },
      'source_token cannot be "USDC": send btc, or the address of a token (0x and 40 hex digits).',
    ],
    [
      'a quote of both amounts',
      'quote',
      { query: { ...quoted, source_amount: '1', target_amount: '1' } },
      'source_amount and target_amount exclude each other: send only one of them.',
    ],
    [
      'a quote of no amount',
      'quote',
      { query: quoted },
      'The amount is missing: send exactly one of source_amount and target_amount.',
    ],
    [
      'both spellings of the source amount',
      'lightningSendQuote',
      { query: { source_amount: '1', source_amount_sats: '1' } },
      'source_amount and source_amount_sats exclude each other: send only source_amount.',
    ],
    [
      'a Lightning payout to nobody',
      'lightningSendQuote',
      { query: { target_amount_sats: '1' } },
      'The destination is missing: send one of lightning_invoice, lightning_address and lnurl.',
    ],
    [
      'a Lightning payout to an address without an amount',
      'lightningSendQuote',
      { query: { lightning_address: 'a@b.c' } },
      'The amount is missing: send exactly one of source_amount and target_amount_sats.',
    ],
    [
      'a Lightning payout of another amount than the invoice asks for',
      'lightningSendQuote',
      { query: { lightning_invoice: bolt11, target_amount_sats: '1' } },
      'target_amount_sats is 1 but the invoice asks for 250000 sats: send 250000 or leave target_amount_sats out.',
    ],
    [
      '101 ids',
      'bulkStatus',
      { body: { ids: Array.from({ length: 101 }, String) } },
      'ids must be a list of 0 to 100 items: send the ids of swaps.',
    ],
    [
      'ids that are no list',
      'bulkStatus',
      { body: { ids: 'a' } },
      'ids must be a list of 0 to 100 items: send the ids of swaps.',
    ],
    [
      'a negative index',
      'recover',
      { body: { xpub: 'x', start_index: -1 } },
      'start_index cannot be -1: send the first index to look at as a whole number from 0 to 2147483647.',
    ],
    [
      'base64 that is none',
      'collabRefund',
      { body: { ark_tx: '!!!!', checkpoint_txs: [psbt] } },
      'ark_tx cannot be "!!!!", it is not base64: send the transaction that spends the VHTLC through its refund ' +
        'leaf as the base64 text of a PSBT.',
    ],
    [
      'base64 that is no PSBT',
      'collabRefund',
      { body: { ark_tx: 'AAAA', checkpoint_txs: [psbt] } },
      'ark_tx cannot be "AAAA", it is not a PSBT: send the transaction that spends the VHTLC through its refund ' +
        'leaf as the base64 text of a PSBT.',
    ],
    [
      'no checkpoint',
      'collabRefund',
      { body: { ark_tx: psbt, checkpoint_txs: [] } },
      'checkpoint_txs must be a list of 1 to 100 items: send one checkpoint for each input.',
    ],
    [
      'a preimage without a swap',
      'delegateSettle',
      { body: { intent_proof: psbt, intent_message: '{}', forfeit_psbts: [psbt], cosigner_pk: key, preimage: s } },
      'preimage needs swap_id: send both, or neither.',
    ],
    [
      'a short secret, without repeating it',
      'claimGasless',
      { body: { ...claim, secret: '3333' } },
      'secret cannot be the given value, it has 4 hex digits and needs 64: send 64 hex digits, 0x optional, the ' +
        'secret of the swap.',
    ],
    [
      'a long secret, without repeating it',
      'claimGasless',
      { body: { ...claim, secret: `0x${'33'.repeat(33)}` } },
      'secret cannot be the given value, it has 66 hex digits and needs 64: send 64 hex digits, 0x optional, the ' +
        'secret of the swap.',
    ],
    [
      'an unparseable destination',
      'redeemData',
      { query: { destination: 'alice' } },
      'destination cannot be "alice", it does not start with 0x: send an EVM address (0x and 40 hex digits), the ' +
        'account that receives the tokens.',
    ],
    [
      'a bridge wallet without its recipient',
      'redeemData',
      { query: { destination: account, bridge_recipient_wallet: account } },
      'bridge_recipient_wallet needs bridge_recipient: send both, or neither.',
    ],
    [
      'calldata that is no object',
      'claimGasless',
      { body: { ...claim, dex_calldata: 'x' } },
      'dex_calldata must be a JSON object: send the calldata as redeem-and-swap-calldata gave it.',
    ],
    [
      'a Permit2 signature of 64 bytes',
      'fundGasless',
      { body: { permit2_nonce: '9', permit2_deadline: 1, permit2_signature: `0x${'44'.repeat(64)}`, calls: [] } },
      'permit2_signature has 64 bytes and needs 65: send 0x, r, s and v.',
    ],
    [
      'a pause without a reason',
      'ownerPause',
      { body: {} },
      'reason is required: send why swaps are paused, 1 to 500 characters of text.',
    ],
    [
      'a page of 501 swaps',
      'ownerSwaps',
      { query: { limit: '501' } },
      'limit cannot be "501": send how many as a whole number from 1 to 500.',
    ],
  ];
  it.each(faults)('%s', (_condition, name, raw, sentence) => {
    expect(part(name, raw)).toBe(sentence);
  });
});
