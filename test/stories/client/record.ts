import type { Json } from './http.ts';

/** The tables of a record in the published interface (facts/clients.md 1), as text: what must be there and of which type. */
type Kind = 'text' | 'amount' | 'whole' | 'hash' | 'key' | 'txid' | 'time' | 'date' | 'token';

const kinds: Record<Kind, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string' && value !== '',
  amount: (value) => typeof value === 'string' && /^[1-9]\d*$/.test(value),
  whole: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  hash: (value) => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value),
  key: (value) => typeof value === 'string' && /^(0[23])?[0-9a-f]{64}$/.test(value),
  txid: (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
  time: (value) =>
    Number.isSafeInteger(value) && (value as number) > 1_700_000_000 && (value as number) < 4_000_000_000,
  date: (value) => typeof value === 'string' && new Date(value).toISOString() === value,
  token: (value) =>
    JSON.stringify(value) === JSON.stringify({ ...(value as object), decimals: 8 }) &&
    Object.keys(value as object)
      .toSorted()
      .join() === 'chain,decimals,name,symbol,token_id',
};

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
const both = {
  ...common,
  ...vhtlc,
  arkade_vhtlc_address: 'text',
  hash_lock: 'hash',
  invoice_expires_at: 'time',
  network_fee_sats: 'whole',
} as const;

const tables: Record<string, Readonly<Record<string, Kind>>> = {
  lightning_to_arkade: { ...both, bolt11_invoice: 'text', target_arkade_address: 'text' },
  arkade_to_lightning: { ...both, client_lightning_invoice: 'text' },
};
const optional: Readonly<Record<string, Kind>> = {
  arkade_fund_txid: 'txid',
  arkade_claim_txid: 'txid',
  surplus_amount: 'amount',
  direction: 'text',
};

/** What is wrong with a record by those tables: names of fields that are missing, of another type, or unknown. */
export function faultsOf(direction: 'lightning_to_arkade' | 'arkade_to_lightning', record: Json): string[] {
  const table = tables[direction] ?? {};
  const faults: string[] = [];
  for (const [name, kind] of Object.entries(table)) {
    if (!(name in record)) faults.push(`${name} is missing`);
    else if (!kinds[kind](record[name])) faults.push(`${name} is ${JSON.stringify(record[name])}`);
  }
  for (const [name, value] of Object.entries(record)) {
    if (name in table) continue;
    const kind = optional[name];
    if (kind === undefined) faults.push(`${name} is in no table`);
    else if (!kinds[kind](value)) faults.push(`${name} is ${JSON.stringify(value)}`);
  }
  return faults;
}
