import { isRefusal } from '../../engine/domain/errors.ts';

/*
 * Every field of a record changed in turn: other values of the same kind, near ones first, for those are the ones that
 * slip through.
 */

export type Json = Record<string, unknown>;

export interface Mutation {
  readonly field: string;
  readonly value: unknown;
}

/** What may say anything, and why. */
export interface Free extends Mutation {
  readonly why: string;
}

export const freeEverywhere: readonly Free[] = [
  {
    field: 'id',
    value: 'another-id',
    why:
      "the provider's own name for the swap: a wrong one only makes its word unreachable, and the refund after the " +
      'locktime needs nobody',
  },
  { field: 'created_at', value: '1999-01-01T00:00:00.000Z', why: 'nothing is counted from it' },
];

const freeNames: readonly Free[] = [
  { field: 'name', value: 'Bitcorn', why: 'a word for people: we show our own' },
  { field: 'symbol', value: 'XBT', why: 'a word for people: we show our own' },
];

/** The other sign of a compressed key. */
export function parity(record: Json, field: string): Free {
  const value = String(record[field]).replace(/^0[23](?=[0-9a-f]{64}$)/, (sign) => (sign === '02' ? '03' : '02'));
  return { field, value, why: 'scripts use the x coordinate alone' };
}

function others(value: unknown): unknown[] {
  if (typeof value === 'boolean') return [!value, String(value), null];
  if (typeof value === 'number')
    return [value + 1, value - 1, value + 512, value - 512, value * 2, 0, -1, String(value), null].filter(
      (one) => one !== value,
    );
  if (typeof value !== 'string') return [null, 'x', 0];
  const flipped = (at: number) => `${value.slice(0, at)}${value[at] === '0' ? '1' : '0'}${value.slice(at + 1)}`;
  if (/^\d+$/.test(value))
    return [String(BigInt(value) + 1n), String(BigInt(value) - 1n), `${value}0`, '0', Number(value), '', null];
  const middle = Math.floor(value.length / 2);
  return [flipped(value.length - 1), flipped(middle), `${value}x`, value.slice(0, -2), '', null];
}

/** `added`: values for what a fresh record leaves out. */
export function mutations(record: Json, fields: readonly string[], added: Json): Mutation[] {
  return fields.flatMap((field) => {
    if (freeEverywhere.some((free) => free.field === field)) return [];
    if (field.endsWith('_token')) {
      const token = record[field] as Json;
      const parts = Object.keys(token).filter((part) => !freeNames.some(({ field: name }) => name === part));
      return [
        ...parts.flatMap((part) => others(token[part]).map((value) => ({ field, value: { ...token, [part]: value } }))),
        { field, value: null },
      ];
    }
    if (field in added) return [{ field, value: added[field] }];
    return others(record[field]).map((value) => ({ field, value }));
  });
}

/** What of the changes a judge lets pass. */
export function passing<C extends Mutation>(
  judge: (record: unknown) => unknown,
  record: Json,
  changes: readonly C[],
): readonly C[] {
  return changes.filter(({ field, value }) => !isRefusal(judge({ ...record, [field]: value })));
}

/** The fields that a judge does not miss; those of `added` are left out by an honest record too. */
export function unmissed(
  judge: (record: unknown) => unknown,
  record: Json,
  fields: readonly string[],
  added: Json,
): readonly string[] {
  const without = (field: string) => Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));
  return fields.filter((field) => !(field in added) && !isRefusal(judge(without(field))));
}

/** The two tokens of a record under other words for people. */
export function renamed(record: Json): Mutation[] {
  return ['source_token', 'target_token'].flatMap((field) =>
    freeNames.map(({ field: part, value }) => ({ field, value: { ...(record[field] as Json), [part]: value } })),
  );
}

/** What an honest record of a new swap with a leg on an EVM chain leaves out. */
export const addedOnEvm: Json = {
  surplus_amount: '1',
  arkade_fund_txid: 'ab'.repeat(32),
  arkade_claim_txid: 'ab'.repeat(32),
  btc_fund_txid: 'ab'.repeat(32),
  btc_claim_txid: 'ab'.repeat(32),
  evm_fund_txid: `0x${'ab'.repeat(32)}`,
  evm_claim_txid: `0x${'ab'.repeat(32)}`,
};

/** And one whose lock we make. */
export const addedOnEvmSource: Json = { ...addedOnEvm, returned_amount: '1' };

/**
 * What a provider may say for itself of a lock that we make on an EVM chain. `claimer`: why whoever claims it costs us
 * nothing.
 */
export function freeOnEvmSource(record: Json, claimer: string): readonly Free[] {
  return [
    ...freeEverywhere,
    { field: 'server_evm_address', value: `0x${'77'.repeat(20)}`, why: claimer },
    {
      field: 'evm_refund_locktime',
      value: Number(record['evm_refund_locktime']) - 512,
      why: 'within its bounds it is for the provider to say: the earlier, the sooner the tokens are back',
    },
    {
      field: 'evm_funding_confirmations',
      value: 513,
      why: 'the provider waits for them before it pays: one that waits too long does not pay, and the tokens come back',
    },
  ];
}
