import { z } from 'zod';
import { count, flag, hex, hex0x, sats, unixTime, words } from '../wire.ts';
import { commonRecord, evmSourceRecord, evmTargetRecord, vhtlcRecord } from './parts.ts';

/** Record of Arkade to EVM. `btc_fund_txid` and `btc_claim_txid` equal their `arkade_` twins (facts/clients.md 22). */
export const arkadeEvmRecord = z
  .object({
    ...commonRecord,
    ...vhtlcRecord,
    ...evmTargetRecord,
    btc_vhtlc_address: words('VHTLC that the user funds'),
    btc_claim_txid: words('Transaction that claimed the VHTLC').optional(),
    btc_fund_txid: words('Transaction that funded the VHTLC').optional(),
    target_evm_address: words('Where the tokens go after the claim').optional(),
    hash_lock: hex0x(32, "SHA-256 of the client's secret"),
  })
  .meta({ id: 'ArkadeEvmRecord', description: 'A swap from Arkade to an EVM token' });
export type ArkadeEvmRecord = z.infer<typeof arkadeEvmRecord>;

/** Record of EVM to Lightning. `lightning_payment_settled` alone says that the recipient was paid. */
export const evmLightningRecord = z
  .object({
    ...commonRecord,
    ...evmSourceRecord,
    client_lightning_invoice: words('Invoice that the service pays'),
    hash_lock: hex0x(32, 'Payment hash of the invoice'),
    invoice_expires_at: unixTime('When the invoice can no longer be paid'),
    lightning_payment_settled: flag('Whether the invoice was paid'),
    network_fee_sats: sats('Quoted Lightning fee and gas of the claim'),
  })
  .meta({ id: 'EvmLightningRecord', description: 'A swap from an EVM token to Lightning' });
export type EvmLightningRecord = z.infer<typeof evmLightningRecord>;

/** Record of EVM to Bitcoin. `btc_hash_lock` is bare hex: a prefix breaks published clients. */
export const evmBitcoinRecord = z
  .object({
    ...commonRecord,
    ...evmSourceRecord,
    btc_hash_lock: hex(20, 'RIPEMD-160 of the EVM hash lock'),
    evm_hash_lock: hex0x(32, "SHA-256 of the client's secret"),
    btc_htlc_address: words('Taproot HTLC that the service funds'),
    btc_htlc_script_version: count('Version of the Taproot HTLC script'),
    btc_refund_locktime: unixTime('When the service can refund'),
    btc_server_refund_pk: hex(32, "The service's x-only refund key"),
    btc_user_claim_pk: hex(32, "The user's x-only claim key"),
    btc_claim_txid: words('Transaction that claimed the bitcoin').optional(),
    btc_fund_txid: words('Transaction that funded the HTLC').optional(),
    btc_fund_vout: count('Output of that transaction').optional(),
    target_btc_address: words("The user's Bitcoin address").optional(),
  })
  .meta({ id: 'EvmBitcoinRecord', description: 'A swap from an EVM token to Bitcoin' });
export type EvmBitcoinRecord = z.infer<typeof evmBitcoinRecord>;
