import { z } from 'zod';
import {
  amount,
  bitcoinNetwork,
  count,
  evmAddress,
  flag,
  hex0x,
  integer,
  publicKey,
  sats,
  swapStatus,
  tokenInfo,
  unixTime,
  words,
} from '../wire.ts';

/** The fields that several records share (facts/clients.md 1). */

export const commonRecord = {
  id: words('Swap id, a UUID'),
  created_at: words('Moment of creation, ISO 8601'),
  network: bitcoinNetwork,
  status: swapStatus,
  fee_sats: sats('Protocol fee'),
  source_amount: amount('What the user must provide, in smallest units'),
  source_token: tokenInfo,
  target_amount: amount('What the user receives, in smallest units'),
  target_token: tokenInfo,
  /** Left out when nothing is over (DECISIONS.md, "What counts as funding"). */
  surplus_amount: amount('What the user sent above source_amount, in smallest units').optional(),
};

export const vhtlcRecord = {
  arkade_htlc_script_version: integer('Version of the VHTLC script'),
  arkade_server_pk: publicKey('Key of the Arkade operator'),
  unilateral_claim_delay: count('Delay of a claim without the operator, in seconds'),
  unilateral_refund_delay: count('Delay of a refund without the operator, in seconds'),
  unilateral_refund_without_receiver_delay: count('Delay of a refund without operator and receiver, in seconds'),
  vhtlc_refund_locktime: unixTime('When the sender can refund'),
  receiver_pk: publicKey('Key of the party that claims with the secret'),
  sender_pk: publicKey('Key of the party that can refund'),
  arkade_claim_txid: words('Transaction that claimed the VHTLC').optional(),
  arkade_fund_txid: words('Transaction that funded the VHTLC').optional(),
};

/** A record with a VHTLC, whoever funds it. */
export type VhtlcRecord = z.infer<z.ZodObject<typeof commonRecord & typeof vhtlcRecord>> & {
  readonly arkade_vhtlc_address: string;
};

/**
 * An HTLC on the Bitcoin chain whose output key is the aggregate of both keys. Its refund opens at a height, which
 * `btc_refund_locktime` holds as scripts say it: a locktime below 500,000,000 is one (BIP-65).
 */
const bitcoinHtlcRecord = {
  btc_htlc_script_version: count('Version of the on-chain HTLC script: 2, with the aggregate key of both sides'),
  btc_refund_locktime: count('Height of the tip from which on the HTLC can be refunded'),
  btc_claim_txid: words('Transaction that claimed the bitcoin').optional(),
  btc_fund_txid: words('Transaction that funded the on-chain HTLC').optional(),
};

/** Records whose HTLC on the Bitcoin chain the service funds. */
export const bitcoinTargetRecord = {
  ...bitcoinHtlcRecord,
  btc_htlc_address: words('On-chain HTLC that the service funds'),
  btc_server_refund_pk: publicKey("The service's refund key, the first of the aggregate"),
  btc_user_claim_pk: publicKey("The user's claim key, the second of the aggregate"),
  btc_fund_vout: count('Output of the funding').optional(),
  target_btc_address: words("The user's Bitcoin address").optional(),
};

/** Records whose HTLC on the Bitcoin chain the user funds. */
export const bitcoinSourceRecord = {
  ...bitcoinHtlcRecord,
  btc_htlc_address: words('On-chain HTLC that the user funds'),
  btc_server_claim_pk: publicKey("The service's claim key, the first of the aggregate"),
  btc_user_refund_pk: publicKey("The user's refund key, the second of the aggregate"),
  btc_funding_confirmations: count("Confirmations of the user's coin before the service acts"),
};

const evmRecord = {
  chain: words('Name of the EVM chain'),
  evm_chain_id: count('Number of the EVM chain'),
  evm_coordinator_address: evmAddress('Coordinator that the swap is pinned to'),
  evm_expected_sats: amount('BTC-pegged amount of the HTLC, in smallest units of its token'),
  evm_htlc_address: evmAddress('HTLC contract'),
  evm_htlc_kind: z.enum(['erc20', 'native']).meta({ description: 'erc20: permit-based funding; native: payable lock' }),
  evm_htlc_version: integer('Version of the HTLC contract, its EIP-712 domain version'),
  evm_refund_locktime: unixTime('When the HTLC expires'),
  server_evm_address: evmAddress("The service's account"),
  client_evm_address: evmAddress("The client's account"),
  wbtc_address: evmAddress('BTC-pegged token of the HTLC'),
  evm_claim_txid: hex0x(32, 'Transaction that claimed the HTLC').optional(),
  evm_fund_txid: hex0x(32, 'Transaction that funded the HTLC').optional(),
};

/** Records whose EVM HTLC the service funds. */
export const evmTargetRecord = {
  ...evmRecord,
  bridge_target_chain: words('Chain the USDC goes on to').optional(),
  bridge_target_token_address: words('USDC on that chain').optional(),
};

/** Records whose EVM HTLC the user funds. */
export const evmSourceRecord = {
  ...evmRecord,
  /** Left out when nothing came back. */
  returned_amount: amount(
    'What of the funding came back to the depositor in its transaction, in smallest units',
  ).optional(),
  evm_funding_confirmations: count('Blocks that bury the deposit before the service acts'),
  gasless: flag('Whether the service submits the funding transaction'),
  bridge_source_chain: words('Chain the USDC came from').optional(),
  bridge_source_token_address: words('USDC on that chain').optional(),
};
