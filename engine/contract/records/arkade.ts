import { z } from 'zod';
import { count, hex, hex0x, publicKey, sats, unixTime, words } from '../wire.ts';
import { commonRecord, vhtlcRecord } from './parts.ts';

/** What a client of lightning-arkade checks before it pays, and claims from (facts/clients.md 19). */
export const lightningArkadeRecord = z
  .object({
    ...commonRecord,
    ...vhtlcRecord,
    arkade_vhtlc_address: words('VHTLC that the service funds'),
    bolt11_invoice: words('Hold invoice that the user pays'),
    hash_lock: hex0x(32, "SHA-256 of the client's secret"),
    invoice_expires_at: unixTime('When the invoice can no longer be paid'),
    network_fee_sats: sats('Flat network fee'),
    target_arkade_address: words("The user's Arkade address"),
  })
  .meta({ id: 'LightningArkadeRecord', description: 'A swap from Lightning to Arkade' });
export type LightningArkadeRecord = z.infer<typeof lightningArkadeRecord>;

/** What a client of arkade-lightning checks before it funds, and refunds from (facts/clients.md 19). */
export const arkadeLightningRecord = z
  .object({
    ...commonRecord,
    ...vhtlcRecord,
    arkade_vhtlc_address: words('VHTLC that the user funds'),
    client_lightning_invoice: words('Invoice that the service pays'),
    hash_lock: hex0x(32, 'Payment hash of the invoice'),
    invoice_expires_at: unixTime('When the invoice can no longer be paid'),
    network_fee_sats: sats('Flat network fee'),
  })
  .meta({ id: 'ArkadeLightningRecord', description: 'A swap from Arkade to Lightning' });
export type ArkadeLightningRecord = z.infer<typeof arkadeLightningRecord>;

/**
 * Record of on-chain Bitcoin to Arkade (facts/clients.md 20). `hash_lock` echoes the 20 bytes of the request, and
 * `btc_htlc_witness_script` lets the user refund without this node.
 */
export const bitcoinArkadeRecord = z
  .object({
    ...commonRecord,
    ...vhtlcRecord,
    arkade_vhtlc_address: words('VHTLC that the service funds'),
    btc_htlc_address: words('On-chain HTLC that the user funds'),
    btc_htlc_script_version: count('Version of the on-chain HTLC script'),
    btc_htlc_witness_script: words('Script behind btc_htlc_address, hex').optional(),
    btc_refund_locktime: unixTime('When the user can refund on chain'),
    hash_lock: hex(20, 'HASH160 of the secret, as it was sent'),
    sats_receive: sats('What the user receives on Arkade'),
    asset_amount: sats('Deprecated, use source_amount'),
    server_vhtlc_pk: publicKey("The service's key"),
    target_arkade_address: words("The user's Arkade address"),
    btc_claim_txid: words('Transaction that claimed the bitcoin').optional(),
    btc_fund_txid: words('Transaction that funded the on-chain HTLC').optional(),
  })
  .meta({ id: 'BitcoinArkadeRecord', description: 'A swap from Bitcoin to Arkade' });
export type BitcoinArkadeRecord = z.infer<typeof bitcoinArkadeRecord>;
