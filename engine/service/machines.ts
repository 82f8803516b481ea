import type { DecodeInvoice } from '../legs/lightning/invoice.ts';
import type { AnyMachine } from '../runtime/working-set.ts';
import { bitcoinConsolidation } from '../swap/jobs/consolidation-bitcoin.ts';
import { evmClaim } from '../swap/jobs/claim-evm.ts';
import { evmDeployment } from '../swap/jobs/deploy-evm.ts';
import { arkadeExit } from '../swap/jobs/exit-arkade.ts';
import { unrollArkade } from '../swap/jobs/unroll-arkade.ts';
import { arkadeWithdrawal, lightningWithdrawal } from '../swap/jobs/withdrawal.ts';
import { bitcoinWithdrawal } from '../swap/jobs/withdrawal-bitcoin.ts';
import { forwardEvm } from '../swap/jobs/forward-evm.ts';
import { evmWithdrawal } from '../swap/jobs/withdrawal-evm.ts';
import { directions } from './directions/directions.ts';
import { takerMachines } from './taker/taker.ts';

/**
 * Everything that is stored as a swap is run by one of these: the directions, the jobs of the owner's wallets, and the
 * swaps in which the node is the client.
 */
export function machinesOf(decodeInvoice: DecodeInvoice): readonly AnyMachine[] {
  const jobs = [
    arkadeWithdrawal,
    lightningWithdrawal,
    bitcoinWithdrawal,
    evmWithdrawal,
    forwardEvm,
    evmDeployment,
    evmClaim,
    arkadeExit,
    bitcoinConsolidation,
    unrollArkade,
  ] as unknown as readonly AnyMachine[];
  return [...directions.all.map(({ machine }) => machine), ...jobs, ...takerMachines(decodeInvoice)];
}
