import type { Config } from './config.ts';
import type { SandboxChain } from './config/chains.ts';
import type { SandboxAddresses } from './connections/connections.ts';
import type { SettingsSource } from './connections/settings.ts';
import type { Log } from './runtime/log.ts';

/** What a node is started with. */
export interface NodeOptions {
  readonly config: Config;
  /** Where the configuration came from, and where what the owner changes of it is kept. */
  readonly settings: SettingsSource;
  readonly dataDir: string;
  /**
   * Where this machine keeps how far the folder has come, out of reach of whatever copies it or rolls it back; null for
   * nowhere.
   */
  readonly stateFolder: string | null;
  /** The 64 bytes of BIP-39. */
  readonly seed: Uint8Array;
  readonly log: Log;
  readonly sandbox: { readonly endpoints: NodeSandbox } | null;
}

/** What a node needs to know of its sandbox. */
interface NodeSandbox extends SandboxAddresses {
  /** By the chain's number; left out where no chain runs. */
  readonly evm?: Readonly<Record<string, SandboxChain>>;
  /** Origin of the outside wallet's LNURL-pay. */
  readonly payee?: { readonly url: string };
}
