import { createArkade } from '../../engine/adapters/arkade/arkade.ts';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import type { ArkadeEvmRecord } from '../../engine/contract/directions/arkade-evm.ts';
import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asPreimage, asSha256, asXOnly, type Preimage, type XOnly } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { seconds, unix } from '../../engine/domain/time.ts';
import { hash160OfSha256, sha256Of } from '../../engine/legs/secret.ts';
import type { KeyRef } from '../../engine/legs/signer.ts';
import { encodeArkadeAddress } from '../../engine/legs/arkade/address.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { Vtxo } from '../../engine/legs/arkade/vtxo.ts';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import type { VhtlcTerms } from '../../engine/legs/arkade/terms.ts';
import { arkProviderOf, indexerProviderOf } from './sandbox-ports/arkade-providers.ts';
import { seedOf, type TestNode } from './node.ts';
import type { World } from './world.ts';

/** A record whose VHTLC the client funded. */
type RefundableRecord = ArkadeLightningRecord | ArkadeEvmRecord;
type ArkadeRecord = LightningArkadeRecord | RefundableRecord;

/** The client of a swap: its own keys, its own connection to the operator, and only the record to go by. */
export interface Client {
  readonly port: ArkadePort;
  readonly address: string;
  readonly publicKey: string;
  /** A new secret each time, the same ones in every run. */
  secret(): Preimage;
  createLightningArkade(node: TestNode, sourceSats: bigint, secret: Preimage): Promise<LightningArkadeRecord>;
  createArkadeLightning(node: TestNode, bolt11: string, targetSats: bigint): Promise<ArkadeLightningRecord>;
  /** Coins at the record's VHTLC, spent ones included. */
  coins(record: ArkadeRecord): Promise<Vtxo[]>;
  /** Claims the VHTLC of a lightning-arkade swap; answers the transaction id. */
  claim(record: LightningArkadeRecord, secret: Preimage): Promise<string>;
  /** Asks the node to sign the refund of every unspent coin of an arkade-lightning swap and submits it; throws with the node's sentence. */
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

  function termsOf(record: ArkadeRecord, hash: Uint8Array): VhtlcTerms {
    const terms: VhtlcTerms = {
      sender: keyIn(record.sender_pk),
      receiver: keyIn(record.receiver_pk),
      operator,
      hash: hash160OfSha256(asSha256(hash)),
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
    return termsOf(record, fromHex(record.hash_lock.replace(/^0x/, '')));
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
    coins: (record) => port.coins([vhtlcScript(termsIn(record)).pkScript]),
    async claim(record, secret) {
      const terms = termsOf(record, sha256Of(secret));
      return send(await port.prepareClaim({ terms, key, coins: await unspent(terms), preimage: secret, to: own }));
    },
    collabRefund: async (node, record, only) => (await cosignedRefund(node, record, only))(),
    cosignedRefund,
    async refundAlone(record) {
      const terms = termsIn(record);
      return send(await port.prepareRefund({ terms, key, coins: await unspent(terms), to: own }));
    },
  };

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
