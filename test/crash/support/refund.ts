import type { CollabRefund } from '../../../engine/legs/arkade/refund-request.ts';
import { until, type Stage, type Scenario } from './scenario.ts';
import type { RefundableRecord } from './wallet.ts';

/** Asks the node for its signature on the refund of all that is unspent, and takes it back. */
export async function refundTogether(stage: Stage, scenario: Scenario): Promise<boolean> {
  const record = scenario.record as RefundableRecord;
  if (!(await stage.wallet.fates(record)).some((coin) => coin.spent === 'unspent')) return false;
  await stage.wallet.refundTogether(record, async (half) => {
    const { status, body } = await stage.node.ask(`/api/swap/arkade-evm/${record.id}/collab-refund`, {
      ark_tx: Buffer.from(half.arkTx).toString('base64'),
      checkpoint_txs: half.checkpoints.map((bytes) => Buffer.from(bytes).toString('base64')),
    });
    if (status !== 200) throw new Error(`refused with ${status}: ${String(body['error'])}`);
    const answer = body as { ark_tx: string; checkpoint_txs: string[] };
    return {
      arkTx: Buffer.from(answer.ark_tx, 'base64'),
      checkpoints: answer.checkpoint_txs.map((text) => Buffer.from(text, 'base64')),
    } satisfies CollabRefund;
  });
  return true;
}

export async function refundIfOwed(stage: Stage, scenario: Scenario): Promise<void> {
  await until(
    stage,
    'the refund',
    scenario,
    async () =>
      (await refundTogether(stage, scenario)) ||
      !(await stage.wallet.fates(scenario.record as RefundableRecord)).some((coin) => coin.spent === 'unspent'),
  );
}
