import {
  type ArkProvider,
  Batch,
  CSVMultisigTapscript,
  ConditionWitness,
  type SignerSession,
  Transaction,
  type TxTree,
  setArkPsbtField,
  validateVtxoTxGraph,
} from '@arkade-os/sdk';
import { SigHash } from '@scure/btc-signer';
import { tapLeafHash } from '@scure/btc-signer/payment.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { arkProviderOf } from '../../support/sandbox-ports/arkade-providers.ts';
import type { Operator } from '../../../engine/sandbox/world/arkade/operator.ts';
import { forfeitPayment, operatorKeys } from '../../../engine/sandbox/world/arkade/settings.ts';
import { type Party, type ProofInput, keyOf, parse, prove, register, signAll, text } from './support.ts';

export interface ForfeitChoice {
  readonly leaf: Uint8Array;
  readonly signers: readonly Party[];
  readonly witness?: Uint8Array;
  readonly locktime?: number;
  readonly presigned?: boolean;
}

export function forfeitScript(): Uint8Array {
  return forfeitPayment('regtest', operatorKeys(new Uint8Array(32).fill(7))).script;
}

/**
 * A forfeit of one coin over one connector: signed whole, or signed before the connector is known and completed after.
 */
export async function forfeitOf(input: ProofInput, choice: ForfeitChoice, connector: Transaction): Promise<string> {
  const { coin } = input;
  const { amount = 0n, script = new Uint8Array() } = connector.getOutput(0);
  const tx = new Transaction({ version: 3, lockTime: choice.locktime ?? 0 });
  const connectorInput = { txid: connector.id, index: 0, witnessUtxo: { script, amount } };
  tx.addInput({
    txid: coin.txid,
    index: coin.vout,
    sequence: choice.locktime === undefined ? 0xffffffff : 0xfffffffe,
    witnessUtxo: { script: coin.of.script.pkScript, amount: BigInt(coin.value) },
    sighashType: choice.presigned ? SigHash.ALL_ANYONECANPAY : SigHash.DEFAULT,
    tapLeafScript: [coin.of.script.findLeaf(hex.encode(choice.leaf))],
  });
  if (!choice.presigned) tx.addInput(connectorInput);
  tx.addOutput({ script: forfeitScript(), amount: BigInt(coin.value) + 330n });
  tx.addOutput({ script: hex.decode('51024e73'), amount: 0n });
  if (choice.witness !== undefined) setArkPsbtField(tx, 0, ConditionWitness, [choice.witness]);
  const signed = await signAll(tx, choice.signers);
  if (choice.presigned) signed.addInput(connectorInput, true);
  return text(signed);
}

export interface Joining {
  readonly inputs: readonly ProofInput[];
  readonly outputs: readonly { script: Uint8Array; amount: bigint }[];
  readonly signers: readonly Party[];
  /** What is given for the connectors; nothing by default. */
  readonly forfeits?: (connectors: readonly Transaction[]) => Promise<readonly string[]>;
  /** The commitment transaction, signed for the coins of the chain that go on board; not given by default. */
  readonly boards?: (commitment: Transaction) => Promise<Transaction>;
  /** Straight on the operator unless given. */
  readonly provider?: ArkProvider;
  /** A fresh one unless given. */
  readonly session?: SignerSession;
  /** A wrong partial signature instead of the right one. */
  readonly badSignature?: boolean;
}

/** Goes through a batch as a client of its own. Answers with the commitment transaction. */
export async function joinBatch(operator: Operator, cosigner: Party, joining: Joining): Promise<string> {
  const provider = joining.provider ?? arkProviderOf(operator);
  const info = await provider.getInfo();
  const session = joining.session ?? cosigner.identity.signerSession();
  const pubkey = hex.encode(await session.getPublicKey());
  const abort = new AbortController();
  const stream = provider.getEventStream(abort.signal, [pubkey, ...joining.inputs.map(({ coin }) => keyOf(coin))]);
  const first = stream.next();
  const intent = await prove(register([pubkey]), joining.inputs, joining.outputs, joining.signers);
  const intentId = operator.registerIntent(intent);
  async function* events(): AsyncIterableIterator<Awaited<typeof first>['value']> {
    yield (await first).value;
    yield* stream;
  }
  let root: Uint8Array | undefined;
  try {
    return await Batch.join(events(), {
      async onBatchStarted(event) {
        if (!event.intentIdHashes.includes(hex.encode(sha256(new TextEncoder().encode(intentId)))))
          return { skip: true };
        const sweep = CSVMultisigTapscript.encode({
          timelock: { type: 'seconds', value: event.batchExpiry },
          pubkeys: [hex.decode(info.forfeitPubkey).subarray(1)],
        });
        root = tapLeafHash(sweep.script);
        await provider.confirmRegistration(intentId);
        return { skip: false };
      },
      async onTreeSigningStarted(event, tree: TxTree) {
        const commitment = parse(event.unsignedCommitmentTx);
        validateVtxoTxGraph(tree, commitment, root as Uint8Array);
        await session.init(tree, root as Uint8Array, commitment.getOutput(0).amount ?? 0n);
        await provider.submitTreeNonces(event.id, pubkey, await session.getNonces());
        return { skip: false };
      },
      async onTreeNonces(event) {
        const { hasAllNonces } = await session.aggregatedNonces(event.txid, event.nonces);
        if (!hasAllNonces) return { fullySigned: false };
        const signatures = await session.sign();
        if (joining.badSignature) for (const each of signatures.values()) each.s[31] = (each.s[31] ?? 0) ^ 1;
        await provider.submitTreeSignatures(event.id, pubkey, signatures);
        return { fullySigned: true };
      },
      async onBatchFinalization(event, _tree, connectors) {
        const given = await joining.forfeits?.(connectors?.leaves() ?? []);
        const signed = await joining.boards?.(parse(event.commitmentTx));
        if (signed !== undefined) await provider.submitSignedForfeitTxs([...(given ?? [])], text(signed));
        else if (given !== undefined && given.length > 0) await provider.submitSignedForfeitTxs([...given]);
      },
    });
  } finally {
    abort.abort();
    await stream.return?.();
  }
}
