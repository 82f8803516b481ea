import { z } from 'zod';
import { amount, count, evmAddress, hex0x, unixTime, words } from '../wire.ts';

/** What a client needs to have its own back (facts/clients.md 3 and 10). */

export const collabRefundEvmParams = z.object({
  amount: amount('Token amount in the HTLC'),
  calls_hash: hex0x(32, 'Hash of the calls that the depositor signs over'),
  chain_id: count('EVM chain'),
  claim_address: evmAddress("The service's account"),
  coordinator_address: evmAddress('Coordinator, the verifyingContract'),
  coordinator_version: count('EIP-712 domain version of the coordinator'),
  min_amount_out: amount('Always 0'),
  preimage_hash: hex0x(32, 'Hash lock'),
  server_signer_address: evmAddress('The account that sends the refund, the caller field'),
  sweep_token: evmAddress('The BTC-pegged token'),
  timelock: unixTime('When the HTLC expires'),
  token: evmAddress('The BTC-pegged token'),
});
export type CollabRefundEvmParams = z.infer<typeof collabRefundEvmParams>;

export const refundCalldata = z.object({
  coordinator_address: evmAddress('Coordinator'),
  calldata: words('Calldata of the refund'),
});
export type RefundCalldata = z.infer<typeof refundCalldata>;

export const collabRefundReply = z.object({
  ark_tx: words('PSBT, base64'),
  checkpoint_txs: z.array(words('PSBT, base64')),
});
export const delegateRefundReply = z.object({
  forfeit_psbts: z.array(words('PSBT, base64')),
  intent_proof: words('PSBT, base64'),
});
/** Our half of a spend by the key of both sides (BIP-327). */
export const cooperativeReply = z.object({
  pub_nonce: words('Public nonce of the service, 66 bytes of hex: fresh for each request'),
  partial_signature: words('Partial signature of the service, 32 bytes of hex'),
});
export type CooperativeReply = z.infer<typeof cooperativeReply>;

/** What a client signs for the service's claim of its coin. */
export const serverClaim = z.object({
  preimage: words('Secret of the swap, 32 bytes of hex: the client signs only where it opens the hash'),
  pub_nonce: words('Public nonce of the service, 66 bytes of hex: the same for whoever asks'),
  transaction: words("The transaction that takes the client's coin, hex, without witnesses; its input 0 takes it"),
});

/** The client's half of it fits: it goes out. */
export const serverClaimAccepted = z.object({
  accepted: z.literal(true).meta({ description: 'The partial signature makes a signature, and the claim goes out' }),
});

export const cosignerKey = z.object({ cosigner_pk: words('33-byte compressed key, hex') });
export const settlement = z.object({ commitment_txid: words('Commitment transaction of the batch') });
