import {
  Batch,
  CSVMultisigTapscript,
  SingleKey,
  Transaction,
  validateConnectorsTxGraph,
  validateVtxoTxGraph,
} from '@arkade-os/sdk';
import type { Intent, SettlementEvent, SignerSession, TxTree } from '@arkade-os/sdk';
import { base64, hex } from '@scure/base';
import { tapLeafHash } from '@scure/btc-signer/payment.js';
import { PortFailure } from '../../domain/errors.ts';
import { sameBytes, xOnlyOf } from '../../domain/hash.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import { arkadeFailure, failedOnArkade } from '../../legs/arkade/failures.ts';
import { publicKeyOf } from '../../legs/secp256k1.ts';
import type { Payment } from './build.ts';
import { coinsAtOutpoints } from './coins.ts';
import { feeChanged, operatorCode, operatorError, portFailure } from './failures.ts';
import type { ArkadeOptions, OperatorSettings, Operator, OperatorProvider } from './operator.ts';
import { intentIdHash } from './proofs.ts';
import { branchesTo, isSigned, type Branch } from './tree.ts';

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

/** Off regtest a batch that can be swept sooner than this gives no time to leave it (facts/arkade.md 3). */
const shortestBatch = 86_400n;
/** Milliseconds for the event stream to say that it runs. */
const streamWait = 10_000;
/** A registration may be refused for as long as a foreign one holds the coin. */
const registerPause = 300;
/**
 * Rounds in which the same intent is tried: one that ran out of time is bad luck, and three withheld signatures in a
 * row would ban the script (facts/arkade.md 38).
 */
const mostRounds = 2;

/** The round that took the intent ended, and not through anything that we, or the intent, did wrong. */
class RoundOver extends Error {}

/**
 * Takes coins through one batch of the operator (facts/arkade.md 34): opens the events, registers, signs the tree of new
 * coins as cosigner, hands over forfeits. What the operator says of the tree is verified before anything is signed.
 */
export async function runBatch(options: ArkadeOptions, operator: Operator, job: BatchJob): Promise<Txid> {
  const settings = await operator.settings();
  const limit = Math.max(60, 6 * settings.info.sessionSeconds) * 1_000;
  const stop = new AbortController();
  const timer = setTimeout(
    () =>
      stop.abort(
        arkadeFailure(
          'batch-late',
          'ask-first',
          `no batch of the Arkade operator took the coins within ${limit / 1_000} seconds`,
        ),
      ),
    limit,
  );
  const stopped = AbortSignal.any([job.signal, stop.signal]);
  const registered: Registration = { intentId: null, requested: false, confirmed: false };
  try {
    for (let round = 1; ; round++) {
      try {
        return await runRound(options, operator, { job, settings, registered, limit, stopped });
      } catch (error) {
        if (!(error instanceof RoundOver) || round >= mostRounds || stopped.aborted) throw error;
      }
    }
  } catch (error) {
    const settled = await settledBy(options, operator, job.inputs).catch(() => null);
    if (settled) return settled;
    if (registered.requested)
      await release(job, error, registered.confirmed ? 0 : settings.info.sessionSeconds * 1_000);
    throw batchFailure(error, job.signal, registered);
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

/** What the operator may hold of ours: asked for, and under which name. */
interface Registration {
  intentId: string | null;
  requested: boolean;
  /** A round has it, which drops it at its end. */
  confirmed: boolean;
}

interface RoundJob {
  readonly job: BatchJob;
  readonly settings: OperatorSettings;
  readonly registered: Registration;
  readonly limit: number;
  readonly stopped: AbortSignal;
}

async function runRound(options: ArkadeOptions, operator: Operator, round: RoundJob): Promise<Txid> {
  const { job, registered, limit, stopped } = round;
  const over = new AbortController();
  const signal = AbortSignal.any([stopped, over.signal]);
  try {
    const topics = [...job.inputs.map(outpointKey), ...job.intent.message.cosigners_public_keys];
    const events = await opened(options.ark.getEventStream(signal, topics), stopped);
    registered.intentId = await register(operator, job, { registered, limit, signal: stopped });
    return await Promise.race([
      Batch.join(events, createHandler(operator, round, registered.intentId, options), { abortController: over }),
      aborted(stopped),
    ]);
  } catch (error) {
    const broke =
      error instanceof Error && (error.name === 'EventSourceError' || error.message === 'event stream closed');
    throw broke && !stopped.aborted
      ? new RoundOver('the stream of batch events of the Arkade operator broke off', { cause: error })
      : error;
  } finally {
    over.abort();
  }
}

function batchFailure(error: unknown, signal: AbortSignal, registered: Registration): PortFailure {
  // Of a second round: the intent of the first one was known to the operator.
  if (registered.requested && failedOnArkade(error, 'stream-late', 'stream-refused'))
    return arkadeFailure(
      'batch-failed',
      'ask-first',
      'the stream of batch events of the Arkade operator broke off and does not open again',
      error,
    );
  if (signal.aborted)
    return arkadeFailure('batch-stopped', 'ask-first', 'the batch was abandoned because the node stops', error);
  if (error instanceof PortFailure) return error;
  if (error instanceof RoundOver) return arkadeFailure('batch-late', 'ask-first', error.message, error.cause);
  if (operatorError(error)) return portFailure('batch', 'write', error);
  return arkadeFailure(
    'batch-failed',
    'ask-first',
    `the batch of the Arkade operator failed: ${error instanceof Error ? error.message : String(error)}`,
    error,
  );
}

/**
 * Withdraws the intent. A round that holds it hides it from a withdrawal and puts it back when it was not confirmed
 * (facts/arkade.md 36 and 37): then it is asked again for as long as a round takes.
 */
async function release(job: BatchJob, why: unknown, waitMs: number): Promise<void> {
  if (!job.release) return;
  const until = performance.now() + waitMs;
  for (;;) {
    try {
      return await job.release();
    } catch (error) {
      // A batch that already dropped the intent leaves nothing to withdraw.
      if (operatorError(error) && (job.signal.aborted || performance.now() >= until)) return;
      if (!operatorError(error))
        throw arkadeFailure(
          'intent-left',
          'ask-first',
          'the batch failed and the intent could not be withdrawn: the operator may still take the coins',
          new AggregateError([why, error]),
        );
    }
    await new Promise((resolve) => setTimeout(resolve, registerPause));
  }
}

/** The commitment that took all inputs, when the end of the batch was missed. */
async function settledBy(
  options: ArkadeOptions,
  operator: Operator,
  inputs: readonly Outpoint[],
): Promise<Txid | null> {
  const coins = await coinsAtOutpoints(operator, inputs, options.clock.wall());
  const [first] = coins;
  return first?.settledBy && coins.length === inputs.length && coins.every((coin) => coin.settledBy === first.settledBy)
    ? first.settledBy
    : null;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

/**
 * No stream, no intent: one that nobody can confirm blocks its coins round after round (facts/arkade.md 39). So the operator
 * has to say that the stream runs before anything is registered; and it runs before that, for a batch may begin at once.
 */
async function opened(
  events: AsyncIterableIterator<SettlementEvent>,
  signal: AbortSignal,
): Promise<AsyncIterableIterator<SettlementEvent>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          arkadeFailure(
            'stream-late',
            'safe',
            `the stream of batch events of the Arkade operator said nothing within ${streamWait / 1_000} seconds, so nothing was registered`,
          ),
        ),
      streamWait,
    );
  });
  try {
    const head = await Promise.race([events.next(), silence, aborted(signal)]);
    if (head.done) throw new Error('it ended at once');
    return (async function* () {
      yield head.value;
      yield* events;
    })();
  } catch (error) {
    if (signal.aborted || error instanceof PortFailure) throw error;
    throw arkadeFailure(
      'stream-refused',
      'safe',
      'the Arkade operator does not open its stream of batch events to this node, so nothing was registered: see whether it demands headers that no stream can send',
      error,
    );
  } finally {
    clearTimeout(timer);
  }
}

async function register(
  operator: Operator,
  job: BatchJob,
  { registered, limit, signal }: { registered: Registration; limit: number; signal: AbortSignal },
): Promise<string> {
  const until = performance.now() + limit / 2;
  for (;;) {
    try {
      const registering = (ark: OperatorProvider): Promise<string> =>
        ark.registerIntent({ proof: job.intent.proof, message: job.intent.message });
      registered.requested = true;
      // Ours is made anew under other settings, for its fee may be another one; a client's stays as it was signed.
      const id = await (job.release
        ? operator.once('registerIntent', registering)
        : operator.call('registerIntent', 'write', registering));
      registered.confirmed = false;
      return id;
    } catch (error) {
      const answer = operatorError(error);
      const taken =
        answer &&
        (answer.code === 4 || (answer.code === 0 && /duplicated input|already registered/.test(answer.message)));
      // Our own one of the round before, which nobody confirmed, waits for the next round under its name.
      if (taken && registered.intentId !== null) return registered.intentId;
      if ((answer || feeChanged(error)) && registered.intentId === null) registered.requested = false;
      if (!taken || !job.release || performance.now() > until) throw error;
      await release(job, error, 0);
      await Promise.race([new Promise((resolve) => setTimeout(resolve, registerPause)), aborted(signal)]);
    }
  }
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
  'the round of the Arkade operator ran out of time before every signature was in: the coins stay as they are, for another round';

function createHandler(
  operator: Operator,
  { job, settings, registered }: RoundJob,
  intentId: string,
  options: ArkadeOptions,
): Batch.Handler {
  const session = sessionOf(job.cosigner);
  const hash = intentIdHash(intentId);
  let batchId: string | null = null;
  let sweepRoot: Uint8Array | null = null;
  let validated: Txid | null = null;
  let treeSigned = false;
  /** What our new coins hang on; its signatures come in by and by. */
  let branches: readonly Branch[] = [];

  function branchesOf(tree: TxTree, commitment: Transaction): Branch[] {
    const { script, amount } = commitment.getOutput(0);
    const cosigner = publicKeyOf(job.cosigner);
    const ownBranches =
      script && amount && sweepRoot ? branchesTo(job.outputs, tree, { script, amount }, { cosigner, sweepRoot }) : null;
    if (ownBranches === null) throw refused('hangs our new coins on keys that are not ours too');
    return ownBranches;
  }

  return {
    async onBatchStarted(event) {
      if (!event.intentIdHashes.includes(hash)) return { skip: true };
      if (options.network !== 'regtest' && event.batchExpiry < shortestBatch)
        throw arkadeFailure(
          'batch-refused',
          'ask-first',
          `the batch could be swept after ${event.batchExpiry} seconds, at least ${shortestBatch} are needed`,
        );
      sweepRoot = tapLeafHash(
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
      if (!sweepRoot || !shared) throw refused('has no output for the new coins');
      validateVtxoTxGraph(tree, commitment, sweepRoot);
      requireOutputs(tree.leaves(), job.outputs);
      branches = branchesOf(tree, commitment);
      validated = commitment.id;
      await session.init(tree, sweepRoot, shared);
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
          'the round of the Arkade operator ran out of time before it dealt out the connectors for our forfeits: the coins stay as they are, for another round',
        );
      validateConnectorsTxGraph(event.commitmentTx, connectors);
      const leaves = connectors.leaves();
      const forfeits = live.map(({ outpoint }, i) => {
        const leaf = leaves[i];
        const output = leaf?.getOutput(0);
        if (!leaf || !output?.script || !output.amount)
          throw refused(`brings ${leaves.length} connectors for ${live.length} coins`);
        return base64.encode(
          job.forfeit(outpoint, { txid: leaf.id, script: output.script, amount: output.amount }).toPSBT(),
        );
      });
      await operator.call('forfeits', 'write', (ark) => ark.submitSignedForfeitTxs(forfeits));
    },

    async onBatchFailed(event) {
      if (event.id === batchId)
        throw ourFault.test(event.reason)
          ? new Error(event.reason)
          : new RoundOver(`a round of the Arkade operator failed: ${event.reason}`);
    },
  };
}

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
