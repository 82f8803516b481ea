import type { Json } from './http.ts';

/**
 * The tables of a record in the published interface (facts/clients.md 1), as text: what must be there and of which
 * type.
 */
type Kind =
  | 'text'
  | 'amount'
  | 'whole'
  | 'flag'
  | 'hash'
  | 'hash160'
  | 'hex'
  | 'key'
  | 'xOnly'
  | 'account'
  | 'txid'
  | 'time'
  | 'date'
  | 'token';

const kinds: Record<Kind, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string' && value !== '',
  amount: (value) => typeof value === 'string' && /^[1-9]\d*$/.test(value),
  whole: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  flag: (value) => typeof value === 'boolean',
  hash160: (value) => typeof value === 'string' && /^[0-9a-f]{40}$/.test(value),
  hex: (value) => typeof value === 'string' && /^([0-9a-f]{2})+$/.test(value),
  xOnly: (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
  account: (value) => typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value),
  hash: (value) => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value),
  key: (value) => typeof value === 'string' && /^(0[23])?[0-9a-f]{64}$/.test(value),
  txid: (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
  time: (value) =>
    Number.isSafeInteger(value) && (value as number) > 1_700_000_000 && (value as number) < 4_000_000_000,
  date: (value) => typeof value === 'string' && new Date(value).toISOString() === value,
  token: (value) =>
    decimalsFit(value as Json) &&
    Object.keys(value as object)
      .toSorted()
      .join() === 'chain,decimals,name,symbol,token_id',
};

function decimalsFit({ chain, decimals }: Json): boolean {
  return ['Arkade', 'Lightning', 'Bitcoin'].includes(String(chain)) ? decimals === 8 : kinds.whole(decimals);
}

const common = {
  id: 'text',
  created_at: 'date',
  network: 'text',
  status: 'text',
  fee_sats: 'whole',
  source_amount: 'amount',
  source_token: 'token',
  target_amount: 'amount',
  target_token: 'token',
} as const;
const vhtlc = {
  arkade_htlc_script_version: 'whole',
  arkade_server_pk: 'key',
  unilateral_claim_delay: 'whole',
  unilateral_refund_delay: 'whole',
  unilateral_refund_without_receiver_delay: 'whole',
  vhtlc_refund_locktime: 'time',
  receiver_pk: 'key',
  sender_pk: 'key',
} as const;
const evm = {
  chain: 'text',
  evm_chain_id: 'whole',
  evm_coordinator_address: 'account',
  evm_expected_sats: 'amount',
  evm_htlc_address: 'account',
  evm_htlc_kind: 'text',
  evm_htlc_version: 'whole',
  evm_refund_locktime: 'time',
  server_evm_address: 'account',
  client_evm_address: 'account',
  wbtc_address: 'account',
} as const;
const evmSource = { ...evm, evm_funding_confirmations: 'whole', gasless: 'flag' } as const;
const onchain = {
  btc_htlc_address: 'text',
  btc_htlc_script_version: 'whole',
  btc_refund_locktime: 'time',
} as const;
/** Whose key is the aggregate of both, and whose refund opens at a height. */
const htlcOfService = {
  ...onchain,
  btc_refund_locktime: 'whole',
  btc_server_refund_pk: 'key',
  btc_user_claim_pk: 'key',
} as const;
const withLightning = {
  ...common,
  ...vhtlc,
  arkade_vhtlc_address: 'text',
  hash_lock: 'hash',
  invoice_expires_at: 'time',
  network_fee_sats: 'whole',
} as const;

export type RecordOf =
  | 'lightning_to_arkade'
  | 'arkade_to_lightning'
  | 'btc_to_arkade'
  | 'evm_to_bitcoin'
  | 'evm_to_arkade'
  | 'bitcoin_to_evm'
  | 'lightning_to_bitcoin'
  | 'bitcoin_to_lightning'
  | 'arkade_to_bitcoin';

const tables: Record<RecordOf, Readonly<Record<string, Kind>>> = {
  lightning_to_arkade: { ...withLightning, bolt11_invoice: 'text', target_arkade_address: 'text' },
  arkade_to_lightning: { ...withLightning, client_lightning_invoice: 'text' },
  btc_to_arkade: {
    ...common,
    ...vhtlc,
    ...onchain,
    arkade_vhtlc_address: 'text',
    hash_lock: 'hash160',
    sats_receive: 'whole',
    asset_amount: 'whole',
    btc_funding_confirmations: 'whole',
    server_vhtlc_pk: 'key',
    target_arkade_address: 'text',
  },
  evm_to_arkade: {
    ...common,
    ...evmSource,
    ...vhtlc,
    btc_vhtlc_address: 'text',
    hash_lock: 'hash',
    target_arkade_address: 'text',
  },
  arkade_to_bitcoin: {
    ...common,
    ...vhtlc,
    ...htlcOfService,
    arkade_vhtlc_address: 'text',
    hash_lock: 'hash',
    network_fee_sats: 'whole',
  },
  bitcoin_to_lightning: {
    ...common,
    ...onchain,
    btc_refund_locktime: 'whole',
    btc_server_claim_pk: 'key',
    btc_user_refund_pk: 'key',
    btc_funding_confirmations: 'whole',
    client_lightning_invoice: 'text',
    hash_lock: 'hash',
    invoice_expires_at: 'time',
    network_fee_sats: 'whole',
  },
  lightning_to_bitcoin: {
    ...common,
    ...htlcOfService,
    bolt11_invoice: 'text',
    hash_lock: 'hash',
    invoice_expires_at: 'time',
    network_fee_sats: 'whole',
  },
  evm_to_bitcoin: {
    ...common,
    ...evmSource,
    ...onchain,
    btc_hash_lock: 'hash160',
    evm_hash_lock: 'hash',
    btc_server_refund_pk: 'xOnly',
    btc_user_claim_pk: 'xOnly',
  },
  bitcoin_to_evm: {
    ...common,
    ...evm,
    ...onchain,
    btc_hash_lock: 'hash160',
    evm_hash_lock: 'hash',
    btc_funding_confirmations: 'whole',
    btc_server_pk: 'xOnly',
    target_evm_address: 'account',
  },
};
const always: Readonly<Record<string, Kind>> = { surplus_amount: 'amount', direction: 'text' };
const arkadeTxids = { arkade_fund_txid: 'txid', arkade_claim_txid: 'txid' } as const;
const bitcoinTxids = { btc_fund_txid: 'txid', btc_claim_txid: 'txid' } as const;
const evmTxids = { evm_fund_txid: 'hash', evm_claim_txid: 'hash' } as const;
const optional: Record<RecordOf, Readonly<Record<string, Kind>>> = {
  lightning_to_arkade: arkadeTxids,
  arkade_to_lightning: arkadeTxids,
  btc_to_arkade: { ...arkadeTxids, ...bitcoinTxids, btc_htlc_witness_script: 'hex' },
  evm_to_arkade: {
    ...arkadeTxids,
    ...bitcoinTxids,
    returned_amount: 'amount',
    evm_fund_txid: 'hash',
    evm_claim_txid: 'hash',
  },
  arkade_to_bitcoin: { ...arkadeTxids, ...bitcoinTxids, btc_fund_vout: 'whole', target_btc_address: 'text' },
  bitcoin_to_lightning: bitcoinTxids,
  lightning_to_bitcoin: { ...bitcoinTxids, btc_fund_vout: 'whole', target_btc_address: 'text' },
  evm_to_bitcoin: {
    ...bitcoinTxids,
    btc_fund_vout: 'whole',
    returned_amount: 'amount',
    target_btc_address: 'text',
    ...evmTxids,
  },
  bitcoin_to_evm: { ...bitcoinTxids, ...evmTxids },
};

/** What is wrong with a record by those tables: names of fields that are missing, of another type, or unknown. */
export function faultsOf(direction: RecordOf, record: Json): string[] {
  const table = tables[direction];
  const faults: string[] = [];
  for (const [name, kind] of Object.entries(table)) {
    if (!(name in record)) faults.push(`${name} is missing`);
    else if (!kinds[kind](record[name])) faults.push(`${name} is ${JSON.stringify(record[name])}`);
  }
  for (const [name, value] of Object.entries(record)) {
    if (name in table) continue;
    const kind = optional[direction][name] ?? always[name];
    if (kind === undefined) faults.push(`${name} is in no table`);
    else if (!kinds[kind](value)) faults.push(`${name} is ${JSON.stringify(value)}`);
  }
  return faults;
}
