import {
  CSVMultisigTapscript,
  SingleKey,
  Transaction,
  validateConnectorsTxGraph,
  validateVtxoTxGraph,
} from '@arkade-os/sdk';
import type { Batch, SignerSession, TxTree } from '@arkade-os/sdk';
import { hex } from '@scure/base';
import { tapLeafHash } from '@scure/btc-signer/payment.js';
import type { PortFailure } from '../../../domain/errors.ts';
import { sameBytes, xOnlyOf } from '../../../domain/hash.ts';
import type { Outpoint, Txid } from '../../../domain/outpoint.ts';
import { cutWords } from '../../../domain/words.ts';
import { arkadeFailure } from '../../../legs/arkade/failures.ts';
import { publicKeyOf } from '../../../legs/secp256k1.ts';
import { RoundOver, type BatchJob, type Registration } from './job.ts';
import { base64 } from '../base64.ts';
import type { Payment } from '../build.ts';
import { coinsAtOutpoints } from '../coins.ts';
import { operatorCode, operatorError } from '../failures.ts';
import type { ArkadeOptions, Operator, OperatorSettings } from '../operator.ts';
import { intentIdHash } from '../proofs.ts';
import { branchesTo, isSigned, type Branch } from './tree.ts';

/** Off regtest a batch that can be swept sooner than this gives no time to leave it (facts/arkade.md 3). */
const shortestBatch = 86_400n;

export interface RoundJob {
  readonly job: BatchJob;
  readonly settings: OperatorSettings;
  readonly registered: Registration;
}

/** What a round goes by. */
interface Round {
  readonly job: RoundJob['job'];
  sweepRoot: Uint8Array | null;
}

/**
 * What we do and refuse at each step of a round (facts/arkade.md 34): nothing is signed before it was verified that it
 * pays what it owes, and no forfeit is given before our new coins can go to the chain.
 */
export function createRound(
  options: ArkadeOptions,
  operator: Operator,
  { job, settings, registered }: RoundJob,
  intentId: string,
): Batch.Handler {
  const own: Round = { job, sweepRoot: null };

  const session = sessionOf(job.cosigner);
  const hash = intentIdHash(intentId);
  let batchId: string | null = null;

  let validated: Txid | null = null;
  let treeSigned = false;
  /** What our new coins hang on; its signatures come in by and by. */
  let branches: readonly Branch[] = [];

  return {
    async onBatchStarted(event) {
      if (!event.intentIdHashes.includes(hash)) return { skip: true };
      if (options.network !== 'regtest' && event.batchExpiry < shortestBatch)
        throw arkadeFailure(
          'batch-refused',
          'ask-first',
          `the batch could be swept after ${event.batchExpiry} seconds, at least ${shortestBatch} are needed`,
        );
      own.sweepRoot = tapLeafHash(
        CSVMultisigTapscript.encode({
          timelock: { type: event.batchExpiry >= 512n ? 'seconds' : 'blocks', value: event.batchExpiry },
          pubkeys: [xOnlyOf(settings.forfeitKey)],
        }).script,
      );
      try {
        await operator.call('ack', 'write', (ark) => ark.confirmRegistration(intentId));
      } catch (error) {
        // Too late for this round, which puts an intent that nobody confirmed back: the next one says so again.
        if (operatorError(error)?.code === operatorCode.notConfirming) return { skip: true };
        throw error;
      }
      batchId = event.id;
      registered.confirmed = true;
      return { skip: false };
    },

    async onTreeSigningStarted(event, tree) {
      const key = hex.encode(await session.getPublicKey());
      if (!event.cosignersPublicKeys.includes(key)) throw refused('does not list our cosigner key');
      if (key !== job.intent.message.cosigners_public_keys[0])
        throw refused('is signed by another cosigner key than the intent names');
      const commitment = Transaction.fromPSBT(base64.decode(event.unsignedCommitmentTx));
      const shared = commitment.getOutput(0).amount;
      if (!own.sweepRoot || !shared) throw refused('has no output for the new coins');
      validateVtxoTxGraph(tree, commitment, own.sweepRoot);
      requireOutputs(tree.leaves(), job.outputs);
      branches = branchesOf(own, tree, commitment);
      validated = commitment.id;
      await session.init(tree, own.sweepRoot, shared);
      const nonces = await session.getNonces();
      await inRound(() => operator.call('nonces', 'write', (ark) => ark.submitTreeNonces(event.id, key, nonces)));
      return { skip: false };
    },

    async onTreeNonces(event) {
      const { hasAllNonces } = await session.aggregatedNonces(event.txid, event.nonces);
      if (!hasAllNonces) return { fullySigned: false };
      const key = hex.encode(await session.getPublicKey());
      const signatures = await session.sign();
      await inRound(() =>
        operator.call('tree signatures', 'write', (ark) => ark.submitTreeSignatures(event.id, key, signatures)),
      );
      treeSigned = true;
      return { fullySigned: true };
    },

    async onBatchFinalization(event, _tree, connectors) {
      const commitment = Transaction.fromPSBT(base64.decode(event.commitmentTx));
      if (!treeSigned || commitment.id !== validated)
        throw refused('ends in another commitment transaction than the one we verified');
      if (branches.length === 0 || !branches.every(isSigned))
        throw refused('does not show every signature by which our new coins can go to the chain');
      const coins = await coinsAtOutpoints(operator, job.inputs, options.clock.wall());
      const live = coins.filter(({ recoverable }) => !recoverable);
      if (coins.length !== job.inputs.length) throw refused('takes coins that the operator no longer lists');
      if (live.length === 0) return;
      if (!connectors)
        throw new RoundOver(
          'the round of the Arkade operator ran out of time before it dealt out the connectors for our forfeits: ' +
            'the coins stay as they are, for another round',
        );
      validateConnectorsTxGraph(event.commitmentTx, connectors);
      const forfeits = forfeitsOver(connectors, live, job);
      await operator.call('forfeits', 'write', (ark) => ark.submitSignedForfeitTxs(forfeits));
    },

    async onBatchFailed(event) {
      if (event.id === batchId)
        throw ourFault.test(event.reason)
          ? new Error(cutWords(event.reason))
          : new RoundOver(`a round of the Arkade operator failed: ${cutWords(event.reason)}`);
    },
  };
}

function branchesOf(own: Round, tree: TxTree, commitment: Transaction): Branch[] {
  const { job } = own;
  const { script, amount } = commitment.getOutput(0);
  const cosigner = publicKeyOf(job.cosigner);
  const ownBranches =
    script && amount && own.sweepRoot
      ? branchesTo(job.outputs, tree, { script, amount }, { cosigner, sweepRoot: own.sweepRoot })
      : null;
  if (ownBranches === null) throw refused('hangs our new coins on keys that are not ours too');
  return ownBranches;
}

/** A MuSig2 session of a key that lives longer than one batch; the SDK makes sessions of random keys only. */
function sessionOf(secret: Uint8Array): SignerSession {
  return Object.assign(SingleKey.fromPrivateKey(secret).signerSession(), { secretKey: secret });
}

/** A step of a round. Refused because the round is over, or was never ours to confirm, it is for another round. */
async function inRound<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const answer = operatorError(error);
    if (answer && ((answer.code === 0 && /not found|does not collect/.test(answer.message)) || answer.code === 28))
      throw new RoundOver(ranOut, { cause: error });
    throw error;
  }
}

const ranOut =
  'the round of the Arkade operator ran out of time before every signature was in: the coins stay as they are, ' +
  'for another round';

/** Reasons that another round would not heal: a coin that is spent, forfeits that do not fit, a ban. */
const ourFault = /\((6|26|29)\)/;

function refused(what: string): PortFailure {
  return arkadeFailure(
    'batch-refused',
    'ask-first',
    `the batch of the Arkade operator ${what}: nothing more is signed in it`,
  );
}

/** Each output we were promised is in the tree, once for each time it was promised. */
function requireOutputs(
  leaves: readonly {
    outputsLength: number;
    getOutput(i: number): { script?: Uint8Array | undefined; amount?: bigint | undefined };
  }[],
  outputs: readonly Payment[],
): void {
  const free = leaves.flatMap((leaf) => Array.from({ length: leaf.outputsLength }, (_, i) => leaf.getOutput(i)));
  for (const { script, amount } of outputs) {
    const at = free.findIndex(
      (output) => output.amount === amount && output.script !== undefined && sameBytes(output.script, script),
    );
    if (at < 0) throw refused(`does not pay the ${amount} sats it owes`);
    free.splice(at, 1);
  }
}

/** A forfeit for each coin that still lives, with a connector of its own. */
function forfeitsOver(connectors: TxTree, live: readonly { readonly outpoint: Outpoint }[], job: BatchJob): string[] {
  const leaves = connectors.leaves();
  return live.map(({ outpoint }, i) => {
    const leaf = leaves[i];
    const output = leaf?.getOutput(0);
    if (!leaf || !output?.script || !output.amount)
      throw refused(`brings ${leaves.length} connectors for ${live.length} coins`);
    return base64.encode(
      job.forfeit(outpoint, { txid: leaf.id, script: output.script, amount: output.amount }).toPSBT(),
    );
  });
}
