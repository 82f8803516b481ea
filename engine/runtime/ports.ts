import { connectionFailure, failedToConnect, PortFailure } from '../domain/errors.ts';
import type { EvmNetwork } from '../domain/chain.ts';
import type { EvmPort } from '../legs/evm/port.ts';
import type { TakerAccounts } from '../legs/evm/taker-key.ts';
import type { LightningPort } from '../legs/lightning/port.ts';
import type { BitcoinPort } from '../legs/onchain/port.ts';
import type { BitcoinWalletPort } from '../legs/onchain/wallet-port.ts';
import type { ArkadePort } from '../legs/arkade/port.ts';
import type { DexPort } from '../quote/ports.ts';
import type { ProviderPort, Providers } from '../taker/port.ts';

/**
 * The networks that the owner connects. A port stays while what is behind it comes and goes: with nothing behind it
 * every call rejects with `absent`. Null is a network that this node can never have.
 */
export interface Ports {
  readonly arkade: ArkadePort | null;
  readonly lightning: LightningPort | null;
  readonly bitcoin: BitcoinPort | null;
  /** A chain that is left out is none that this node can have. */
  readonly [evm: EvmNetwork]: EvmPort;
  /** The owner's coins on the chain behind `bitcoin`; left out where that is null. */
  readonly bitcoinWallet?: BitcoinWalletPort;
  /** Where the taker swaps; a node that only provides has none. */
  readonly providers?: Providers;
  /** What the taker signs with on EVM chains; left out as above. */
  readonly takerAccounts?: TakerAccounts;
  /** The exchange of a chain as the owner set it; null where there is none. */
  readonly exchanges?: (network: EvmNetwork) => DexPort | null;
}

/** Why the sources of a chain are not believed enough to begin anything new; null while they are, or there are none. */
export function disagreementOf(chain: Pick<BitcoinPort | EvmPort, 'disagreement'> | null): string | null {
  try {
    return chain?.disagreement() ?? null;
  } catch (cause) {
    if (cause instanceof PortFailure) return null;
    throw cause;
  }
}

/** True for the failure of a network that nobody connected: nothing to wait for, and nothing wrong. */
export function isAbsent(cause: unknown): boolean {
  return failedToConnect(cause, 'absent');
}

export function lightningOf(ports: Pick<Ports, 'lightning'>): LightningPort {
  if (ports.lightning === null) throw connectionFailure('absent', 'no Lightning node is connected');
  return ports.lightning;
}

export function arkadeOf(ports: Pick<Ports, 'arkade'>): ArkadePort {
  if (ports.arkade === null) throw connectionFailure('absent', 'no Arkade operator is connected');
  return ports.arkade;
}

export function bitcoinOf(ports: Pick<Ports, 'bitcoin'>): BitcoinPort {
  if (ports.bitcoin === null) throw connectionFailure('absent', 'no Bitcoin endpoint is connected');
  return ports.bitcoin;
}

export function bitcoinWalletOf({ bitcoinWallet }: Pick<Ports, 'bitcoinWallet'>): BitcoinWalletPort {
  if (bitcoinWallet === undefined) throw connectionFailure('absent', 'no Bitcoin endpoint is connected');
  return bitcoinWallet;
}

export function evmOf(ports: Pick<Ports, EvmNetwork>, network: EvmNetwork): EvmPort {
  const port = ports[network];
  if (port === undefined) throw connectionFailure('absent', `no RPC of ${network} is connected`);
  return port;
}

export function takerAccountsOf({ takerAccounts }: Pick<Ports, 'takerAccounts'>): TakerAccounts {
  if (takerAccounts === undefined) throw connectionFailure('absent', 'this node is nobody on EVM chains');
  return takerAccounts;
}

export function exchangeOn({ exchanges }: Pick<Ports, 'exchanges'>, network: EvmNetwork): DexPort | null {
  return exchanges?.(network) ?? null;
}

export function providerOf(ports: Pick<Ports, 'providers'>, provider: string): ProviderPort {
  if (ports.providers === undefined) throw connectionFailure('absent', 'no provider can be reached from here');
  return ports.providers(provider);
}

/** True for a failure that says: it did not happen, and never will. */
export function isNever(cause: unknown): cause is PortFailure {
  return cause instanceof PortFailure && cause.retry === 'never';
}
