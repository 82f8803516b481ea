import { createArkade } from '../../engine/adapters/arkade/arkade.ts';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import type { BitcoinArkadeRecord } from '../../engine/contract/directions/bitcoin-arkade.ts';
import type { ArkadeBitcoinRecord } from '../../engine/contract/directions/arkade-bitcoin.ts';
import type { ArkadeEvmRecord } from '../../engine/contract/directions/arkade-evm.ts';
import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import type { EvmArkadeRecord } from '../../engine/contract/directions/evm-arkade.ts';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import {
  asHash160,
  asPreimage,
  asPublicKey,
  asSha256,
  asXOnly,
  type Hash160,
  type Preimage,
  type XOnly,
} from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { seconds, unix } from '../../engine/domain/time.ts';
import { hash160Of, hash160OfSha256, sha256Of } from '../../engine/legs/secret.ts';
import type { KeyRef } from '../../engine/legs/signer.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { buildHtlcSpend } from '../../engine/legs/onchain/htlc-spend.ts';
import { htlcAddress, htlcScript, type TimeHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { encodeArkadeAddress } from '../../engine/legs/arkade/address.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { Vtxo } from '../../engine/legs/arkade/vtxo.ts';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import type { VhtlcTerms } from '../../engine/legs/arkade/terms.ts';
import { arkProviderOf, indexerProviderOf } from './sandbox-ports/arkade-providers.ts';
import { seedOf, type TestNode } from './node.ts';
import type { World } from './world.ts';

/** A record whose VHTLC the client funded. */
type RefundableRecord = ArkadeLightningRecord | ArkadeEvmRecord | ArkadeBitcoinRecord;
type ClaimableRecord = LightningArkadeRecord | BitcoinArkadeRecord | EvmArkadeRecord;
type ArkadeRecord = ClaimableRecord | RefundableRecord;

/** The client of a swap: its own keys, its own connection to the operator, and only the record to go by. */
export interface Client {
  readonly port: ArkadePort;
  readonly address: string;
  readonly publicKey: string;
  /** A new secret each time, the same ones in every run. */
  secret(): Preimage;
  createLightningArkade(node: TestNode, sourceSats: bigint, secret: Preimage): Promise<LightningArkadeRecord>;
  createArkadeLightning(node: TestNode, bolt11: string, targetSats: bigint): Promise<ArkadeLightningRecord>;
  createBitcoinArkade(node: TestNode, receive: bigint, secret: Preimage): Promise<BitcoinArkadeRecord>;
  /**
   * The HTLC on the Bitcoin chain that a record speaks of, by what it says and nothing else; throws where that is
   * another address.
   */
  htlcOf(record: BitcoinArkadeRecord): TimeHtlcTerms;
  /** Pays it out of the faucet, unconfirmed; what it asks for unless said otherwise. */
  payBitcoin(record: BitcoinArkadeRecord, amount?: bigint): Outpoint;
  /** Takes a coin back by its locktime, and sends that. */
  refundBitcoin(record: BitcoinArkadeRecord, coin: Outpoint): string;
  /** Coins at the record's VHTLC, spent ones included. */
  coins(record: ArkadeRecord): Promise<Vtxo[]>;
  /** Claims the VHTLC that the node locked; answers the transaction id. */
  claim(record: ClaimableRecord, secret: Preimage): Promise<string>;
  /**
   * Asks the node to sign the refund of every unspent coin of an arkade-lightning swap and submits it; throws with the
   * node's sentence.
   */
  collabRefund(node: TestNode, record: RefundableRecord, only?: (coin: Vtxo) => boolean): Promise<string>;
  /** The same, with the node's signature kept back: the answer submits it. */
  cosignedRefund(
    node: TestNode,
    record: RefundableRecord,
    only?: (coin: Vtxo) => boolean,
  ): Promise<() => Promise<string>>;
  /** Refunds alone after the locktime. */
  refundAlone(record: RefundableRecord): Promise<string>;
}

const key: KeyRef = { branch: 'taker', index: 0 };
/** Where the client's bitcoin goes. */
const bitcoinPayee = new Uint8Array([0x51, 32, ...new Uint8Array(32).fill(0x11)]);

export async function openClient(world: World, seed = 200): Promise<Client> {
  const keys = createKeys(seedOf(seed), 'regtest');
  const port = createArkade({
    ark: arkProviderOf(world.operator),
    indexer: indexerProviderOf(world.operator),
    keys: keys.privateKey,
    clock: { wall: world.now, mtp: () => unix(world.bitcoin.clock.mtp()) },
    network: 'regtest',
  });
  const { publicKey } = keys.signer(key);
  const { signer: operator } = await port.info();
  const { address, script: own } = await port.address();
  const common = { userId: toHex(keys.userId(0)), extraFeesBps: 0, referralCode: null };
  const clientKey = { key: publicKey, text: toHex(publicKey) };
  let secrets = 0;

  function termsOf(record: ArkadeRecord, hash: Hash160): VhtlcTerms {
    const terms: VhtlcTerms = {
      sender: keyIn(record.sender_pk),
      receiver: keyIn(record.receiver_pk),
      operator,
      hash,
      refundLocktime: unix(record.vhtlc_refund_locktime),
      claimDelay: seconds(record.unilateral_claim_delay),
      refundDelay: seconds(record.unilateral_refund_delay),
      refundWithoutReceiverDelay: seconds(record.unilateral_refund_without_receiver_delay),
    };
    const derived = encodeArkadeAddress({ prefix: 'tark', operator, outputKey: vhtlcScript(terms).outputKey });
    const address = 'btc_vhtlc_address' in record ? record.btc_vhtlc_address : record.arkade_vhtlc_address;
    if (derived !== address) throw new Error(`the record's address is ${address}, its terms make ${derived}`);
    return terms;
  }

  function termsIn(record: ArkadeRecord): VhtlcTerms {
    const bytes = fromHex(record.hash_lock.replace(/^0x/, ''));
    return termsOf(record, bytes.length === 20 ? asHash160(bytes) : hash160OfSha256(asSha256(bytes)));
  }

  async function send(prepared: { txid: string; bytes: Uint8Array }): Promise<string> {
    const answer = await port.submit(prepared.bytes);
    if (answer.is === 'accepted') await port.finalize(answer.bytes);
    else if (answer.is !== 'final') throw new Error(`the operator says ${JSON.stringify(answer)}`);
    return prepared.txid;
  }

  async function unspent(terms: VhtlcTerms): Promise<Vtxo[]> {
    return (await port.coins([vhtlcScript(terms).pkScript])).filter((coin) => !coin.spent);
  }

  return {
    port,
    address,
    publicKey: toHex(publicKey),
    secret: () => asPreimage(sha256Of(asPreimage(new Uint8Array(32).fill(++secrets)))),
    async createLightningArkade(node, sourceSats, secret) {
      const created = await node.service.create(
        'lightning-arkade',
        {
          ...common,
          claimKey: clientKey,
          hash: sha256Of(secret),
          targetAddress: address,
          amount: { pinned: 'source', amount: sats(sourceSats) },
          description: null,
        },
        null,
      );
      if (isRefusal(created)) throw new Error(created.sentence);
      return created;
    },
    async createArkadeLightning(node, bolt11, targetSats) {
      const created = await node.service.create(
        'arkade-lightning',
        { ...common, refundKey: clientKey, payee: { is: 'invoice', bolt11, amount: sats(targetSats) } },
        null,
      );
      if (isRefusal(created)) throw new Error(created.sentence);
      return created;
    },
    async createBitcoinArkade(node, receive, secret) {
      const created = await node.service.create(
        'bitcoin-arkade',
        {
          ...common,
          claimKey: clientKey,
          refundKey: clientKey,
          hash: hash160Of(secret),
          targetAddress: address,
          receive: sats(receive),
        },
        null,
      );
      if (isRefusal(created)) throw new Error(created.sentence);
      return created;
    },
    htlcOf,
    payBitcoin(record, amount = BigInt(record.source_amount)) {
      const coin = world.bitcoin.faucet(htlcScript(htlcOf(record)).pkScript, sats(amount));
      if (coin === null) throw new Error('the faucet has no coin');
      return coin;
    },
    refundBitcoin(record, coin) {
      const amount = world.bitcoin.coin(coin)?.amount;
      if (amount === undefined) throw new Error('the coin is not there');
      const made = buildHtlcSpend(htlcOf(record), {
        coin: { ...coin, amount },
        to: bitcoinPayee,
        feeRate: 2,
        mostFee: amount,
        secret: keys.privateKey(key),
      });
      if (made === null) throw new Error('the coin is not worth its fee');
      return world.bitcoin.submit(made.bytes).txid;
    },
    coins: (record) => port.coins([vhtlcScript(termsIn(record)).pkScript]),
    async claim(record, secret) {
      const terms = termsOf(record, hash160Of(secret));
      return send(await port.prepareClaim({ terms, key, coins: await unspent(terms), preimage: secret, to: own }));
    },
    collabRefund: async (node, record, only) => (await cosignedRefund(node, record, only))(),
    cosignedRefund,
    async refundAlone(record) {
      const terms = termsIn(record);
      return send(await port.prepareRefund({ terms, key, coins: await unspent(terms), to: own }));
    },
  };

  function htlcOf(record: BitcoinArkadeRecord): TimeHtlcTerms {
    const terms: TimeHtlcTerms = {
      form: record.btc_htlc_witness_script === undefined ? 'p2tr' : 'p2wsh',
      hash: asHash160(fromHex(record.hash_lock)),
      claimer: asPublicKey(fromHex(record.server_vhtlc_pk)),
      refunder: publicKey,
      refundLocktime: unix(record.btc_refund_locktime),
    };
    const script = htlcScript(terms);
    const text = record.btc_htlc_witness_script;
    if (htlcAddress(terms, 'regtest') !== record.btc_htlc_address)
      throw new Error(`the record's address is ${record.btc_htlc_address}, its terms make another`);
    if (script.form === 'p2wsh' && toHex(script.witnessScript) !== text)
      throw new Error(`the record's witness script is ${text}, its terms make another`);
    return terms;
  }

  async function cosignedRefund(
    node: TestNode,
    record: RefundableRecord,
    only: (coin: Vtxo) => boolean = () => true,
  ): Promise<() => Promise<string>> {
    const terms = termsIn(record);
    const half = await port.buildCollabRefund({ terms, key, coins: (await unspent(terms)).filter(only), to: own });
    const answer = await node.service.collabRefund(record.id, half);
    if (isRefusal(answer)) throw new Error(answer.sentence);
    const merged = await port.mergeCollabRefund(half, answer, key);
    return () => send(merged);
  }

  function keyIn(text: string): XOnly {
    const bytes = fromHex(text);
    return asXOnly(bytes.length === 33 ? bytes.subarray(1) : bytes);
  }
}
