import { setTimeout as pause } from 'node:timers/promises';
import { claimAlone, claimGasless, type ClaimedOnEvm } from '../../stories/client/to-evm.ts';
import { coin, rpcOf, tokenOf } from './evm-tokens.ts';
import type { Oracle } from './oracle.ts';
import { look, overForClient, unlessLost, until, type Stage, type Scenario } from './scenario.ts';

/** A client that claims a token on an EVM chain. */
export interface ToEvmSwap<S extends ClaimedOnEvm = ClaimedOnEvm> {
  readonly scenario: Scenario;
  readonly swap: S;
}

export type Target = 'pegged' | 'exchanged' | 'coin';

const againMs = 500;

/** The chain and the token of a target: a coin is another chain's. */
export function targetOf(stage: Stage, target: Target): { readonly chainId: number; readonly token: string } {
  if (target === 'coin') return { chainId: 31, token: coin };
  return { chainId: 137, token: tokenOf(stage, 137, target === 'pegged' ? 'WBTC' : 'USDC') };
}

export const lockEnds: ReadonlySet<string> = new Set([
  ...overForClient,
  'serverfunded',
  'clientredeeming',
  'clientredeemed',
]);

/** Asks again where the swap went back to where it can be claimed: a relay may be dropped. */
async function claimUntilOver(stage: Stage, scenario: Scenario, claim: () => Promise<unknown>): Promise<void> {
  await until(stage, 'the claim', scenario, async () => {
    const status = await look(stage, scenario);
    if (status === 'serverredeemed') return true;
    if (status === 'serverfunded') await claim();
    return false;
  });
}

async function relayed({ node }: Stage, swap: ClaimedOnEvm): Promise<void> {
  const { status, body } = await claimGasless(node.url, swap);
  if (status !== 200) throw new Error(`refused with ${status}: ${String(body['error'])}`);
}

export async function giveGas({ wallet }: Stage, { account, record }: ClaimedOnEvm): Promise<void> {
  const pay = { address: account.address, token: coin, amount: (10n ** 18n).toString() };
  await wallet.controls.evmFaucet(String(record['evm_chain_id']), pay);
}

export function claimByRelay(stage: Stage, { scenario, swap }: ToEvmSwap): Promise<void> {
  return claimUntilOver(stage, scenario, () => relayed(stage, swap));
}

/** Its account needs gas first. */
export function claimByItself(stage: Stage, { scenario, swap }: ToEvmSwap): Promise<void> {
  return claimUntilOver(stage, scenario, () => unlessLost(claimAlone(rpcOf(stage, 137), swap)));
}

/** As deep as the weather's. */
const undoneBlocks = 2;

/** Its claim is on the chain, and a moment later it is in no block and in no mempool. */
export async function claimAndLoseIt(stage: Stage, { scenario, swap }: ToEvmSwap): Promise<void> {
  const claims: string[] = [];
  await claimUntilOver(stage, scenario, async () => {
    claims.push(await unlessLost(claimAlone(rpcOf(stage, 137), swap)));
  });
  await stage.wallet.controls.evmReorg('137', undoneBlocks, claims);
}

/** Asks for the relay many times, and sends its own transaction beside it. */
export async function claimInBothWays(stage: Stage, { scenario, swap }: ToEvmSwap): Promise<void> {
  const asks = Array.from({ length: 4 }, () => relayed(stage, swap).catch(() => undefined));
  if (stage.chance.next() < 0.5) await pause(stage.chance.between(0, 3_000));
  await Promise.all([...asks, unlessLost(claimAlone(rpcOf(stage, 137), swap)).catch(() => undefined)]);
  return claimByRelay(stage, { scenario, swap });
}

/** A claim that the node saw may be undone by a reorganisation: the lock stands, and its client claims anew. */
export async function claimAgain(stage: Stage, scenario: Scenario, { evm }: Oracle): Promise<void> {
  const { hash, toEvm } = scenario;
  if (toEvm === undefined) return;
  const chainId = Number(toEvm.record['evm_chain_id']);
  const isUndone = async () =>
    (await look(stage, scenario)) === 'serverredeemed' &&
    (await evm.reader(chainId).locks(hash)).some(({ end }) => end === 'active');
  const claim = () => (toEvm.gasless ? relayed(stage, toEvm) : unlessLost(claimAlone(rpcOf(stage, chainId), toEvm)));
  while (await isUndone())
    await claim()
      .catch(() => undefined)
      .then(() => pause(againMs));
}
