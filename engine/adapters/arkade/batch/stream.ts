import type { SettlementEvent } from '@arkade-os/sdk';
import { PortFailure } from '../../../domain/errors.ts';
import { arkadeFailure } from '../../../legs/arkade/failures.ts';

/** Milliseconds for the event stream to say that it runs. */
const streamWait = 10_000;

/**
 * No stream, no intent: one that nobody can confirm blocks its coins round after round (facts/arkade.md 39). So the
 * operator has to say that the stream runs before anything is registered; and it runs before that, for a batch may
 * begin at once.
 */
export async function opened(
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
            `the stream of batch events of the Arkade operator said nothing within ${streamWait / 1_000} seconds, ` +
              'so nothing was registered',
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
      'the Arkade operator does not open its stream of batch events to this node, so nothing was registered: see ' +
        'whether it demands headers that no stream can send',
      error,
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects with the reason of the signal. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
