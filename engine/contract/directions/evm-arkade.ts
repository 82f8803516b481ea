import { z } from 'zod';
import { isRefusal } from '../../domain/errors.ts';
import type { Sha256 } from '../../domain/hash.ts';
import type { Sats, TokenAmount } from '../../domain/money.ts';
import { optional, request } from '../field.ts';
import { commonRecord, evmSourceRecord, vhtlcRecord } from '../records/parts.ts';
import { arkadeAddress, pin, type Pinned } from '../requests/common.ts';
import { createFromEvm, fromEvmFields, type CreateFromEvm } from '../requests/from-evm.ts';
import { route } from '../routes/route.ts';
import { keyField, satsField, scriptVersionField, sha256Field, unitsField, type ClientKey } from '../scalars.ts';
import { hex0x, words } from '../wire.ts';
import { directionContract } from './direction.ts';

/** POST /swap/evm/arkade. */
export interface CreateEvmArkade extends CreateFromEvm {
  /** Receiver of the VHTLC. A key that the client does not hold could never claim. */
  readonly claimKey: ClientKey;
  readonly hash: Sha256;
  readonly amount: Pinned<TokenAmount, Sats>;
  readonly targetAddress: string;
}

const createEvmArkade = request(
  {
    arkade_htlc_script_version: scriptVersionField('arkade_htlc_script_version'),
    receiver_pk: keyField('receiver_pk', "the user's claim key of the Arkade VHTLC"),
    hash_lock: sha256Field('hash_lock', "SHA-256 of the client's secret"),
    target_address: arkadeAddress('target_address'),
    amount_in: optional(unitsField('amount_in', 'the source amount')),
    amount_out: optional(satsField('amount_out', 'the amount received on Arkade')),
    ...fromEvmFields,
  },
  (wire) => {
    const source = createFromEvm(wire);
    if (isRefusal(source)) return source;
    const amount = pin(['amount_in', 'amount_out'], wire.amount_in, wire.amount_out);
    if (isRefusal(amount)) return amount;
    const created: CreateEvmArkade = {
      ...source,
      claimKey: wire.receiver_pk,
      hash: wire.hash_lock,
      amount,
      targetAddress: wire.target_address,
    };
    return created;
  },
);

/**
 * Record of EVM to Arkade. `btc_fund_txid` and `btc_claim_txid` equal their `arkade_` twins. Published services leave
 * `wbtc_address` out (facts/clients.md 45).
 */
export const evmArkadeRecord = z
  .object({
    ...commonRecord,
    ...evmSourceRecord,
    ...vhtlcRecord,
    wbtc_address: evmSourceRecord.wbtc_address.optional(),
    btc_vhtlc_address: words('VHTLC that the service funds'),
    btc_claim_txid: words('Transaction that claimed the VHTLC').optional(),
    btc_fund_txid: words('Transaction that funded the VHTLC').optional(),
    hash_lock: hex0x(32, "SHA-256 of the client's secret"),
    target_arkade_address: words("The user's Arkade address"),
  })
  .meta({ id: 'EvmArkadeRecord', description: 'A swap from an EVM token to Arkade' });
export type EvmArkadeRecord = z.infer<typeof evmArkadeRecord>;

export const evmArkade = directionContract({
  operation: 'createEvmArkade',
  route: route('POST', '/swap/evm/arkade', {
    summary: 'Create a swap from an EVM token to Arkade',
    body: createEvmArkade,
    reply: evmArkadeRecord,
    refusals: [400, 401, 409, 500, 503],
  }),
  keys: (request) => ({ receiver_pk: request.claimKey }),
  hashOf: 'preimage',
});
