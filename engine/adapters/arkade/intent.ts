import { buildForfeitTx, ConditionWitness, setArkPsbtField, type Transaction } from '@arkade-os/sdk';
import { SigHash } from '@scure/btc-signer';
import { randomPrivateKeyBytes } from '@scure/btc-signer/utils.js';
import { minus, sats, type Sats } from '../../domain/money.ts';
import { sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import { publicKeyOf } from '../../legs/secp256k1.ts';
import { runBatch } from './batch/batch.ts';
import type { Connector } from './batch/job.ts';
import { inputTotal, signInputs, type SpendInput } from './build.ts';
import { feeChanged } from './failures.ts';
import type { ArkadeOptions, Operator, OperatorSettings } from './operator.ts';
import { deleteMessage, proofInputs, proofLife, registerMessage, signedProof, type ProofInput } from './proofs.ts';

/** How often an intent is made anew when the operator changed its fee meanwhile. */
const feeTries = 2;

/** Coins on their way through a batch into new ones. */
export interface BatchSpend {
  readonly inputs: readonly SpendInput[];
  readonly coins: readonly Vtxo[];
  readonly to: Uint8Array;
  readonly fee: Sats;
  readonly secret: Uint8Array;
  readonly locked: boolean;
  /** New coins, one when left out. */
  readonly pieces?: number;
}

export interface Batched {
  readonly commitmentTxid: Txid;
  readonly fee: Sats;
  readonly paid: Sats;
}

/**
 * Takes coins of ours through a batch. What the operator asks is read right before the intent, and once more when it
 * changed meanwhile: too small a fee is refused, too large a one is kept. Null where `spendAt` finds nothing to do.
 */
export async function takeThroughBatch(
  options: ArkadeOptions,
  operator: Operator,
  signal: AbortSignal,
  spendAt: (settings: OperatorSettings) => BatchSpend | null,
): Promise<Batched | null> {
  for (let tries = 1; ; tries++) {
    const settings = await operator.settings(0);
    const spend = spendAt(settings);
    if (spend === null) return null;
    try {
      return await runIntent(options, operator, settings, spend, signal);
    } catch (error) {
      if (!feeChanged(error) || tries === feeTries) throw error;
    }
  }
}

async function runIntent(
  options: ArkadeOptions,
  operator: Operator,
  settings: OperatorSettings,
  spend: BatchSpend,
  signal: AbortSignal,
): Promise<Batched> {
  const { clock } = options;
  const { coins, secret, fee } = spend;
  const proofs = proofInputs(spend.inputs, coins, spend.locked);
  const session = randomPrivateKeyBytes();
  const paid = minus(sats(inputTotal(spend.inputs)), fee);
  const outputs = shares(paid, spend.pieces ?? 1).map((amount) => ({ script: spend.to, amount }));
  const intent = signedProof(registerMessage(proofLife(clock), publicKeyOf(session)), proofs, outputs, secret);
  const commitmentTxid = await runBatch(options, operator, {
    intent,
    inputs: proofs.map(({ outpoint }) => outpoint),
    outputs,
    cosigner: session,
    forfeit: (outpoint, connector) =>
      forfeit(
        settings,
        proofs.find((proof) => sameOutpoint(proof.outpoint, outpoint)) as ProofInput,
        connector,
        secret,
      ),
    release: async () => {
      const { proof, message } = signedProof(deleteMessage(proofLife(clock)), proofs, [], secret);
      await operator.call('deleteIntent', 'write', (ark) => ark.deleteIntent({ proof, message }));
    },
    signal,
  });
  return { commitmentTxid, fee, paid };
}

/** Gives the coin to the operator, once the batch that this connector is of is on the chain. */
function forfeit(settings: OperatorSettings, input: ProofInput, connector: Connector, secret: Uint8Array): Transaction {
  const tx = buildForfeitTx(
    [
      {
        txid: input.outpoint.txid,
        index: input.outpoint.vout,
        witnessUtxo: { script: input.script, amount: input.amount },
        sighashType: SigHash.DEFAULT,
        tapLeafScript: [input.tapLeaf],
      },
      { txid: connector.txid, index: 0, witnessUtxo: { script: connector.script, amount: connector.amount } },
    ],
    settings.forfeitScript,
  );
  if (input.condition) setArkPsbtField(tx, 0, ConditionWitness, [...input.condition]);
  signInputs(tx, secret, [0]);
  return tx;
}

/** Equal parts, the odd sats in the first. */
function shares(total: bigint, pieces: number): bigint[] {
  const share = total / BigInt(pieces);
  return Array.from({ length: pieces }, (_, i) => (i === 0 ? total - share * BigInt(pieces - 1) : share));
}
