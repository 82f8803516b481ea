import { Transaction } from '@arkade-os/sdk';
import { SigHash } from '@scure/btc-signer';
import type { PortFailure } from '../../domain/errors.ts';
import { sameBytes } from '../../domain/hash.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { inputsOf, outpointOf } from '../../legs/psbt.ts';
import { checkCollabRefund } from '../../legs/arkade/cosign.ts';
import { checkDelegateRefund } from '../../legs/arkade/delegate.ts';
import type { CollabRefund, DelegateRefund, SenderSigns } from '../../legs/arkade/refund-request.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import { oversizedCollab, oversizedDelegate } from '../../legs/arkade/refund-size.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import { vhtlcOutput, vhtlcScript } from '../../legs/arkade/script.ts';
import type { VhtlcTerms } from '../../legs/arkade/terms.ts';
import { allInputs, build, inputTotal, packed, signInputs } from './build.ts';
import type { Payment, SpendInput } from './build.ts';
import { refundCoins } from './coins.ts';
import { delegatePublicKey } from './delegate.ts';
import type { ArkadeOptions, Operator } from './operator.ts';
import { partySecret, vhtlcInputs } from './vhtlc.ts';

type Cosigner = Pick<
  ArkadePort,
  'judgeCollabRefund' | 'judgeDelegateRefund' | 'cosign' | 'cosignDelegate' | 'buildCollabRefund' | 'mergeCollabRefund'
>;

/** Both halves of a refund that sender and receiver sign together. */
export function createCosigner(options: ArkadeOptions, operator: Operator): Cosigner {
  const { clock } = options;

  /** Nothing is parsed, and nobody asked, for what is too large to be looked at. */
  async function coinsIn(
    terms: VhtlcTerms,
    oversized: string | null,
    psbts: readonly Uint8Array[],
    from: number,
  ): Promise<Vtxo[]> {
    const named = oversized === null ? inputsOf(psbts, from) : [];
    return refundCoins(operator, named, { script: vhtlcOutput(terms).pkScript, now: clock.wall() });
  }

  async function judgeCollabRefund(
    terms: VhtlcTerms,
    refund: CollabRefund,
    senderSigns: SenderSigns = 'before',
  ): Promise<string | null> {
    const [settings, coins] = await Promise.all([
      operator.settings(),
      coinsIn(terms, oversizedCollab(refund), refund.checkpoints, 0),
    ]);
    const wrong = checkCollabRefund({ terms, coins, refund, unrollScript: settings.unrollScript, senderSigns });
    if (wrong !== null) return wrong;
    const checkpoints = refund.checkpoints.map((bytes) => Transaction.fromPSBT(bytes));
    return rebuiltDiffers(terms, coins, Transaction.fromPSBT(refund.arkTx), checkpoints, (inputs, outputs) =>
      build(inputs, outputs, settings.unroll),
    );
  }

  async function judgeDelegateRefund(terms: VhtlcTerms, refund: DelegateRefund): Promise<string | null> {
    const [settings, coins] = await Promise.all([
      operator.settings(),
      coinsIn(terms, oversizedDelegate(refund), [refund.intentProof], 1),
    ]);
    const { forfeitScript, dust } = settings;
    return checkDelegateRefund({
      terms,
      coins,
      refund,
      forfeitScript,
      dust,
      cosigner: delegatePublicKey(options),
      now: clock.wall(),
    });
  }

  return {
    judgeCollabRefund,
    judgeDelegateRefund,

    // The caller judged already; a signature that should not exist cannot be taken back, so it is judged at the pen
    // too.
    async cosign(terms, key, refund, senderSigns) {
      const secret = partySecret(options, terms, key, 'receiver');
      refuseIf(await judgeCollabRefund(terms, refund, senderSigns));
      const arkTx = Transaction.fromPSBT(refund.arkTx);
      const checkpoints = refund.checkpoints.map((bytes) => Transaction.fromPSBT(bytes));
      signInputs(arkTx, secret, allInputs(arkTx));
      for (const checkpoint of checkpoints) signInputs(checkpoint, secret, [0]);
      return { arkTx: arkTx.toPSBT(), checkpoints: checkpoints.map((tx) => tx.toPSBT()) };
    },

    async cosignDelegate(terms, key, refund) {
      const secret = partySecret(options, terms, key, 'receiver');
      refuseIf(await judgeDelegateRefund(terms, refund));
      const proof = Transaction.fromPSBT(refund.intentProof);
      const forfeits = refund.forfeits.map((bytes) => Transaction.fromPSBT(bytes));
      signInputs(proof, secret, allInputs(proof), SigHash.ALL);
      for (const forfeit of forfeits) signInputs(forfeit, secret, [0], SigHash.ALL_ANYONECANPAY);
      return { intentProof: proof.toPSBT(), forfeits: forfeits.map((tx) => tx.toPSBT()) };
    },

    async buildCollabRefund({ terms, key, coins, to }) {
      const inputs = vhtlcInputs(terms, 'refund', coins);
      const secret = partySecret(options, terms, key, 'sender');
      const settings = await operator.settings();
      const { arkTx, checkpoints } = build(inputs, [{ script: to, amount: inputTotal(inputs) }], settings.unroll);
      signInputs(arkTx, secret, allInputs(arkTx));
      for (const checkpoint of checkpoints) signInputs(checkpoint, secret, [0]);
      return { arkTx: arkTx.toPSBT(), checkpoints: checkpoints.map((tx) => tx.toPSBT()) };
    },

    async mergeCollabRefund(own, answer, key) {
      const arkTx = merged(own.arkTx, answer.arkTx);
      const answered = new Map(answer.checkpoints.map((bytes) => [Transaction.fromPSBT(bytes).id, bytes]));
      const ours = own.checkpoints.map((bytes) => ({ bytes, id: Transaction.fromPSBT(bytes).id }));
      if (answered.size !== ours.length || !ours.every(({ id }) => answered.has(id))) throw changed();
      const checkpoints = ours.map(({ bytes, id }) => merged(bytes, answered.get(id) as Uint8Array));
      const inputs = checkpoints.map((tx) => outpointOf(tx, 0)).filter((point) => point !== null);
      return packed(arkTx, own.checkpoints.map(withoutSignatures), checkpoints, inputs, key ?? null);
    },
  };
}

function refuseIf(sentence: string | null): void {
  if (sentence !== null) throw arkadeFailure('cosign-refused', 'never', sentence);
}

/** The same refund, built by other code from what the indexer says, must have the same ids. */
function rebuiltDiffers(
  terms: VhtlcTerms,
  coins: readonly Vtxo[],
  arkTx: Transaction,
  checkpoints: readonly Transaction[],
  rebuild: (inputs: SpendInput[], outputs: Payment[]) => { arkTx: Transaction; checkpoints: Transaction[] },
): string | null {
  const script = vhtlcScript(terms);
  const byCheckpoint = new Map(checkpoints.map((tx) => [tx.id, outpointOf(tx, 0)]));
  const inputs: SpendInput[] = [];
  for (const index of allInputs(arkTx)) {
    const spent = byCheckpoint.get(outpointOf(arkTx, index)?.txid ?? '');
    const coin = coins.find(({ outpoint }) => outpoint.txid === spent?.txid && outpoint.vout === spent.vout);
    if (!coin) return `input ${index} of the Arkade transaction spends no coin of this swap`;
    inputs.push({ coin, script: script.pkScript, leaf: script.leaf.refund, tapTree: script.tapTree });
  }
  const outputs = Array.from({ length: arkTx.outputsLength - 1 }, (_, i) => arkTx.getOutput(i)).map(
    ({ script: to, amount }) => ({ script: to ?? new Uint8Array(), amount: amount ?? 0n }),
  );
  const again = rebuild(inputs, outputs);
  const ids = new Set(checkpoints.map(({ id }) => id));
  return again.arkTx.id === arkTx.id && again.checkpoints.every(({ id }) => ids.has(id))
    ? null
    : 'the refund is not the transaction that its coins and outputs make';
}

function changed(): PortFailure {
  return arkadeFailure(
    'refund-changed',
    'never',
    'the provider answered with another transaction than the refund it was asked to sign',
  );
}

/** Our PSBT with every signature of the other one that it lacks. */
function merged(own: Uint8Array, other: Uint8Array): Transaction {
  const tx = Transaction.fromPSBT(own);
  const from = Transaction.fromPSBT(other);
  if (from.id !== tx.id) throw changed();
  for (const index of allInputs(tx)) {
    const signatures = tx.getInput(index).tapScriptSig ?? [];
    const added = (from.getInput(index).tapScriptSig ?? []).filter(
      ([at]) =>
        !signatures.some(([have]) => sameBytes(have.pubKey, at.pubKey) && sameBytes(have.leafHash, at.leafHash)),
    );
    tx.updateInput(index, { tapScriptSig: [...signatures, ...added] });
  }
  return tx;
}

function withoutSignatures(bytes: Uint8Array): Uint8Array {
  const signed = Transaction.fromPSBT(bytes);
  const bare = new Transaction({ version: signed.version, lockTime: signed.lockTime });
  for (const index of allInputs(signed)) {
    const { tapScriptSig: _, unknown, ...input } = signed.getInput(index);
    bare.addInput(input);
    if (unknown) bare.updateInput(index, { unknown });
  }
  for (let i = 0; i < signed.outputsLength; i++) bare.addOutput(signed.getOutput(i));
  return bare.toPSBT();
}
