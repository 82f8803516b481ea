import { arkadeFailure } from '../../legs/arkade/failures.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import { base64 } from './base64.ts';
import { verifyCheckpoints } from './accepted.ts';
import { coinsAtOutpoints } from './coins.ts';
import { operatorCode, operatorError, portFailure } from './failures.ts';
import type { ArkadeOptions, Operator } from './operator.ts';
import { packPrepared, unpackPrepared, type Prepared } from './prepared.ts';
import { lookAt } from './tx-state.ts';
import { turns } from './turns.ts';

/**
 * The output of a final transaction shows 1 to 17 ms after finalize; asked this often, this many milliseconds apart.
 */
const outputTries = 20;
const outputPause = 100;

/** Gives the operator the last signatures of what it accepted (facts/arkade.md 18). */
export function createFinalize(
  options: ArkadeOptions,
  operator: Operator,
  submit: ArkadePort['submit'],
): ArkadePort['finalize'] {
  /** The operator fell over right after it accepted: the same bytes have the same id, so nothing can be paid twice. */
  async function resubmit(prepared: Prepared): Promise<void> {
    const again = await submit(packPrepared({ ...prepared, accepted: null, whole: null }));
    if (again.is === 'final') return;
    if (again.is !== 'accepted')
      throw arkadeFailure(
        'finalize-forgotten',
        'ask-first',
        `the operator forgot the transaction and answers ${again.is} to it now`,
      );
    const accepted = unpackPrepared(again.bytes).accepted ?? [];
    try {
      await send(prepared.txid, accepted);
    } catch (error) {
      throw portFailure('finalize', 'write', error);
    }
  }

  function send(txid: string, checkpoints: readonly Uint8Array[]): Promise<void> {
    return operator.call('finalize', 'write', (ark) =>
      ark.finalizeTx(
        txid,
        checkpoints.map((tx) => base64.encode(tx)),
      ),
    );
  }

  async function outputShows(prepared: Prepared): Promise<void> {
    for (let i = 0; i < outputTries; i++) {
      const [coin] = await coinsAtOutpoints(operator, [prepared.output], options.clock.wall());
      if (coin) return;
      await new Promise((resolve) => setTimeout(resolve, i === 0 ? 10 : outputPause));
    }
    throw arkadeFailure(
      'finalize-unseen',
      'ask-first',
      'the operator finalized the transaction, but its output does not show',
    );
  }

  return async (bytes) => {
    const prepared = unpackPrepared(bytes);
    if (!prepared.accepted)
      throw arkadeFailure('not-accepted', 'never', 'finalize needs the bytes that submit answered with');
    const { accepted } = prepared;
    await turns.later(() => verifyCheckpoints(prepared, accepted));
    try {
      await send(prepared.txid, accepted);
    } catch (error) {
      if (operatorError(error)?.code === operatorCode.unrolled)
        throw arkadeFailure(
          'unrolled',
          'never',
          'a coin of the transaction was brought to the chain before it was final',
        );
      const { state, taken } = await lookAt(options, operator, prepared);
      if (state === 'final') return;
      const forgotten = operatorError(error)?.code === operatorCode.notFound && state === 'unseen' && !taken;
      if (!forgotten) throw portFailure('finalize', 'write', error);
      await resubmit(prepared);
    }
    await outputShows(prepared);
  };
}
