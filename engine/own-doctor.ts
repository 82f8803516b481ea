import type { Connections } from './connections/connections.ts';
import type { LiveSettings } from './connections/settings.ts';
import type { Doctor } from './contract/owner/doctor.ts';
import { runDoctor } from './doctor.ts';
import type { EvmAddress } from './domain/evm.ts';
import type { Unix } from './domain/time.ts';
import type { NodeOptions } from './node-options.ts';
import { disagreementOf } from './runtime/ports.ts';
import type { ServiceContext } from './service/context.ts';
import type { OnchainRecovery } from './service/onchain-recovery.ts';
import { unsavedValue } from './service/unsaved.ts';
import type { Sealer } from './store/sealer.ts';

/** The doctor of a node that runs, which can also be asked what only it knows. */
export function askOwnDoctor(node: {
  readonly options: Pick<NodeOptions, 'dataDir' | 'sandbox'>;
  readonly settings: LiveSettings;
  readonly sealer: Sealer;
  readonly evmAccount: EvmAddress;
  readonly ports: Connections['ports'];
  readonly stranded: Pick<OnchainRecovery, 'summary'>;
  readonly context: ServiceContext;
  readonly wall: () => Unix;
  readonly unguarded: () => string | null;
}): Promise<Doctor> {
  const { options, settings, sealer, evmAccount, ports, stranded, context, wall, unguarded } = node;
  return runDoctor({
    config: settings.config,
    dataDir: options.dataDir,
    sealer,
    evmAccount,
    sandbox: options.sandbox?.endpoints ?? null,
    node: {
      coins: { atOperator: async () => ports.arkade.walletCoins(), onChain: stranded.summary },
      disagreement: () => disagreementOf(ports.bitcoin),
      reserve: () => context.networks.feeReserve(),
      unsaved: () => unsavedValue(context),
      unguarded,
    },
    wall,
  });
}
