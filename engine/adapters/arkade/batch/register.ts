import { arkadeFailure } from '../../../legs/arkade/failures.ts';
import type { BatchJob, Registration } from './job.ts';
import { aborted } from './stream.ts';
import { feeChanged, operatorError } from '../failures.ts';
import type { Operator, OperatorProvider } from '../operator.ts';

/** A registration may be refused for as long as a foreign one holds the coin. */
const registerPause = 300;

/** Registers the intent of the job and answers its name at the operator. */
export async function register(
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
      await withdraw(job, error, 0);
      await Promise.race([new Promise((resolve) => setTimeout(resolve, registerPause)), aborted(signal)]);
    }
  }
}

/**
 * Withdraws the intent. A round that holds it hides it from a withdrawal and puts it back when it was not confirmed
 * (facts/arkade.md 36 and 37): then it is asked again for as long as a round takes.
 */
export async function withdraw(job: BatchJob, why: unknown, waitMs: number): Promise<void> {
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
