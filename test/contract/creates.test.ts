import { describe, expect, it } from 'vitest';
import { fromHex } from '../../engine/domain/hex.ts';
import { parseRequest, type RouteName } from '../../engine/contract/routes.ts';
import { bodies, bolt11 } from './bodies.ts';

type Create = keyof typeof bodies;

const clientKey = {
  key: fromHex('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'),
  text: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
};
const common = { userId: 'wallet-1', extraFeesBps: 0, referralCode: null };
const account = fromHex('9858effd232b4033e47d90003d41ec34ecaeda94');
const token = fromHex('1bfd67037b42cf73acf2047067bd4f2c47d9bfd6');
const hash = new Uint8Array(32).fill(0xab);

function parsed(name: RouteName, body: unknown): unknown {
  const result = parseRequest(name, { body });
  return 'refusal' in result ? result : result.body;
}

function changed(name: Create, change: Record<string, unknown>): unknown {
  return parsed(name, { ...bodies[name], ...change });
}

describe('a create request in domain terms', () => {
  it('is bytes, amounts and choices, for every direction', () => {
    expect(
      Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, parsed(name as Create, body)])),
    ).toEqual({
      createLightningArkade: {
        ...common,
        claimKey: clientKey,
        hash,
        targetAddress: bodies.createLightningArkade.target_arkade_address,
        amount: { pinned: 'source', amount: 50_000n },
        description: null,
      },
      createArkadeLightning: { ...common, refundKey: clientKey, payee: { is: 'invoice', bolt11, amount: 250_000n } },
      createBitcoinArkade: {
        ...common,
        claimKey: clientKey,
        refundKey: clientKey,
        hash: new Uint8Array(20).fill(0xcd),
        receive: 40_000n,
        targetAddress: bodies.createBitcoinArkade.target_arkade_address,
      },
      createArkadeEvm: {
        ...common,
        refundKey: clientKey,
        hash,
        evmChainId: 137,
        claimingAddress: account,
        claimingText: '0x9858effd232b4033e47d90003d41ec34ecaeda94',
        token,
        target: { is: 'evm', address: account },
        amount: { pinned: 'source', amount: 50_000n },
        gasless: true,
        bridge: null,
      },
      createEvmLightning: {
        ...common,
        evmChainId: 137,
        token,
        userAddress: account,
        userText: '0x9858effd232b4033e47d90003d41ec34ecaeda94',
        gasless: false,
        bridge: null,
        payee: { is: 'address', text: 'alice@example.com', amount: { pinned: 'source', amount: 1_000_000n } },
      },
      createEvmBitcoin: {
        ...common,
        evmChainId: 137,
        token,
        userAddress: account,
        userText: '0x9858effd232b4033e47d90003d41ec34ecaeda94',
        gasless: false,
        bridge: null,
        claimKey: clientKey,
        hash,
        amount: { pinned: 'target', amount: 40_000n },
        targetAddress: null,
      },
    });
  });

  it('takes null as absent, ignores unknown fields, and reads numbers sent as digits', () => {
    const nulls = { target_amount_sats: null, invoice_description: null, extra_fees: null, referral_code: null };
    expect(
      changed('createLightningArkade', {
        ...nulls,
        colour: 'blue',
        source_amount_sats: '50000',
        arkade_htlc_script_version: '1',
      }),
    ).toEqual(parsed('createLightningArkade', bodies.createLightningArkade));
    expect(changed('createEvmLightning', { amount_in: 1_000_000 })).toEqual(
      parsed('createEvmLightning', bodies.createEvmLightning),
    );
  });

  it('takes an x-only key for the key with the even y, and keeps its text', () => {
    expect(changed('createLightningArkade', { claim_pk: clientKey.text.slice(2).toUpperCase() })).toMatchObject({
      claimKey: { key: clientKey.key, text: clientKey.text.slice(2) },
    });
  });

  it('carries fees, referral, description, bridge and the gasless choice', () => {
    expect(
      changed('createLightningArkade', {
        extra_fees: 30,
        referral_code: 'friend',
        invoice_description: 'é'.repeat(319),
      }),
    ).toMatchObject({ extraFeesBps: 30, referralCode: 'friend', description: 'é'.repeat(319) });
    expect(changed('createLightningArkade', { referral_code: '' })).toMatchObject({ referralCode: null });
    const solana = 'So11111111111111111111111111111111111111112';
    expect(
      changed('createArkadeEvm', {
        gasless: false,
        target_address: solana,
        bridge_target_chain: 'Solana',
        bridge_target_token_address: solana,
        bridge_recipient_setup: true,
      }),
    ).toMatchObject({
      gasless: false,
      target: { is: 'base58', text: solana },
      bridge: { chain: 'Solana', token: solana, recipientSetup: true },
    });
    expect(
      changed('createEvmBitcoin', {
        gasless: true,
        bridge_source_chain: 'Base',
        target_address: 'bcrt1qexampleexampleexample',
      }),
    ).toMatchObject({
      gasless: true,
      bridge: { chain: 'Base', token: null },
      targetAddress: 'bcrt1qexampleexampleexample',
    });
  });

  it('takes an LNURL of either form, the path of one as it is written', () => {
    const asks = (lnurl: string) => {
      const body = { lightning_invoice: null, target_amount_sats: 9, lnurl };
      return changed('createArkadeLightning', body);
    };
    expect([asks(`LIGHTNING:${toLnurl.lnurl.toUpperCase()}`), asks('lnurlp://pay.example/To?As=1')]).toMatchObject([
      { payee: { is: 'lnurl', text: toLnurl.lnurl } },
      { payee: { is: 'lnurl', text: 'lnurlp://pay.example/To?As=1' } },
    ]);
  });

  it('reads an invoice in capitals and behind its URI scheme', () => {
    expect(changed('createArkadeLightning', { lightning_invoice: `LIGHTNING:${bolt11.toUpperCase()}` })).toEqual(
      parsed('createArkadeLightning', bodies.createArkadeLightning),
    );
  });
});

const toLnurl = { lightning_invoice: null, lnurl: 'lnurl1dp68gurn8ghj7um9wfmxjcm99e3k7mf0v9cxj0m385ekvcenxc6r2c35' };
const huge = '0'.repeat(80);

/** Every condition that a create refuses (facts/clients.md 4 to 6), with the sentence it answers. */
const faults: [condition: string, route: Create, change: Record<string, unknown>, sentence: string][] = [
  [
    'both amounts',
    'createLightningArkade',
    { target_amount_sats: 1 },
    'source_amount_sats and target_amount_sats exclude each other: send only one of them.',
  ],
  [
    'neither amount',
    'createLightningArkade',
    { source_amount_sats: null },
    'The amount is missing: send exactly one of source_amount_sats and target_amount_sats.',
  ],
  [
    'both amounts of an EVM payout',
    'createArkadeEvm',
    { amount_out: '5' },
    'amount_in and amount_out exclude each other: send only one of them.',
  ],
  [
    'neither amount of an EVM payout',
    'createArkadeEvm',
    { amount_in: null },
    'The amount is missing: send exactly one of amount_in and amount_out.',
  ],
  [
    'both amounts of a Bitcoin payout',
    'createEvmBitcoin',
    { amount_in: '5' },
    'amount_in and amount_out exclude each other: send only one of them.',
  ],
  [
    'both amounts with an address',
    'createEvmLightning',
    { target_amount_sats: 7 },
    'amount_in and target_amount_sats exclude each other: send only one of them.',
  ],
  [
    'neither amount with an LNURL',
    'createArkadeLightning',
    toLnurl,
    'The amount is missing: send exactly one of source_amount_sats and target_amount_sats.',
  ],
  [
    'a source amount with an invoice',
    'createArkadeLightning',
    { source_amount_sats: 9 },
    'source_amount_sats cannot be combined with lightning_invoice, which fixes the payout: leave ' +
      'source_amount_sats out.',
  ],
  [
    'amount_in with an invoice',
    'createEvmLightning',
    { lightning_address: null, lightning_invoice: bolt11 },
    'amount_in cannot be combined with lightning_invoice, which fixes the payout: leave amount_in out.',
  ],
  [
    'two destinations',
    'createArkadeLightning',
    { lightning_address: 'a@b.c' },
    'lightning_address, lightning_invoice and lnurl exclude each other: send only one of them.',
  ],
  [
    'three destinations',
    'createEvmLightning',
    { ...toLnurl, lightning_invoice: bolt11 },
    'lightning_address, lightning_invoice and lnurl exclude each other: send only one of them.',
  ],
  [
    'no destination',
    'createArkadeLightning',
    { lightning_invoice: null },
    'The destination is missing: send one of lightning_invoice, lightning_address and lnurl.',
  ],
  [
    'an invoice without an amount',
    'createArkadeLightning',
    { lightning_invoice: bolt11.replace('2500u', '') },
    'lightning_invoice carries no amount: make an invoice that says how much it asks for.',
  ],
  [
    'an invoice over a fraction of a satoshi',
    'createArkadeLightning',
    { lightning_invoice: bolt11.replace('2500u', '15n') },
    'lightning_invoice asks for 1500 millisatoshis, which is no whole number of satoshis: make an invoice over ' +
      'whole satoshis.',
  ],
  [
    'text that is no invoice',
    'createArkadeLightning',
    { lightning_invoice: bolt11.replace('lnbcrt', 'lnxyzt') },
    'lightning_invoice is not a Lightning invoice: send the BOLT11 text as the wallet shows it.',
  ],
  [
    'a target that differs from the invoice',
    'createArkadeLightning',
    { target_amount_sats: 249_999 },
    'target_amount_sats is 249999 but the invoice asks for 250000 sats: send 250000 or leave target_amount_sats out.',
  ],
  [
    'a description of 640 bytes',
    'createLightningArkade',
    { invoice_description: 'x'.repeat(640) },
    'invoice_description has 640 bytes of UTF-8 and the limit is 639: shorten it.',
  ],
  [
    'a description with half of a pair',
    'createLightningArkade',
    { invoice_description: 'tea \ud83d' },
    'invoice_description cannot be "tea ?", it is not valid Unicode: send text of at most 639 bytes for the payer ' +
      'to read.',
  ],
  [
    'a description of 320 characters and 640 bytes',
    'createLightningArkade',
    { invoice_description: 'é'.repeat(320) },
    'invoice_description has 640 bytes of UTF-8 and the limit is 639: shorten it.',
  ],
  [
    'a negative surcharge',
    'createLightningArkade',
    { extra_fees: -1 },
    'extra_fees cannot be -1: send a surcharge in basis points as a whole number from 0 to 10000.',
  ],
  [
    'a surcharge above everything',
    'createLightningArkade',
    { extra_fees: 10_001 },
    'extra_fees cannot be 10001: send a surcharge in basis points as a whole number from 0 to 10000.',
  ],
  [
    'an unparseable claiming address',
    'createArkadeEvm',
    { claiming_address: '0x1234' },
    'claiming_address cannot be "0x1234", it has 4 hex digits and needs 40: send an EVM address (0x and 40 hex ' +
      'digits), the account that signs the HTLC claim, on EVM also for other bridge targets.',
  ],
  [
    'a chain nobody knows',
    'createArkadeEvm',
    { evm_chain_id: 5 },
    'evm_chain_id cannot be 5: send the number of a chain this protocol knows: 1, 137, 42161, 30, 31.',
  ],
  [
    'a base58 target without a bridge',
    'createArkadeEvm',
    { target_address: 'So11111111111111111111111111111111111111112' },
    'target_address is no EVM address, which only a bridge to another chain allows: send 0x and 40 hex digits, or ' +
      'name bridge_target_chain.',
  ],
  [
    'a bridge token without its chain',
    'createEvmLightning',
    { bridge_source_token_address: `0x${'11'.repeat(20)}` },
    'bridge_source_token_address needs bridge_source_chain: send both or neither.',
  ],
  [
    'a hash without its prefix',
    'createLightningArkade',
    { hash_lock: 'ab'.repeat(32) },
    `hash_lock cannot be "${'ab'.repeat(32)}", it does not start with 0x: send 0x and 64 hex digits, SHA-256 of ` +
      `the client's secret.`,
  ],
  [
    'a hash of 31 bytes',
    'createArkadeEvm',
    { hash_lock: `0x${'ab'.repeat(31)}` },
    `hash_lock cannot be "0x${'ab'.repeat(31)}", it has 62 hex digits and needs 64: send 0x and 64 hex digits, ` +
      `SHA-256 of the client's secret.`,
  ],
  [
    'a hash of 32 bytes where 20 belong',
    'createBitcoinArkade',
    { hash_lock: 'cd'.repeat(32) },
    `hash_lock cannot be "${'cd'.repeat(32)}", it has 64 hex digits and needs 40: send 40 hex digits without 0x, ` +
      `RIPEMD-160 of SHA-256 of the client's secret (20 bytes).`,
  ],
  [
    'a prefixed hash where bare hex belongs',
    'createBitcoinArkade',
    { hash_lock: `0x${'cd'.repeat(20)}` },
    `hash_lock cannot be "0x${'cd'.repeat(20)}", it starts with 0x: send 40 hex digits without 0x, RIPEMD-160 of ` +
      `SHA-256 of the client's secret (20 bytes).`,
  ],
  [
    'a hash that is no hex',
    'createEvmBitcoin',
    { hash_lock: `0x${'zz'.repeat(32)}` },
    `hash_lock cannot be "0x${'zz'.repeat(32)}", it is not hexadecimal: send 0x and 64 hex digits, SHA-256 of the ` +
      `client's secret.`,
  ],
  [
    'an uncompressed key',
    'createLightningArkade',
    { claim_pk: `04${'ab'.repeat(64)}` },
    `claim_pk cannot be "04${'ab'.repeat(35)}...", it has 130 hex digits and needs 66 or 64: send the user's ` +
      'claim key as 66 hex digits (compressed) or 64 hex digits (x-only), without 0x.',
  ],
  [
    'a key with a wrong first byte',
    'createArkadeLightning',
    { refund_pk: `05${'ab'.repeat(32)}` },
    `refund_pk cannot be "05${'ab'.repeat(32)}", a compressed key starts with 02 or 03: send the user's refund ` +
      'key as 66 hex digits (compressed) or 64 hex digits (x-only), without 0x.',
  ],
  [
    'a key behind 0x',
    'createArkadeLightning',
    { refund_pk: `0x${'ab'.repeat(32)}` },
    `refund_pk cannot be "0x${'ab'.repeat(32)}", it starts with 0x: send the user's refund key as 66 hex digits ` +
      '(compressed) or 64 hex digits (x-only), without 0x.',
  ],
  [
    'another version of the VHTLC',
    'createLightningArkade',
    { arkade_htlc_script_version: 2 },
    'arkade_htlc_script_version cannot be 2: send the integer 1, the version of new swaps.',
  ],
  [
    'another version of the Bitcoin script',
    'createBitcoinArkade',
    { btc_htlc_script_version: 0 },
    'btc_htlc_script_version cannot be 0: send the integer 1, the version of new swaps.',
  ],
  [
    'no version',
    'createArkadeLightning',
    { arkade_htlc_script_version: undefined },
    'arkade_htlc_script_version is required: send the integer 1, the version of new swaps.',
  ],
  [
    'null for a required field',
    'createLightningArkade',
    { user_id: null },
    'user_id is required: send an identifier derived by the wallet, used for recovery, 1 to 200 characters of text.',
  ],
  [
    'an empty user_id',
    'createLightningArkade',
    { user_id: '' },
    'user_id cannot be an empty text: send an identifier derived by the wallet, used for recovery, 1 to 200 ' +
      'characters of text.',
  ],
  [
    'a zero amount',
    'createBitcoinArkade',
    { sats_receive: 0 },
    'sats_receive cannot be 0: send the amount the user wants on Arkade as a whole number of satoshis, at least 1.',
  ],
  [
    'a negative amount',
    'createBitcoinArkade',
    { sats_receive: -5 },
    'sats_receive cannot be -5: send the amount the user wants on Arkade as a whole number of satoshis, at least 1.',
  ],
  [
    'half a satoshi',
    'createBitcoinArkade',
    { sats_receive: 0.5 },
    'sats_receive cannot be 0.5: send the amount the user wants on Arkade as a whole number of satoshis, at least 1.',
  ],
  [
    'more bitcoin than exist',
    'createBitcoinArkade',
    { sats_receive: '2100000000000001' },
    'sats_receive cannot be "2100000000000001": send the amount the user wants on Arkade as a whole number of ' +
      'satoshis, at least 1.',
  ],
  [
    'an amount beyond 2^256',
    'createEvmLightning',
    { amount_in: (2n ** 256n).toString() },
    `amount_in cannot be "${(2n ** 256n).toString().slice(0, 72)}...": send the source amount as the decimal ` +
      `digits of a whole number of the token's smallest units, at least 1.`,
  ],
  [
    'an amount of 80 digits',
    'createEvmLightning',
    { amount_in: huge },
    `amount_in cannot be "${huge.slice(0, 72)}...": send the source amount as the decimal digits of a whole ` +
      `number of the token's smallest units, at least 1.`,
  ],
  [
    'an amount in scientific notation',
    'createEvmLightning',
    { amount_in: '1e6' },
    `amount_in cannot be "1e6": send the source amount as the decimal digits of a whole number of the token's ` +
      'smallest units, at least 1.',
  ],
  [
    'a flag that is text',
    'createEvmBitcoin',
    { gasless: 'yes' },
    'gasless cannot be "yes": send true or false, whether the service submits the funding transaction; false by ' +
      'default.',
  ],
  [
    'an Arkade address that is none',
    'createLightningArkade',
    { target_arkade_address: 'bc1qxyz' },
    'target_arkade_address cannot be "bc1qxyz": send an Arkade address, which starts with ark1 or tark1.',
  ],
  [
    'a lightning address without a domain',
    'createEvmLightning',
    { lightning_address: 'alice' },
    'lightning_address cannot be "alice": send it as user@domain.',
  ],
  [
    'markup in a value',
    'createLightningArkade',
    { target_arkade_address: '<b onload="x">' },
    'target_arkade_address cannot be "?b onload=?x??": send an Arkade address, which starts with ark1 or tark1.',
  ],
];

describe('a create request is refused with a sentence of its own for', () => {
  it.each(faults)('%s', (_condition, route, change, sentence) => {
    expect(changed(route, change)).toEqual({ refusal: 'invalid', sentence });
  });

  it('a body that is no object', () => {
    for (const body of [[], 'text', 7, true])
      expect(parsed('createLightningArkade', body)).toEqual({
        refusal: 'invalid',
        sentence: 'The request needs a JSON object.',
      });
  });

  it('every required field that is missing, naming it', () => {
    for (const [name, body] of Object.entries(bodies))
      for (const field of Object.keys(body).filter((key) => !/amount|lightning/.test(key))) {
        const refusal = changed(name as Create, { [field]: undefined }) as { sentence: string };
        expect(refusal.sentence).toMatch(new RegExp(`^${field} is required: send `));
      }
  });
});
