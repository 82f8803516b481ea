import { failedOnEvm } from '../../../legs/evm/failures.ts';
import type { EvmHead, LogRange } from '../../../legs/evm/port.ts';

/** So exactly the first block is found of which there are logs. */
const edgeBlocks = 16;

type Logs = Pick<EvmHead, 'events'>;

/** Whether the logs of a block are there: false where nobody keeps any of so long ago. */
export async function hasLogs(of: Logs, htlc: LogRange['htlc'], height: number): Promise<boolean> {
  try {
    await of.events({ htlc, from: height, to: height });
    return true;
  } catch (cause) {
    if (failedOnEvm(cause, 'evm-pruned')) return false;
    throw cause;
  }
}

/** The first block whose logs are there: those of `below` are not, and those of `there` are taken to be. */
export async function firstWithLogs(
  of: Logs,
  htlc: LogRange['htlc'],
  { below, there }: { readonly below: number; readonly there: number },
): Promise<number> {
  let [low, high] = [below, there];
  while (high - low > edgeBlocks) {
    const middle = Math.floor((low + high) / 2);
    if (await hasLogs(of, htlc, middle)) high = middle;
    else low = middle;
  }
  return high;
}
