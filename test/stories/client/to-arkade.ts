import { randomBytes } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Client } from './client.ts';
import type { FromEvm } from './from-evm.ts';
import { ask, text, whole } from './http.ts';
import { faultsOf } from './record.ts';
import { hashLockOf, termsOf, vhtlcOf, type Vhtlc } from './vhtlc.ts';

/** A swap from a token of an EVM chain to Arkade, with the VHTLC that its secret claims. */
export interface ToArkade extends FromEvm {
  readonly secret: Uint8Array;
  readonly vhtlc: Vhtlc;
}

export interface Purchase {
  readonly chainId: number;
  readonly token: string;
  readonly gasless: boolean;
  readonly amount: { readonly amount_in: string } | { readonly amount_out: number };
  readonly userId?: string;
}

export async function evmToArkade(
  base: string,
  { arkade }: { readonly arkade: Pick<Client['arkade'], 'publicKey' | 'address'> },
  { chainId, token, gasless, amount, userId = 'story' }: Purchase,
): Promise<ToArkade> {
  const account = privateKeyToAccount(generatePrivateKey());
  const secret = randomBytes(32);
  const record = await ask(base, 'POST', '/swap/evm/arkade', {
    arkade_htlc_script_version: 1,
    evm_chain_id: chainId,
    hash_lock: hashLockOf(secret),
    receiver_pk: arkade.publicKey,
    target_address: arkade.address,
    token_address: token,
    user_address: account.address,
    user_id: userId,
    gasless,
    ...amount,
  });
  const faults = faultsOf('evm_to_arkade', record);
  if (faults.length > 0) throw new Error(`the record is wrong: ${faults.join('; ')}`);
  const vhtlc = vhtlcOf(termsOf(record));
  const right =
    text(record, 'hash_lock') === hashLockOf(secret) &&
    text(record, 'receiver_pk') === arkade.publicKey &&
    text(record, 'target_arkade_address') === arkade.address &&
    vhtlc.address === text(record, 'btc_vhtlc_address') &&
    // The leg that the client funds outlives the one that the service funds.
    whole(record, 'evm_refund_locktime') > whole(record, 'vhtlc_refund_locktime');
  if (!right) throw new Error(`the record does not say what was asked for: ${JSON.stringify(record)}`);
  const price = BigInt(text(record, 'source_amount'));
  return { id: text(record, 'id'), record, account, price, secret, vhtlc };
}
