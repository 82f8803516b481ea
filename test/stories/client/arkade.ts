import {
  ArkAddress,
  buildOffchainTx,
  combineTapscriptSigs,
  ConditionWitness,
  CSVMultisigTapscript,
  DefaultVtxo,
  Intent,
  RestArkProvider,
  RestIndexerProvider,
  setArkPsbtField,
  SingleKey,
  Transaction,
  VtxoTaprootTree,
  type VirtualCoin,
} from '@arkade-os/sdk';
import { base64, hex } from '@scure/base';
import { SigHash } from '@scure/btc-signer';
import type { Leaf, Vhtlc } from './vhtlc.ts';

const anchor = Uint8Array.of(0x51, 0x02, 0x4e, 0x73);
const regtest = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef };

/** A transaction and its checkpoints as PSBTs in base64. */
export interface Half {
  readonly ark_tx: string;
  readonly checkpoint_txs: readonly string[];
}

/** A client's own half of Arkade: a key, an address, and what the operator's HTTP interface lets it do. */
export interface ArkadeClient {
  readonly publicKey: string;
  readonly operatorKey: string;
  readonly address: string;
  /** Sats that the address holds. */
  balance(): Promise<number>;
  coins(vhtlc: Vhtlc): Promise<VirtualCoin[]>;
  unspent(vhtlc: Vhtlc): Promise<VirtualCoin[]>;
  claim(vhtlc: Vhtlc, secret: Uint8Array): Promise<string>;
  /**
   * Whether spends of the coins, if there are any, have paid this client: one that is accepted and not final has not.
   */
  paidBy(vhtlc: Vhtlc): Promise<boolean>;
  /** Asks for a claim that the operator accepted and whose answer was lost, and finalizes it. */
  finishClaim(vhtlc: Vhtlc, secret: Uint8Array): Promise<void>;
  /** Leaf 3, after the locktime. */
  refundAlone(vhtlc: Vhtlc): Promise<string>;
  /** Leaf 2, signed by the sender only. */
  halfRefund(vhtlc: Vhtlc, coins: readonly VirtualCoin[]): Promise<Half>;
  /** Submits a refund that the service signed as well, and finalizes it. */
  finishRefund(half: Half): Promise<string>;
  /** An intent over the refund leaf and its forfeits, signed by the sender only. */
  delegate(
    vhtlc: Vhtlc,
    coins: readonly VirtualCoin[],
    cosigner: string,
    now: number,
  ): Promise<{ intent_proof: string; forfeit_psbts: string[]; intent_message: string }>;
}

export async function openArkade(url: string, secretKey: Uint8Array): Promise<ArkadeClient> {
  const ark = new RestArkProvider(url);
  const indexer = new RestIndexerProvider(url);
  const key = SingleKey.fromPrivateKey(secretKey);
  const info = await ark.getInfo();
  const operator = hex.decode(info.signerPubkey).slice(-32);
  const unroll = CSVMultisigTapscript.decode(hex.decode(info.checkpointTapscript));
  const own = new DefaultVtxo.Script({
    pubKey: await key.xOnlyPublicKey(),
    serverPubKey: operator,
    csvTimelock: { type: 'seconds', value: info.unilateralExitDelay },
  });

  async function coinsAt(pkScript: Uint8Array): Promise<VirtualCoin[]> {
    return (await indexer.getVtxos({ scripts: [hex.encode(pkScript)] })).vtxos;
  }

  async function unspent(vhtlc: Vhtlc): Promise<VirtualCoin[]> {
    return (await coinsAt(vhtlc.pkScript)).filter((coin) => coin.isSpent !== true);
  }

  function build(vhtlc: Vhtlc, coins: readonly VirtualCoin[], leaf: Leaf) {
    if (coins.length === 0) throw new Error(`no coin at ${vhtlc.address}`);
    const amount = BigInt(coins.reduce((sum, coin) => sum + coin.value, 0));
    return buildOffchainTx(
      coins.map(({ txid, vout, value }) => ({
        txid,
        vout,
        value,
        tapLeafScript: leaf,
        tapTree: vhtlc.script.encode(),
      })),
      [{ script: own.pkScript, amount }],
      unroll,
    );
  }

  async function spend(vhtlc: Vhtlc, leaf: Leaf, condition: Uint8Array | null): Promise<string> {
    const { arkTx, checkpoints } = build(vhtlc, await unspent(vhtlc), leaf);
    if (condition !== null)
      for (let i = 0; i < arkTx.inputsLength; i++) setArkPsbtField(arkTx, i, ConditionWitness, [condition]);
    const signed = await key.sign(arkTx);
    const answer = await ark.submitTx(
      base64.encode(signed.toPSBT()),
      checkpoints.map((tx) => base64.encode(tx.toPSBT())),
    );
    return finalize(answer, condition);
  }

  async function finalize(
    { arkTxid, signedCheckpointTxs }: { arkTxid: string; signedCheckpointTxs: readonly string[] },
    condition: Uint8Array | null,
  ): Promise<string> {
    const final: string[] = [];
    for (const each of signedCheckpointTxs) {
      const checkpoint = Transaction.fromPSBT(base64.decode(each));
      if (condition !== null) setArkPsbtField(checkpoint, 0, ConditionWitness, [condition]);
      final.push(base64.encode((await key.sign(checkpoint, [0])).toPSBT()));
    }
    await ark.finalizeTx(arkTxid, final);
    return arkTxid;
  }

  /** Inputs of an intent proof over the coins, by one leaf. */
  function proofInputs(vhtlc: Vhtlc, coins: readonly VirtualCoin[], leaf: Leaf) {
    return coins.map(({ txid, vout, value }) => ({
      txid: hex.decode(txid),
      index: vout,
      sequence: 0xffff_ffff,
      witnessUtxo: { script: vhtlc.pkScript, amount: BigInt(value) },
      tapLeafScript: [leaf],
      unknown: [VtxoTaprootTree.encode(vhtlc.script.encode())],
    }));
  }

  return {
    publicKey: hex.encode(await key.compressedPublicKey()),
    operatorKey: hex.encode(operator),
    address: new ArkAddress(operator, own.tweakedPublicKey, 'tark').encode(),
    async balance() {
      return (await coinsAt(own.pkScript))
        .filter((coin) => coin.isSpent !== true)
        .reduce((sum, coin) => sum + coin.value, 0);
    },
    coins: (vhtlc) => coinsAt(vhtlc.pkScript),
    unspent,
    claim: (vhtlc, secret) => spend(vhtlc, vhtlc.leaf.claim, secret),
    async paidBy(vhtlc) {
      const [spent, mine] = [
        (await coinsAt(vhtlc.pkScript)).filter((coin) => coin.isSpent === true),
        await coinsAt(own.pkScript),
      ];
      return spent.every(({ arkTxId }) => mine.some(({ txid }) => txid === arkTxId));
    },
    async finishClaim(vhtlc, secret) {
      // For ever: the operator's clock may be hours ahead of this one.
      const message: Intent.GetPendingTxMessage = { type: 'get-pending-tx', expire_at: 0 };
      const inputs = proofInputs(vhtlc, await coinsAt(vhtlc.pkScript), vhtlc.leaf.claim);
      const proof = Intent.create(
        message,
        inputs.map((input) => ({ ...input, unknown: [...input.unknown, ConditionWitness.encode([secret])] })),
        [],
      );
      const pending = await ark.getPendingTxs({ proof: base64.encode((await key.sign(proof)).toPSBT()), message });
      for (const accepted of pending) await finalize(accepted, secret);
    },
    refundAlone: (vhtlc) => spend(vhtlc, vhtlc.leaf.refundAlone, null),
    async halfRefund(vhtlc, coins) {
      const { arkTx, checkpoints } = build(vhtlc, coins, vhtlc.leaf.refund);
      return {
        ark_tx: base64.encode((await key.sign(arkTx)).toPSBT()),
        checkpoint_txs: checkpoints.map((tx) => base64.encode(tx.toPSBT())),
      };
    },
    async finishRefund(half) {
      const cosigned = half.checkpoint_txs.map((each) => Transaction.fromPSBT(base64.decode(each)));
      const answer = await ark.submitTx(
        half.ark_tx,
        cosigned.map((tx) => base64.encode(tx.toPSBT())),
      );
      const final: string[] = [];
      for (const each of answer.signedCheckpointTxs) {
        const checkpoint = Transaction.fromPSBT(base64.decode(each));
        const theirs = cosigned.find(({ id }) => id === checkpoint.id);
        if (theirs === undefined) throw new Error('the operator answered with another checkpoint');
        // The operator drops the receiver's signature (facts/clients.md 25).
        final.push(base64.encode((await key.sign(combineTapscriptSigs(theirs, checkpoint), [0])).toPSBT()));
      }
      await ark.finalizeTx(answer.arkTxid, final);
      return answer.arkTxid;
    },
    async delegate(vhtlc, coins, cosigner, now) {
      const message: Intent.RegisterMessage = {
        type: 'register',
        onchain_output_indexes: [],
        valid_at: now,
        expire_at: now + 120,
        cosigners_public_keys: [cosigner],
      };
      const proof = Intent.create(message, proofInputs(vhtlc, coins, vhtlc.leaf.refund), [
        { script: own.pkScript, amount: BigInt(coins.reduce((sum, coin) => sum + coin.value, 0)) },
      ]);
      const forfeits = coins.map(({ txid, vout, value }) => {
        const tx = new Transaction({ version: 3 });
        tx.addInput({
          txid,
          index: vout,
          witnessUtxo: { script: vhtlc.pkScript, amount: BigInt(value) },
          sighashType: SigHash.ALL_ANYONECANPAY,
          tapLeafScript: [vhtlc.leaf.refund],
        });
        tx.addOutputAddress(info.forfeitAddress, BigInt(value) + info.dust, regtest);
        tx.addOutput({ script: anchor, amount: 0n });
        tx.signIdx(secretKey, 0, [SigHash.ALL_ANYONECANPAY]);
        return base64.encode(tx.toPSBT());
      });
      return {
        intent_proof: base64.encode((await key.sign(proof)).toPSBT()),
        forfeit_psbts: forfeits,
        intent_message: Intent.encodeMessage(message),
      };
    },
  };
}
