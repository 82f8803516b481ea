import { createKeys } from './adapters/keys/keys.ts';
import { withSandboxChains } from './config/chains.ts';
import { createWalletMemory } from './connections/wallet-memory.ts';
import { intervalsOf } from './intervals.ts';
import { accountOf } from './legs/evm/account.ts';
import { machineClock } from './machine-clock.ts';
import { createNodeClock } from './node-clock.ts';
import type { NodeOptions } from './node-options.ts';
import { createSandboxClock, type SandboxLink } from './service/sandbox.ts';
import { openDataFolder } from './store/data-folder.ts';
import { createSealer } from './store/sealer.ts';

export type NodeBase = ReturnType<typeof openBase>;

/** What all else stands on: the configuration of the start, keys, data folder and clock. */
export function openBase(options: NodeOptions, link: SandboxLink | null) {
  const { log, sandbox } = options;
  const config = sandbox === null ? options.config : withSandboxChains(options.config, sandbox.endpoints.evm ?? {});
  const { network } = config;
  const started = machineClock();
  const intervals = intervalsOf(sandbox !== null);
  const sandboxClock = link === null ? null : createSandboxClock(link, { everyMs: intervals.sandboxClock, log });
  const keys = createKeys(options.seed, network);
  const folder = openDataFolder({
    path: options.dataDir,
    network,
    sealingKey: keys.sealingKey,
    // Without it an older database may go unnoticed; no swap and no payment must fail for that.
    onLost: (cause) =>
      log.warn(
        { cause: String(cause) },
        'a mark beside the database could not be written: an older one in its place may go unnoticed until the next',
      ),
  });
  return {
    options,
    log,
    config,
    network,
    started,
    intervals,
    sandboxClock,
    clock: createNodeClock(sandboxClock),
    keys,
    folder,
    store: folder.store,
    sealer: createSealer(keys.sealingKey('credentials')),
    evmAccount: accountOf(keys.privateKey({ branch: 'evm-account' })),
    walletMemory: createWalletMemory(folder.store),
  };
}
