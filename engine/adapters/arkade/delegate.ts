import { Transaction } from '@arkade-os/sdk';
import type { Intent } from '@arkade-os/sdk';
import { base64, hex } from '@scure/base';
import { PortFailure } from '../../domain/errors.ts';
import type { PublicKey } from '../../domain/hash.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import { publicKeyOf } from '../../legs/secp256k1.ts';
import { proofMessage, readRegister } from '../../legs/vhtlc/intent.ts';
import type { DelegateSettle } from '../../legs/vhtlc/port.ts';
import { outpointOf } from '../../legs/vhtlc/psbt.ts';
import type { KeyRef } from '../../legs/signer.ts';
import { runBatch } from './batch.ts';
import type { Connector } from './batch.ts';
import type { Payment } from './build.ts';
import { allInputs } from './build.ts';
import { coinsAtOutpoints } from './coins.ts';
import type { ArkadeOptions, Operator } from './operator.ts';

const delegateKeyRef = { branch: 'delegate' } as const satisfies KeyRef;

/** The cosigner key that clients name in their intents: one for all, and for as long as the seed lives. */
export function delegatePublicKey({ keys }: ArkadeOptions): PublicKey {
  return publicKeyOf(keys(delegateKeyRef));
}

export interface Delegate {
  key(): PublicKey;
  settle(request: DelegateSettle, signal: AbortSignal): Promise<{ commitmentTxid: Txid }>;
}

/** Brings a client's presigned intent into a batch: we cosign the tree of new coins and complete the forfeits. */
export function createDelegate(options: ArkadeOptions, operator: Operator): Delegate {
  async function settle(request: DelegateSettle, signal: AbortSignal): Promise<{ commitmentTxid: Txid }> {
    const proof = parse(request.intentProof, 'the intent proof');
    const message = readRegister(request.message);
    if (!message || proofMessage(proof) !== request.message) throw refused('the message is not the register message that the intent proof was signed for');
    if (message.onchain_output_indexes.length > 0) throw refused('the intent pays outputs on the chain, which is not done here');
    const own = hex.encode(delegatePublicKey(options));
    if (message.cosigners_public_keys.length !== 1 || message.cosigners_public_keys[0] !== own) throw refused(`the intent must name one cosigner, ${own}`);
    const inputs = allInputs(proof).slice(1).map((index) => outpointOf(proof, index)).filter((point): point is Outpoint => point !== null);
    if (inputs.length === 0) throw refused('the intent takes no coins');

    const coins = await coinsAtOutpoints(operator, inputs, options.clock.wall());
    const [first] = coins;
    if (first?.settledBy && coins.length === inputs.length && coins.every(({ settledBy }) => settledBy === first.settledBy)) return { commitmentTxid: first.settledBy };
    if (coins.length !== inputs.length || coins.some(({ spent, unrolled }) => spent || unrolled)) throw refused('the intent takes a coin that is spent or unknown');

    const forfeits = new Map(request.forfeits.map((bytes) => parse(bytes, 'a forfeit')).map((tx) => [forfeitKey(tx), tx]));
    const missing = coins.find(({ outpoint, recoverable }) => !recoverable && !forfeits.has(outpointKey(outpoint)));
    if (missing) throw refused(`the coin ${outpointKey(missing.outpoint)} has no forfeit transaction`);

    const commitmentTxid = await runBatch(options, operator, {
      intent: { proof: base64.encode(request.intentProof), message: message as Intent.RegisterMessage },
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
    return { commitmentTxid };
  }

  return { key: () => delegatePublicKey(options), settle };
}

function refused(sentence: string): PortFailure {
  return new PortFailure('delegate-refused', 'never', sentence);
}

function parse(bytes: Uint8Array, what: string): Transaction {
  try {
    return Transaction.fromPSBT(bytes);
  } catch (cause) {
    throw new PortFailure('delegate-refused', 'never', `${what} is not a PSBT`, cause);
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
