import { Batch, CSVMultisigTapscript, SingleKey, Transaction, validateConnectorsTxGraph, validateVtxoTxGraph } from '@arkade-os/sdk';
import type { Intent, SettlementEvent, SignerSession } from '@arkade-os/sdk';
import { base64, hex } from '@scure/base';
import { tapLeafHash } from '@scure/btc-signer/payment.js';
import { PortFailure } from '../../domain/errors.ts';
import { sameBytes, xOnlyOf } from '../../domain/hash.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import type { Payment } from './build.ts';
import { coinsAtOutpoints } from './coins.ts';
import { operatorError, portFailure } from './failures.ts';
import type { ArkadeOptions, KnownOperator, Operator, OperatorProvider } from './operator.ts';
import { intentIdHash } from './proofs.ts';

export interface Connector {
  readonly txid: Txid;
  readonly script: Uint8Array;
  readonly amount: bigint;
}

export interface BatchJob {
  readonly intent: { readonly proof: string; readonly message: Intent.RegisterMessage };
  readonly inputs: readonly Outpoint[];
  /** Outputs that must be in the tree before we sign it. */
  readonly outputs: readonly Payment[];
  /** Secret key of the cosigner that the message names. */
  readonly cosigner: Uint8Array;
  /** The forfeit of one coin that still needs one, signed, with the connector as its second input. */
  readonly forfeit: (coin: Outpoint, connector: Connector) => Transaction;
  /** Withdraws the intent; absent where another's key signed it. */
  readonly release?: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Off regtest a batch that can be swept sooner than this gives no time to leave it (arkade.md 1.10). */
const shortestBatch = 86_400n;
/** Milliseconds to wait for the event stream to say that it runs; old-style streams say nothing. */
const streamWait = 1_500;
/** A registration may be refused for as long as a foreign one holds the coin. */
const registerPause = 300;

/**
 * Takes coins through one batch of the operator (arkade.md 1.12): opens the events, registers, signs the tree of new
 * coins as cosigner, hands over forfeits. What the operator says of the tree is verified before anything is signed.
 */
export async function runBatch(options: ArkadeOptions, operator: Operator, job: BatchJob): Promise<Txid> {
  const known = await operator.known();
  const limit = Math.max(60, 6 * known.info.sessionSeconds) * 1_000;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new PortFailure('batch-late', 'ask-first', `no batch of the Arkade operator took the coins within ${limit / 1_000} seconds`)), limit);
  const stopped = AbortSignal.any([job.signal, stop.signal]);
  try {
    const topics = [...job.inputs.map(outpointKey), ...job.intent.message.cosigners_public_keys];
    const events = await opened(options.ark.getEventStream(stopped, topics));
    const intentId = await register(operator, job, limit, stopped);
    const handler = createHandler(operator, known, job, intentId, options);
    return await Promise.race([Batch.join(events, handler, { abortController: stop }), aborted(stopped)]);
  } catch (error) {
    const settled = await settledBy(options, operator, job.inputs);
    if (settled) return settled;
    await release(job, error);
    throw batchFailure(error, job.signal);
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

function batchFailure(error: unknown, signal: AbortSignal): PortFailure {
  if (signal.aborted) return new PortFailure('batch-stopped', 'ask-first', 'the batch was abandoned because the node stops', error);
  if (error instanceof PortFailure) return error;
  if (operatorError(error)) return portFailure('batch', 'write', error);
  return new PortFailure('batch-failed', 'ask-first', `the batch of the Arkade operator failed: ${error instanceof Error ? error.message : String(error)}`, error);
}

async function release(job: BatchJob, why: unknown): Promise<void> {
  try {
    await job.release?.();
  } catch (error) {
    // A batch that already dropped the intent leaves nothing to withdraw.
    if (operatorError(error)) return;
    throw new PortFailure('intent-left', 'ask-first', 'the batch failed and the intent could not be withdrawn: the operator may still take the coins', new AggregateError([why, error]));
  }
}

/** The commitment that took all inputs, when the end of the batch was missed. */
async function settledBy(options: ArkadeOptions, operator: Operator, inputs: readonly Outpoint[]): Promise<Txid | null> {
  const coins = await coinsAtOutpoints(operator, inputs, options.clock.wall());
  const [first] = coins;
  return first?.settledBy && coins.length === inputs.length && coins.every((coin) => coin.settledBy === first.settledBy) ? first.settledBy : null;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

/** Starts reading before anything is registered: a batch may begin at once. */
async function opened(events: AsyncIterableIterator<SettlementEvent>): Promise<AsyncIterableIterator<SettlementEvent>> {
  const first = events.next();
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([first.catch(() => undefined), new Promise((resolve) => (timer = setTimeout(resolve, streamWait)))]);
  clearTimeout(timer);
  return (async function* () {
    const head = await first;
    if (head.done) return;
    yield head.value;
    yield* events;
  })();
}

async function register(operator: Operator, job: BatchJob, limit: number, signal: AbortSignal): Promise<string> {
  const until = performance.now() + limit / 2;
  for (;;) {
    try {
      const registered = (ark: OperatorProvider): Promise<string> => ark.registerIntent({ proof: job.intent.proof, message: job.intent.message });
      // Ours is made anew under other settings, for its fee may be another one; a client's stays as it was signed.
      return await (job.release ? operator.once('registerIntent', registered) : operator.call('registerIntent', 'write', registered));
    } catch (error) {
      const told = operatorError(error);
      const taken = told && (told.code === 4 || (told.code === 0 && /duplicated input|already registered/.test(told.message)));
      if (!taken || !job.release || performance.now() > until) throw error;
      await release(job, error);
      await Promise.race([new Promise((resolve) => setTimeout(resolve, registerPause)), aborted(signal)]);
    }
  }
}

/** A MuSig2 session of a key that lives longer than one batch; the SDK makes sessions of random keys only. */
function sessionOf(secret: Uint8Array): SignerSession {
  return Object.assign(SingleKey.fromPrivateKey(secret).signerSession(), { secretKey: secret });
}

function createHandler(operator: Operator, known: KnownOperator, job: BatchJob, intentId: string, options: ArkadeOptions): Batch.Handler {
  const session = sessionOf(job.cosigner);
  const hash = intentIdHash(intentId);
  let batchId: string | null = null;
  let sweepRoot: Uint8Array | null = null;
  let validated: Txid | null = null;
  let treeSigned = false;

  return {
    async onBatchStarted(event) {
      if (!event.intentIdHashes.includes(hash)) return { skip: true };
      if (options.network !== 'regtest' && event.batchExpiry < shortestBatch)
        throw new PortFailure('batch-refused', 'ask-first', `the batch could be swept after ${event.batchExpiry} seconds, at least ${shortestBatch} are needed`);
      batchId = event.id;
      sweepRoot = tapLeafHash(
        CSVMultisigTapscript.encode({
          timelock: { type: event.batchExpiry >= 512n ? 'seconds' : 'blocks', value: event.batchExpiry },
          pubkeys: [xOnlyOf(known.forfeitKey)],
        }).script,
      );
      await operator.call('ack', 'write', (ark) => ark.confirmRegistration(intentId));
      return { skip: false };
    },

    async onTreeSigningStarted(event, tree) {
      const key = hex.encode(await session.getPublicKey());
      if (!event.cosignersPublicKeys.includes(key)) throw refused('does not list our cosigner key');
      if (key !== job.intent.message.cosigners_public_keys[0]) throw refused('is signed by another cosigner key than the intent names');
      const commitment = Transaction.fromPSBT(base64.decode(event.unsignedCommitmentTx));
      const shared = commitment.getOutput(0).amount;
      if (!sweepRoot || !shared) throw refused('has no output for the new coins');
      validateVtxoTxGraph(tree, commitment, sweepRoot);
      requireOutputs(tree.leaves(), job.outputs);
      validated = commitment.id;
      await session.init(tree, sweepRoot, shared);
      const nonces = await session.getNonces();
      await operator.call('nonces', 'write', (ark) => ark.submitTreeNonces(event.id, key, nonces));
      return { skip: false };
    },

    async onTreeNonces(event) {
      const { hasAllNonces } = await session.aggregatedNonces(event.txid, event.nonces);
      if (!hasAllNonces) return { fullySigned: false };
      const key = hex.encode(await session.getPublicKey());
      const signatures = await session.sign();
      await operator.call('tree signatures', 'write', (ark) => ark.submitTreeSignatures(event.id, key, signatures));
      treeSigned = true;
      return { fullySigned: true };
    },

    async onBatchFinalization(event, _tree, connectors) {
      const commitment = Transaction.fromPSBT(base64.decode(event.commitmentTx));
      if (!treeSigned || commitment.id !== validated) throw refused('ends in another commitment transaction than the one we verified');
      const coins = await coinsAtOutpoints(operator, job.inputs, options.clock.wall());
      const live = coins.filter(({ recoverable }) => !recoverable);
      if (coins.length !== job.inputs.length) throw refused('takes coins that the operator no longer lists');
      if (live.length === 0) return;
      if (!connectors) throw refused('brings no connectors');
      validateConnectorsTxGraph(event.commitmentTx, connectors);
      const leaves = connectors.leaves();
      const forfeits = live.map(({ outpoint }, i) => {
        const leaf = leaves[i];
        const output = leaf?.getOutput(0);
        if (!leaf || !output?.script || !output.amount) throw refused(`brings ${leaves.length} connectors for ${live.length} coins`);
        return base64.encode(job.forfeit(outpoint, { txid: leaf.id, script: output.script, amount: output.amount }).toPSBT());
      });
      await operator.call('forfeits', 'write', (ark) => ark.submitSignedForfeitTxs(forfeits));
    },

    async onBatchFailed(event) {
      if (event.id === batchId) throw new Error(event.reason);
    },
  };
}

function refused(what: string): PortFailure {
  return new PortFailure('batch-refused', 'ask-first', `the batch of the Arkade operator ${what}: nothing more is signed in it`);
}

/** Each output we were promised is in the tree, once for each time it was promised. */
function requireOutputs(leaves: readonly { outputsLength: number; getOutput(i: number): { script?: Uint8Array | undefined; amount?: bigint | undefined } }[], outputs: readonly Payment[]): void {
  const free = leaves.flatMap((leaf) => Array.from({ length: leaf.outputsLength }, (_, i) => leaf.getOutput(i)));
  for (const { script, amount } of outputs) {
    const at = free.findIndex((output) => output.amount === amount && output.script !== undefined && sameBytes(output.script, script));
    if (at < 0) throw refused(`does not pay the ${amount} sats it owes`);
    free.splice(at, 1);
  }
}
