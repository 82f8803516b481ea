import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fromBase64, toBase64 } from '../../engine/contract/base64.ts';
import { openapi } from '../../engine/contract/openapi.ts';
import { routeNames, routes } from '../../engine/contract/routes.ts';

interface Operation {
  parameters?: { name: string; required: boolean }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, unknown>;
}
interface Schema {
  type?: string;
  properties: Record<string, { type?: string; anyOf?: unknown }>;
  required: string[];
}

const document = openapi('0.1.0') as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Paths of every empty object inside, which would promise nothing. */
function hollow(json: unknown, path: string): string[] {
  if (typeof json !== 'object' || json === null) return [];
  const entries = Object.entries(json);
  return entries.length === 0 && !Array.isArray(json)
    ? [path]
    : entries.flatMap(([key, value]) => hollow(value, `${path}/${key}`));
}

function body(path: string): Schema {
  const schema = document.paths[path]?.['post']?.requestBody?.content['application/json']?.schema;
  if (schema === undefined) throw new Error(`${path} has no body`);
  return schema;
}

function answer(path: string): Schema | undefined {
  const reply = document.paths[path]?.['get']?.responses['200'] as Operation['requestBody'];
  return reply?.content['application/json']?.schema;
}

/** With `?` behind those that may be left out. */
function fieldsOf(schema: Schema | undefined): string[] {
  const { properties, required } = schema ?? { properties: {}, required: [] };
  return Object.keys(properties)
    .map((field) => (required.includes(field) ? field : `${field}?`))
    .sort();
}

/** What both requests into an EVM chain have, from Lightning and from the Bitcoin chain. */
const intoEvm = {
  claiming_address: 'string!',
  evm_chain_id: 'integer!',
  hash_lock: 'string!',
  target_address: 'string!',
  token_address: 'string!',
  user_id: 'string!',
  amount_in: 'integer',
  amount_out: 'string',
  bridge_recipient_setup: 'boolean',
  bridge_target_chain: 'string',
  bridge_target_token_address: 'string',
  extra_fees: 'integer',
  gasless: 'boolean',
  referral_code: 'string',
};

/** Those for a payment over Lightning, from Arkade and from the Bitcoin chain. */
const toLightning = {
  refund_pk: 'string!',
  user_id: 'string!',
  extra_fees: 'integer',
  lightning_address: 'string',
  lightning_invoice: 'string',
  lnurl: 'string',
  referral_code: 'string',
  source_amount_sats: 'integer',
  target_amount_sats: 'integer',
};

/** And both requests of ours for an HTLC on the Bitcoin chain, from Lightning and from Arkade. */
const toBitcoin = {
  btc_htlc_script_version: 'integer!',
  claim_pk: 'string!',
  hash_lock: 'string!',
  user_id: 'string!',
  extra_fees: 'integer',
  referral_code: 'string',
  source_amount_sats: 'integer',
  target_address: 'string',
  target_amount_sats: 'integer',
};

/**
 * Field names and JSON types of the requests of the published interface (facts/clients.md 1); `!` marks the required
 * ones.
 */
const tables: Record<string, Record<string, string>> = {
  '/swap/arkade/evm': {
    arkade_htlc_script_version: 'integer!',
    claiming_address: 'string!',
    evm_chain_id: 'integer!',
    hash_lock: 'string!',
    refund_pk: 'string!',
    target_address: 'string!',
    token_address: 'string!',
    user_id: 'string!',
    amount_in: 'integer',
    amount_out: 'string',
    bridge_recipient_setup: 'boolean',
    bridge_target_chain: 'string',
    bridge_target_token_address: 'string',
    extra_fees: 'integer',
    gasless: 'boolean',
    referral_code: 'string',
  },
  '/swap/evm/arkade': {
    arkade_htlc_script_version: 'integer!',
    evm_chain_id: 'integer!',
    hash_lock: 'string!',
    receiver_pk: 'string!',
    target_address: 'string!',
    token_address: 'string!',
    user_address: 'string!',
    user_id: 'string!',
    amount_in: 'string',
    amount_out: 'integer',
    bridge_source_chain: 'string',
    bridge_source_token_address: 'string',
    extra_fees: 'integer',
    gasless: 'boolean',
    referral_code: 'string',
  },
  '/swap/bitcoin/evm': {
    btc_htlc_script_version: 'integer!',
    ...intoEvm,
    refund_pk: 'string!',
  },
  '/swap/lightning/evm': { ...intoEvm, invoice_description: 'string' },
  '/swap/evm/lightning': {
    evm_chain_id: 'integer!',
    token_address: 'string!',
    user_address: 'string!',
    user_id: 'string!',
    amount_in: 'string',
    bridge_source_chain: 'string',
    bridge_source_token_address: 'string',
    extra_fees: 'integer',
    gasless: 'boolean',
    lightning_address: 'string',
    lightning_invoice: 'string',
    lnurl: 'string',
    referral_code: 'string',
    target_amount_sats: 'integer',
  },
  '/swap/evm/bitcoin': {
    btc_htlc_script_version: 'integer!',
    claim_pk: 'string!',
    evm_chain_id: 'integer!',
    hash_lock: 'string!',
    token_address: 'string!',
    user_address: 'string!',
    user_id: 'string!',
    amount_in: 'string',
    amount_out: 'integer',
    bridge_source_chain: 'string',
    bridge_source_token_address: 'string',
    extra_fees: 'integer',
    gasless: 'boolean',
    referral_code: 'string',
    target_address: 'string',
  },
  '/swap/arkade/lightning': { ...toLightning, arkade_htlc_script_version: 'integer!' },
  '/swap/lightning/arkade': {
    arkade_htlc_script_version: 'integer!',
    claim_pk: 'string!',
    hash_lock: 'string!',
    target_arkade_address: 'string!',
    user_id: 'string!',
    extra_fees: 'integer',
    invoice_description: 'string',
    referral_code: 'string',
    source_amount_sats: 'integer',
    target_amount_sats: 'integer',
  },
  '/swap/bitcoin/arkade': {
    arkade_htlc_script_version: 'integer!',
    btc_htlc_script_version: 'integer!',
    claim_pk: 'string!',
    hash_lock: 'string!',
    refund_pk: 'string!',
    sats_receive: 'integer!',
    target_arkade_address: 'string!',
    user_id: 'string!',
    extra_fees: 'integer',
    referral_code: 'string',
  },
  // An extension: fields of the others, by the same conventions.
  '/swap/lightning/bitcoin': { ...toBitcoin, invoice_description: 'string' },
  '/swap/arkade/bitcoin': { ...toBitcoin, arkade_htlc_script_version: 'integer!', refund_pk: 'string!' },
  '/swap/bitcoin/lightning': {
    ...toLightning,
    btc_htlc_script_version: 'integer!',
    signs_server_claim: 'boolean',
  },
  '/swap/{id}/claim-gasless': {
    secret: 'string!',
    destination: 'string!',
    v: 'integer!',
    r: 'string!',
    s: 'string!',
    dex_calldata: 'object',
    bridge_recipient: 'string',
    bridge_recipient_wallet: 'string',
  },
  '/api/swap/arkade-evm/{id}/collab-refund-delegate': { forfeit_psbts: 'array!', intent_proof: 'string!' },
};

const vhtlc =
  'arkade_htlc_script_version arkade_server_pk unilateral_claim_delay unilateral_refund_delay ' +
  'unilateral_refund_without_receiver_delay vhtlc_refund_locktime receiver_pk sender_pk arkade_claim_txid? ' +
  'arkade_fund_txid?';
const common =
  'id created_at network status fee_sats source_amount source_token target_amount target_token surplus_amount?';
const evm =
  'chain evm_chain_id evm_coordinator_address evm_expected_sats evm_htlc_address evm_htlc_kind evm_htlc_version ' +
  'evm_refund_locktime server_evm_address client_evm_address wbtc_address evm_claim_txid? evm_fund_txid?';
const fromEvm = `${evm} returned_amount? evm_funding_confirmations gasless bridge_source_chain? bridge_source_token_address?`;

const onBitcoin = 'btc_htlc_script_version btc_htlc_address btc_refund_locktime btc_claim_txid? btc_fund_txid?';
const ourHtlc = `${onBitcoin} btc_server_refund_pk btc_user_claim_pk btc_fund_vout? target_btc_address?`;

/** Fields of the records of the published interface (facts/clients.md 1); `?` marks the optional ones. */
const records: Record<string, string> = {
  ArkadeEvmRecord:
    `${common} ${vhtlc} ${evm} bridge_target_chain? bridge_target_token_address? btc_vhtlc_address btc_claim_txid? ` +
    'btc_fund_txid? target_evm_address? hash_lock',
  EvmArkadeRecord:
    `${common} ${fromEvm.replace('wbtc_address', 'wbtc_address?')} ${vhtlc} btc_vhtlc_address btc_claim_txid? btc_fund_txid? hash_lock ` +
    'target_arkade_address',
  BitcoinEvmRecord:
    `${common} ${evm} bridge_target_chain? bridge_target_token_address? btc_hash_lock evm_hash_lock btc_htlc_address ` +
    'btc_htlc_script_version btc_funding_confirmations? btc_refund_locktime btc_server_pk btc_claim_txid? ' +
    'btc_fund_txid? target_evm_address?',
  LightningEvmRecord:
    `${common} ${evm} bridge_target_chain? bridge_target_token_address? bolt11_invoice invoice_expires_at? ` +
    'target_evm_address? hash_lock',
  EvmLightningRecord:
    `${common} ${fromEvm} client_lightning_invoice hash_lock invoice_expires_at lightning_payment_settled ` +
    'network_fee_sats',
  EvmBitcoinRecord:
    `${common} ${fromEvm} btc_hash_lock evm_hash_lock btc_htlc_address btc_htlc_script_version btc_refund_locktime ` +
    'btc_server_refund_pk btc_user_claim_pk btc_claim_txid? btc_fund_txid? btc_fund_vout? target_btc_address?',
  ArkadeLightningRecord: `${common} ${vhtlc} arkade_vhtlc_address client_lightning_invoice hash_lock invoice_expires_at network_fee_sats`,
  LightningArkadeRecord:
    `${common} ${vhtlc} arkade_vhtlc_address bolt11_invoice hash_lock invoice_expires_at network_fee_sats ` +
    'target_arkade_address?',
  BitcoinArkadeRecord:
    `${common} ${vhtlc} arkade_vhtlc_address btc_htlc_address btc_htlc_script_version btc_funding_confirmations? ` +
    'btc_htlc_witness_script? btc_refund_locktime btc_server_claim_pk? btc_user_refund_pk? hash_lock sats_receive ' +
    'asset_amount server_vhtlc_pk target_arkade_address? btc_claim_txid? btc_fund_txid?',
  LightningBitcoinRecord: `${common} ${ourHtlc} bolt11_invoice hash_lock invoice_expires_at network_fee_sats`,
  ArkadeBitcoinRecord: `${common} ${vhtlc} ${ourHtlc} arkade_vhtlc_address hash_lock network_fee_sats`,
  BitcoinLightningRecord:
    `${common} ${onBitcoin} btc_server_claim_pk btc_user_refund_pk btc_funding_confirmations ` +
    'client_lightning_invoice hash_lock invoice_expires_at network_fee_sats',
};

const locking =
  'coordinator_address permit2_address source_token_address source_amount lock_token_address preimage_hash ' +
  'claim_address timelock calls calls_hash relay_fee?';

/** Fields of what a client is answered that locks on an EVM chain (facts/clients.md 46, 47). */
const answers: Record<string, string> = {
  '/swap/{id}/swap-and-lock-calldata-permit2': `${locking} eip2612?`,
  '/swap/{id}/swap-and-lock-calldata-userop': `${locking} aa`,
  '/aa/config': 'entry_point delegation_target permit2 bundler paymaster?',
};

describe('the published contract', () => {
  it('has every route of the table, each with a reply and the refusals it can answer', () => {
    for (const name of routeNames) {
      const { path, method, refusals, access } = routes[name];
      const any = access === 'public' ? 429 : 401;
      const operation = document.paths[path]?.[method.toLowerCase()];
      expect(Object.keys(operation?.responses ?? {}).sort(), name).toEqual(
        [...new Set(['200', 'default', String(any), ...refusals.map(String)])].sort(),
      );
    }
  });

  it('says what the ledger looks like as CSV', () => {
    const done = document.paths['/owner/ledger']?.['get']?.responses['200'] as {
      content: Record<string, { schema: { type: string; description: string } }>;
    };
    expect([Object.keys(done.content), done.content['text/csv']?.schema]).toEqual([
      ['application/json', 'text/csv'],
      { type: 'string', description: expect.stringContaining('time, swap_id, pair, kind, network, asset, amount') },
    ]);
  });

  it('leaves no schema empty, and refers only to what it has', () => {
    expect(hollow(document, '')).toEqual([]);
    for (const [, name = ''] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      expect(document.components.schemas).toHaveProperty(name);
  });

  it('asks for the fields of the contract, by name, type and need', () => {
    const fields = Object.fromEntries(
      Object.keys(tables).map((path) => {
        const { properties, required } = body(path);
        return [
          path,
          Object.fromEntries(
            Object.entries(properties).map(([name, { type }]) => [
              name,
              `${String(type)}${required.includes(name) ? '!' : ''}`,
            ]),
          ),
        ];
      }),
    );
    expect(fields).toEqual(tables);
  });

  it.each(Object.entries(records))('answers %s of the contract, field for field', (name, fields) => {
    expect(fieldsOf(document.components.schemas[name])).toEqual(fields.split(' ').sort());
  });

  it.each(Object.entries(answers))('answers GET %s, field for field', (path, fields) => {
    expect(fieldsOf(answer(path))).toEqual(fields.split(' ').sort());
  });

  it('has a table of fields for every create and its record', () => {
    const creates = Object.keys(document.paths).filter((path) => /^\/swap\/[a-z]+\/[a-z]+$/.test(path));
    expect(Object.keys(tables)).toEqual(expect.arrayContaining(creates));
    const ofSwaps = Object.keys(document.components.schemas).filter((name) =>
      /^[A-Z][a-z]+[A-Z][a-z]+Record$/.test(name),
    );
    expect(Object.keys(records).sort()).toEqual(ofSwaps.sort());
  });

  it('is the file that is checked in', () => {
    const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(read('resources/openapi.json')).toBe(`${JSON.stringify(openapi(version), null, 2)}\n`);
  });
});

describe('base64', () => {
  it('goes both ways for every length, and refuses what is not padded standard base64', () => {
    for (let length = 0; length < 20; length++) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 37 + length) & 0xff);
      expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
      expect(fromBase64(toBase64(bytes))).toEqual(bytes);
    }
    for (const text of ['A', 'AA', 'AA-_', 'A===', 'AA=A', 'AA AA===']) expect(fromBase64(text)).toBeNull();
  });
});
