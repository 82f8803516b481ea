import { Transaction } from '@arkade-os/sdk';
import type { Intent } from '@arkade-os/sdk';
import type { PortFailure } from '../../domain/errors.ts';
import type { PublicKey } from '../../domain/hash.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import { outpointKey, sameOutpoint } from '../../domain/outpoint.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { publicKeyOf } from '../../legs/secp256k1.ts';
import { checkDelegateSettle } from '../../legs/arkade/delegate.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { DelegateSettle } from '../../legs/arkade/refund-request.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import { outpointOf } from '../../legs/psbt.ts';
import { vhtlcOutput } from '../../legs/arkade/script.ts';
import type { VhtlcTerms } from '../../legs/arkade/terms.ts';
import type { KeyRef } from '../../legs/signer.ts';
import { base64 } from './base64.ts';
import { runBatch } from './batch/batch.ts';
import type { Connector } from './batch/job.ts';
import type { Payment } from './build.ts';
import { allInputs } from './build.ts';
import { refundCoins } from './coins.ts';
import type { ArkadeOptions, Operator } from './operator.ts';

const delegateKeyRef = { branch: 'delegate' } as const satisfies KeyRef;

/** The cosigner key that clients name in their intents: one for all, and for as long as the seed lives. */
export function delegatePublicKey({ keys }: ArkadeOptions): PublicKey {
  return publicKeyOf(keys(delegateKeyRef));
}

/** Brings a client's presigned intent into a batch: we cosign the tree of new coins and complete the forfeits. */
export function createDelegate(
  options: ArkadeOptions,
  operator: Operator,
): Pick<ArkadePort, 'delegateKey' | 'judgeDelegateSettle' | 'delegateSettle'> {
  /** What we go into a round with is judged whole before the operator hears of it: it is done in our name. */
  async function wrong(terms: VhtlcTerms, settle: DelegateSettle, coins: readonly Vtxo[]): Promise<string | null> {
    const { forfeitScript, dust } = await operator.settings();
    const { clock } = options;
    return checkDelegateSettle({
      terms,
      coins,
      settle,
      forfeitScript,
      dust,
      cosigner: delegatePublicKey(options),
      now: clock.wall(),
      mtp: clock.mtp(),
    });
  }

  async function read(terms: VhtlcTerms, request: DelegateSettle) {
    const proof = parse(request.intentProof, 'the intent proof');
    const inputs = coinInputs(proof);
    const script = vhtlcOutput(terms).pkScript;
    const coins = await refundCoins(operator, inputs, { script, now: options.clock.wall() });
    return { proof, inputs, coins, done: settledIn(inputs, coins) };
  }

  return {
    delegateKey: () => delegatePublicKey(options),

    async judgeDelegateSettle(terms, request) {
      const { coins, done } = await read(terms, request);
      return done === null ? wrong(terms, request, coins) : null;
    },

    async delegateSettle(terms, request, signal) {
      const { proof, inputs, coins, done } = await read(terms, request);
      if (done !== null) return { commitmentTxid: done, before: true };
      const sentence = await wrong(terms, request, coins);
      if (sentence !== null) throw refused(sentence);
      const forfeits = new Map(
        request.forfeits.map((bytes) => parse(bytes, 'a forfeit')).map((tx) => [forfeitKey(tx), tx]),
      );
      const commitmentTxid = await runBatch(options, operator, {
        intent: {
          proof: base64.encode(request.intentProof),
          message: JSON.parse(request.message) as Intent.RegisterMessage,
        },
        inputs,
        outputs: outputsOf(proof),
        cosigner: options.keys(delegateKeyRef),
        forfeit: (outpoint, connector) => {
          const presigned = forfeits.get(outpointKey(outpoint));
          if (!presigned) throw refused(`the coin ${outpointKey(outpoint)} has no forfeit transaction`);
          return withConnector(presigned, connector);
        },
        signal,
      });
      return { commitmentTxid, before: false };
    },
  };
}

function coinInputs(proof: Transaction): Outpoint[] {
  return allInputs(proof)
    .slice(1)
    .map((index) => outpointOf(proof, index))
    .filter((point): point is Outpoint => point !== null);
}

/** The one batch that took all of the coins; asked again, the answer is the same. */
function settledIn(inputs: readonly Outpoint[], coins: readonly Vtxo[]): Txid | null {
  const batches = new Set(
    inputs.map((point) => coins.find(({ outpoint }) => sameOutpoint(outpoint, point))?.settledBy ?? null),
  );
  const [only] = batches;
  return batches.size === 1 && only !== undefined ? only : null;
}

function refused(sentence: string): PortFailure {
  return arkadeFailure('delegate-refused', 'never', sentence);
}

function parse(bytes: Uint8Array, what: string): Transaction {
  try {
    return Transaction.fromPSBT(bytes);
  } catch (cause) {
    throw arkadeFailure('delegate-refused', 'never', `${what} is not a PSBT`, cause);
  }
}

function forfeitKey(tx: Transaction): string {
  const point = tx.inputsLength === 1 ? outpointOf(tx, 0) : null;
  if (!point) throw refused('a forfeit must have one input');
  return outpointKey(point);
}

function outputsOf(proof: Transaction): Payment[] {
  return Array.from({ length: proof.outputsLength }, (_, i) => proof.getOutput(i)).map(({ script, amount }) => {
    if (!script || amount === undefined) throw refused('an output of the intent is incomplete');
    return { script, amount };
  });
}

/** Signed for any other inputs to come (0x81), so that the connector of this batch can be put beside it. */
function withConnector(presigned: Transaction, connector: Connector): Transaction {
  const tx = new Transaction({ version: presigned.version, lockTime: presigned.lockTime });
  const { unknown, tapScriptSig, ...input } = presigned.getInput(0);
  tx.addInput(input);
  tx.addInput({ txid: connector.txid, index: 0, witnessUtxo: { script: connector.script, amount: connector.amount } });
  for (let i = 0; i < presigned.outputsLength; i++) tx.addOutput(presigned.getOutput(i));
  if (unknown) tx.updateInput(0, { unknown });
  if (tapScriptSig) tx.updateInput(0, { tapScriptSig });
  return tx;
}
