import { Batch } from '@arkade-os/sdk';
import { PortFailure } from '../../../domain/errors.ts';
import { outpointKey, type Outpoint, type Txid } from '../../../domain/outpoint.ts';
import { arkadeFailure, failedOnArkade } from '../../../legs/arkade/failures.ts';
import { RoundOver, type BatchJob, type Registration } from './job.ts';
import { aborted, opened } from './stream.ts';
import { coinsAtOutpoints } from '../coins.ts';
import { operatorError, portFailure } from '../failures.ts';
import type { ArkadeOptions, Operator } from '../operator.ts';
import { register, withdraw } from './register.ts';
import { createRound, type RoundJob } from './round.ts';

/**
 * Rounds in which the same intent is tried: one that ran out of time is bad luck, and three withheld signatures in a
 * row would ban the script (facts/arkade.md 38).
 */
const mostRounds = 2;

/**
 * Takes coins through one batch of the operator (facts/arkade.md 34): opens the events, registers, signs the tree of
 * new coins as cosigner, hands over forfeits. What the operator says of the tree is verified before anything is signed.
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
      await withdraw(job, error, registered.confirmed ? 0 : settings.info.sessionSeconds * 1_000);
    throw batchFailure(error, job.signal, registered);
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

async function runRound(
  options: ArkadeOptions,
  operator: Operator,
  round: RoundJob & { readonly limit: number; readonly stopped: AbortSignal },
): Promise<Txid> {
  const { job, registered, limit, stopped } = round;
  const over = new AbortController();
  const signal = AbortSignal.any([stopped, over.signal]);
  try {
    const topics = [...job.inputs.map(outpointKey), ...job.intent.message.cosigners_public_keys];
    const events = await opened(options.ark.getEventStream(signal, topics), stopped);
    registered.intentId = await register(operator, job, { registered, limit, signal: stopped });
    return await Promise.race([
      Batch.join(events, createRound(options, operator, round, registered.intentId), { abortController: over }),
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
