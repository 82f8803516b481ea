import { Intent } from '@arkade-os/sdk';
import { connectArkade } from '../../adapters/arkade/connect.ts';
import { proofInputs, registerMessage, signedProof } from '../../adapters/arkade/proofs.ts';
import { vhtlcInputs } from '../../adapters/arkade/vhtlc.ts';
import { createKeys } from '../../adapters/keys/keys.ts';
import type { VhtlcRecord } from '../../contract/records/parts.ts';
import { asHash160, asPreimage, asSha256, asXOnly, type Hash160, type XOnly } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import { seconds, unix, type Unix } from '../../domain/time.ts';
import type { KeyRef } from '../../legs/signer.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { arkadePrefix, encodeArkadeAddress } from '../../legs/arkade/address.ts';
import { vhtlcOutput } from '../../legs/arkade/script.ts';
import type { VhtlcTerms } from '../../legs/arkade/terms.ts';
import type { PreparedArkTx } from '../../legs/arkade/transaction.ts';
import { bitcoinSideOf, type BitcoinSide } from './bitcoin.ts';
import { evmSideOf, type EvmSide } from './evm.ts';

/** What a plain client needs beyond HTTP: a key, an Arkade address of its own, and the claim of a VHTLC. */
export interface ClientSide {
  /** Compressed key in hex, the client's role in its swaps. */
  readonly publicKey: string;
  readonly address: string;
  /** What it claims with on EVM chains. */
  readonly evm: EvmSide;
  /** What it claims and refunds with on the Bitcoin chain, by the same key. */
  readonly bitcoin: BitcoinSide;
  /** Sats that the address holds. */
  balance(): Promise<bigint>;
  /** Takes the coins of the record's VHTLC to the address; answers the transaction id. */
  claim(record: Vhtlc, secret: Uint8Array): Promise<string>;
  /**
   * Takes the coins that the client itself sent there back, once `cosign` brought the other half of the transaction.
   */
  refund(record: Vhtlc, cosign: (half: Half) => Promise<Half>): Promise<string>;
  /**
   * Takes expired coins that the client itself sent there back through a batch that the service joins for it by its
   * `cosigner` key, once `join` brought the client's intent there. `now`: of the operator's clock.
   */
  refundInBatch(record: Vhtlc, batch: Batch, join: (half: BatchHalf) => Promise<void>): Promise<void>;
  /** The same without anybody but the operator, once median time past is above the locktime. */
  refundAlone(record: Vhtlc): Promise<string>;
}

/** Of a record, and the address that its terms make. */
export type Vhtlc = Omit<VhtlcRecord, 'arkade_vhtlc_address'> & {
  readonly hash_lock: string;
  readonly address: string;
};

/** PSBTs, in base64. */
interface Half {
  readonly ark_tx: string;
  readonly checkpoint_txs: readonly string[];
}

interface Batch {
  readonly cosigner: string;
  readonly now: Unix;
}

/** The proof, a PSBT in base64, and the text that it was signed for: a coin that expired needs no forfeit. */
interface BatchHalf {
  readonly intent_proof: string;
  readonly intent_message: string;
}

/** Seconds for which an intent may be taken into a batch. */
const intentLife = 120;

export interface ClientSideOptions {
  readonly arkadeUrl: string;
  readonly seed: Uint8Array;
  readonly wall: () => Unix;
}

const key: KeyRef = { branch: 'taker', index: 0 };

/** A client on regtest whose keys come from `seed`, against the operator at `arkadeUrl`. */
export async function openClientSide(options: ClientSideOptions): Promise<ClientSide> {
  const keys = createKeys(options.seed, 'regtest');
  /** Median time past, as far as its caller said that it came. */
  let mtp: Unix | null = null;
  const port = connectArkade(options.arkadeUrl, {
    keys: keys.privateKey,
    clock: { wall: options.wall, mtp: () => mtp },
    network: 'regtest',
  });
  const { publicKey, xOnly } = keys.signer(key);
  const { signer: operator } = await port.info();
  const { address, script } = await port.address();

  /** What the record says, derived again; nothing is signed for anything else. */
  function termsOf(record: Vhtlc, own: 'sender' | 'receiver'): VhtlcTerms {
    const terms: VhtlcTerms = {
      sender: own === 'sender' ? xOnly : keyIn(record.sender_pk),
      receiver: own === 'receiver' ? xOnly : keyIn(record.receiver_pk),
      operator,
      hash: hashIn(record.hash_lock),
      refundLocktime: unix(record.vhtlc_refund_locktime),
      claimDelay: seconds(record.unilateral_claim_delay),
      refundDelay: seconds(record.unilateral_refund_delay),
      refundWithoutReceiverDelay: seconds(record.unilateral_refund_without_receiver_delay),
    };
    const { outputKey } = vhtlcOutput(terms);
    const derived = encodeArkadeAddress({ prefix: arkadePrefix('regtest'), operator, outputKey });
    if (derived !== record.address)
      throw new Error(`The VHTLC of the record is ${record.address}, its terms make ${derived}: nothing is signed.`);
    return terms;
  }

  async function coinsOf(terms: VhtlcTerms) {
    const coins = (await port.coins([vhtlcOutput(terms).pkScript])).filter((coin) => !coin.spent);
    if (coins.length === 0) throw new Error('The operator has no coin in the VHTLC: nothing is taken.');
    return coins;
  }

  async function carryOut({ bytes, txid }: PreparedArkTx): Promise<string> {
    const answer = await port.submit(bytes);
    if (answer.is === 'accepted') await port.finalize(answer.bytes);
    else if (answer.is !== 'final')
      throw new Error(
        'The operator does not take the transaction: it is ' +
          `${answer.is}${'reason' in answer ? `, ${answer.reason}` : ''}.`,
      );
    return txid;
  }

  return {
    publicKey: toHex(publicKey),
    address,
    evm: evmSideOf(keys.privateKey({ branch: 'evm-account' })),
    bitcoin: bitcoinSideOf(publicKey, keys.privateKey(key)),
    async balance() {
      const coins = await port.coins([script]);
      return coins.reduce((sum, { spent, amount }) => (spent ? sum : sum + amount), 0n);
    },
    async claim(record, secret) {
      const terms = termsOf(record, 'receiver');
      const coins = await coinsOf(terms);
      return carryOut(await port.prepareClaim({ terms, key, coins, preimage: asPreimage(secret) }));
    },
    async refund(record, cosign) {
      const terms = termsOf(record, 'sender');
      const own = await port.buildCollabRefund({ terms, key, coins: await coinsOf(terms), to: script });
      const both = await cosign({ ark_tx: base64(own.arkTx), checkpoint_txs: own.checkpoints.map(base64) });
      const answer = { arkTx: bytesOf(both.ark_tx), checkpoints: both.checkpoint_txs.map(bytesOf) };
      return carryOut(await port.mergeCollabRefund(own, answer, key));
    },
    async refundInBatch(record, { cosigner, now }, join) {
      const terms = termsOf(record, 'sender');
      const coins = await coinsOf(terms);
      const message = registerMessage({ from: now, until: unix(now + intentLife) }, fromHex(cosigner));
      const inputs = proofInputs(vhtlcInputs(terms, 'refund', coins), coins, false);
      const amount = coins.reduce((sum, coin) => sum + coin.amount, 0n);
      const { proof } = signedProof(message, inputs, [{ script, amount }], keys.privateKey(key));
      await join({ intent_proof: proof, intent_message: Intent.encodeMessage(message) });
    },
    async refundAlone(record) {
      mtp = unix(Math.max(mtp ?? 0, record.vhtlc_refund_locktime + 1));
      const terms = termsOf(record, 'sender');
      return carryOut(await port.prepareRefund({ terms, key, coins: await coinsOf(terms) }));
    },
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}

/**
 * A swap from Bitcoin has the hash of the script itself, without a prefix; the others have the SHA-256 that it is made
 * of.
 */
function hashIn(text: string): Hash160 {
  return text.startsWith('0x') ? hash160OfSha256(asSha256(fromHex(text.slice(2)))) : asHash160(fromHex(text));
}

/** Records carry keys of 33 or 32 bytes; scripts take 32. */
function keyIn(text: string): XOnly {
  const bytes = fromHex(text);
  return asXOnly(bytes.length === 33 ? bytes.subarray(1) : bytes);
}
