import { aims } from './aims.ts';
import type { Bench } from './bench-node.ts';
import { chainId, createEvmLightning, lockFor, openDepositor } from './evm-swaps.ts';
import { withNode, type Setting } from './setting.ts';
import { createArkade, invoices, pooled, reached } from './swaps.ts';
import { takeTrace } from './trace.ts';

/** Of a day. */
const blocks = { bitcoin: 144, evm: 7_200 } as const;
/** Blocks that the sandbox is asked for at once. */
const atOnce = 200;
const patienceMs = 120_000;

/**
 * B9: the node is away for a day's blocks, and comes back to so many swaps that were funded meanwhile, half on Arkade,
 * half by locks on an EVM chain. From the start of its process until it has told the last one that it came too late,
 * and what it asked the chain's RPC meanwhile: calls that grow with the ranges of blocks, and with the swaps, and not
 * with the blocks.
 */
async function afterAnOutage(bench: Bench, funded: number): Promise<object> {
  const half = funded / 2;
  const depositor = await openDepositor(bench, half);
  const given = await invoices(bench, funded);
  const onArkade = await Promise.all(given.slice(0, half).map((invoice) => createArkade(bench, invoice)));
  const onEvm = [];
  for (const invoice of given.slice(half)) onEvm.push(await createEvmLightning(bench, invoice, depositor));
  await bench.stopNode();
  for (const { arkade_vhtlc_address: address, source_amount: amount } of onArkade)
    await bench.wallet.controls.arkadeFaucet({ address, amount: Number(amount) });
  for (const record of onEvm) await lockFor(record, depositor);
  await bench.wallet.controls.mine(blocks.bitcoin);
  for (let mined = 0; mined < blocks.evm; mined += atOnce)
    await bench.wallet.controls.evmMine(`${chainId}`, Math.min(atOnce, blocks.evm - mined));
  await takeTrace(bench.traceUrl);
  const begun = performance.timeOrigin + performance.now();
  const node = await bench.startNode();
  // A day is over: each was funded too late, and is told so.
  await pooled([...onArkade, ...onEvm], 16, ({ id }) => reached(bench, id, 'clientfundedtoolate', patienceMs));
  const last = performance.timeOrigin + performance.now();
  const calls: Record<string, number> = {};
  for (const { what, key } of await takeTrace(bench.traceUrl)) if (what === 'call') calls[key] = (calls[key] ?? 0) + 1;
  return { blocks, funded, ready: Math.round(node.readyAfter), allJudged: Math.round(last - begun), rpcCalls: calls };
}

export async function outage(setting: Setting): Promise<void> {
  await withNode(setting, async (bench) => {
    setting.print('B9', { ...(await afterAnOutage(bench, 200)), aim: aims.outage });
  });
}
