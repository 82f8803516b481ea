import { connectArkade } from '../adapters/arkade/connect.ts';
import { createKeys } from '../adapters/keys/keys.ts';
import type { VhtlcRecord } from '../contract/records/parts.ts';
import { asPreimage, asXOnly, type XOnly } from '../domain/hash.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import { seconds, unix, type Unix } from '../domain/time.ts';
import type { KeyRef } from '../legs/signer.ts';
import { hash160Of } from '../legs/secret.ts';
import { arkadePrefix, encodeArkadeAddress } from '../legs/arkade/address.ts';
import { vhtlcScript } from '../legs/arkade/script.ts';
import type { VhtlcTerms } from '../legs/arkade/terms.ts';
import { evmSideOf, type EvmSide } from './client-evm.ts';

/** What a plain client needs beyond HTTP: a key, an Arkade address of its own, and the claim of a VHTLC. */
export interface ClientSide {
  /** Compressed key in hex, the client's role in its swaps. */
  readonly publicKey: string;
  readonly address: string;
  /** What it claims with on EVM chains. */
  readonly evm: EvmSide;
  /** Takes the coins of the record's VHTLC to the address; answers the transaction id. */
  claim(record: VhtlcRecord, secret: Uint8Array): Promise<string>;
}

export interface ClientSideOptions {
  readonly arkadeUrl: string;
  readonly seed: Uint8Array;
  readonly wall: () => Unix;
}

const key: KeyRef = { branch: 'taker', index: 0 };

/** A client on regtest whose keys come from `seed`, against the operator at `arkadeUrl`. */
export async function openClientSide(options: ClientSideOptions): Promise<ClientSide> {
  const keys = createKeys(options.seed, 'regtest');
  const port = connectArkade(options.arkadeUrl, {
    keys: keys.privateKey,
    clock: { wall: options.wall, mtp: () => null },
    network: 'regtest',
  });
  const { publicKey, xOnly } = keys.signer(key);
  const { signer: operator } = await port.info();
  const { address } = await port.address();
  return {
    publicKey: toHex(publicKey),
    address,
    evm: evmSideOf(keys.privateKey({ branch: 'evm-account' })),
    async claim(record, secret) {
      const preimage = asPreimage(secret);
      const terms: VhtlcTerms = {
        sender: keyIn(record.sender_pk),
        receiver: xOnly,
        operator,
        hash: hash160Of(preimage),
        refundLocktime: unix(record.vhtlc_refund_locktime),
        claimDelay: seconds(record.unilateral_claim_delay),
        refundDelay: seconds(record.unilateral_refund_delay),
        refundWithoutReceiverDelay: seconds(record.unilateral_refund_without_receiver_delay),
      };
      const { outputKey, pkScript } = vhtlcScript(terms);
      const derived = encodeArkadeAddress({ prefix: arkadePrefix('regtest'), operator, outputKey });
      if (derived !== record.arkade_vhtlc_address)
        throw new Error(
          `The VHTLC of the record is ${record.arkade_vhtlc_address}, its terms make ${derived}: nothing is claimed.`,
        );
      const coins = (await port.coins([pkScript])).filter((coin) => !coin.spent);
      if (coins.length === 0) throw new Error(`The operator knows no coin at ${derived}: nothing is claimed.`);
      const prepared = await port.prepareClaim({ terms, key, coins, preimage });
      const answer = await port.submit(prepared.bytes);
      if (answer.is === 'accepted') await port.finalize(answer.bytes);
      else if (answer.is !== 'final')
        throw new Error(
          `The operator does not take the claim: it is ${answer.is}${'reason' in answer ? `, ${answer.reason}` : ''}.`,
        );
      return prepared.txid;
    },
  };
}

/** Records carry keys of 33 or 32 bytes; scripts take 32. */
function keyIn(text: string): XOnly {
  const bytes = fromHex(text);
  return asXOnly(bytes.length === 33 ? bytes.subarray(1) : bytes);
}
