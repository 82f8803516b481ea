import { decodeInvoice } from './adapters/lnd/decode.ts';
import { clockLimitsOf, evmClockLimitsOf } from './config/policy.ts';
import type { RulesOf } from './runtime/networks/evm/rules.ts';
import { nameContracts } from './connections/name-contracts.ts';
import { chainIdOf } from './domain/chain.ts';
import { seconds } from './domain/time.ts';
import { machineClock } from './machine-clock.ts';
import type { NodeBase } from './node-base.ts';
import type { NodePorts } from './node-ports.ts';
import { createKeeper } from './rescue/keep.ts';
import { createCore, type RunningCore } from './runtime/core.ts';
import { createRuntime } from './runtime/runtime.ts';
import { directions } from './service/directions/directions.ts';
import { evmAccountRules, evmRules } from './service/evm/rules.ts';
import { machinesOf } from './service/machines.ts';
import { createMarkets } from './service/market/markets.ts';
import { depthOfMuch } from './service/limits/funding-confirmations.ts';
import { lockWaitsFor, type UnsavedContext } from './service/limits/unsaved.ts';
import { createUnpaid } from './service/evm/unpaid.ts';
import { createUpkeep } from './service/upkeep.ts';

/** Everything in `swaps` is run by this build's machines. */
const machines = machinesOf(decodeInvoice);

export type NodeRuntime = ReturnType<typeof openRuntime>;

/** What decides, those by whose word it acts, what acts, and what the node does by itself beside its swaps. */
export function openRuntime(base: NodeBase, outer: NodePorts) {
  const { store, log, clock, intervals } = base;
  const { settings, ports, marketSettings } = outer;
  const core = createCore({ store, machines, ports, wall: clock.wall, log, tipMs: intervals.tip });
  clock.follow(core.clock, () => clockLimitsOf(settings.config));

  const bundle = openKeeper(base, outer, core);
  const { keeper } = bundle;
  const own: UnsavedContext = {
    runtime: core,
    directions,
    get config() {
      return settings.config;
    },
  };
  const unpaid = createUnpaid(own);
  const markets = createMarkets({ runtime: core, settings: marketSettings, everyMs: intervals.markets });
  const rules: RulesOf = (chain) =>
    evmRules(settings.config, chain, {
      price: markets.priceForOpen(chain),
      decimals: markets.on(chain)?.pegged.decimals ?? null,
    });
  const runtime = createRuntime(core, {
    pollMs: intervals.poll,
    ceilings: () => settings.config.ceilings,
    depthOfMuch: () => depthOfMuch(settings.config),
    unpaid,
    evm: rules,
    nameContracts: (...pair) => nameContracts(settings, ...pair),
    bundle: keeper,
    holdsBack: (effect) => lockWaitsFor(effect, own),
  });

  const upkeep = createUpkeep({
    runtime,
    everyMs: intervals,
    clockLimits: () => clockLimitsOf(settings.config),
    ceilings: () => settings.config.ceilings,
    preconfirmedFor: () => seconds(60 * (settings.config.arkade?.renewPreconfirmedAfterMinutes ?? 180)),
    consolidates: () => settings.config.bitcoin.consolidate,
    now: clock.likely,
    accounts: (chain) => evmAccountRules(settings.config, chain),
    evmLimits: () => evmClockLimitsOf(settings.config),
    contracts: (chain) => settings.config.evm[`${chainIdOf(chain)}`]?.contracts ?? null,
    rules,
    onExitPathsChanged: () => keeper.exitPathsChanged(),
  });
  outer.replaced.on((network) => {
    if (network === 'arkade' || network === 'lightning' || network === 'bitcoin') upkeep.networks.forget(network);
  });
  base.sandboxClock?.onMoved(async () => {
    await upkeep.lookAgain();
    upkeep.renewCoins();
  });
  return { runtime, keeper, bundleTrouble: bundle.trouble, unpaid, markets, upkeep };
}

/** What is kept outside of the database of each open swap; where it cannot be, the owner hears of it. */
function openKeeper(
  { store, walletMemory, network, keys, options }: NodeBase,
  { settings }: NodePorts,
  core: RunningCore,
) {
  let trouble: string | null = null;
  const keeper = createKeeper({
    store,
    walletTerms: () => walletMemory.terms() ?? [],
    network,
    keys: keys.sealingKey,
    folder: options.dataDir,
    copyTo: () => settings.config.rescue.copyTo,
    wall: machineClock,
    onState(sentence) {
      trouble = sentence;
      if (sentence === null) return core.guard.lower('rescue');
      core.guard.raise('rescue', sentence);
      core.alert(null, sentence);
    },
    onDamage: (sentence) => core.alert(null, sentence),
  });
  return { keeper, trouble: () => trouble };
}
