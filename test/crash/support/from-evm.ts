import { setTimeout as pause } from 'node:timers/promises';
import { collabRefund, fundAlone, fundGasless, signedRefund, type FromEvm } from '../../stories/client/from-evm.ts';
import { rpcOf } from './evm-tokens.ts';
import { look, unlessLost, until, type Stage, type Scenario } from './scenario.ts';

/** A client that locks a token on an EVM chain. */
export interface FromEvmSwap<S extends FromEvm = FromEvm> {
  readonly scenario: Scenario;
  readonly swap: S;
  readonly gasless: boolean;
}

/** The chain of every such swap. */
export const chainId = 137;
const hour = 3_600;
/** Between two requests that the node may already have heard. */
export const askPauseMs = 800;

export async function give({ wallet }: Stage, { account }: FromEvm, token: string, amount: bigint): Promise<void> {
  await wallet.controls.evmFaucet(String(chainId), { address: account.address, token, amount: amount.toString() });
}

/** Asks again as long as nothing is locked: a relay may be dropped, and a node forgets which calls it gave out. */
export async function fund(stage: Stage, { scenario, swap, gasless }: FromEvmSwap): Promise<void> {
  await until(stage, 'the funding', scenario, async () => {
    if ((await look(stage, scenario)) !== 'pending') return true;
    const deadline = (await stage.wallet.controls.state()).clock + hour;
    if (gasless) {
      const { status, body } = await fundGasless(stage.node.url, swap, deadline);
      if (status !== 200) throw new Error(`refused with ${status}: ${String(body['error'])}`);
    } else await unlessLost(fundAlone(stage.node.url, swap, rpcOf(stage, chainId), deadline));
    await pause(askPauseMs);
    return false;
  });
}

/** Both sign, the node sends it. */
export async function refundTogether(stage: Stage, { scenario, swap }: FromEvmSwap): Promise<void> {
  await until(stage, 'the refund', scenario, async () => {
    const status = await look(stage, scenario);
    if (status.startsWith('clientrefunded') || status === 'serverredeemed') return true;
    await askBack(stage, swap);
    await pause(askPauseMs);
    return false;
  });
}

export async function askBack({ node }: Stage, swap: FromEvm): Promise<void> {
  const { status, body } = await collabRefund(node.url, swap, await signedRefund(node.url, swap));
  if (status !== 200) throw new Error(`refused with ${status}: ${String(body['error'])}`);
}
