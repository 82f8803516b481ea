import { type Chain, type EvmNetwork, nativeChainIds } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import type { TokenInfo } from '../../domain/token.ts';
import { checksummed, withChecksum } from '../../domain/evm-address.ts';
import type { TokenFacts } from '../../legs/evm/port.ts';
import type { Onward } from '../../quote/bridge.ts';
import type { BridgePort, DexPort } from '../../quote/ports.ts';
import type { PegSource } from './pegs.ts';

/** A token of an EVM chain as its contract tells of it; the zero address is the native coin. */
export interface EvmToken extends TokenFacts {
  readonly address: EvmAddress;
}

/** What the owner set for swaps over one EVM chain. */
export interface MarketSettings {
  /** In which new locks are made. */
  readonly htlc: EvmAddress;
  /** Blocks after which nothing of the chain is taken back any more. */
  readonly confirmations: number;
  /** Whom exchanges on the way into a lock pay. */
  readonly coordinator: EvmAddress;
  /** Null where the native coin is locked itself. */
  readonly pegged: EvmAddress | null;
  /** What is listed beside the pegged token. */
  readonly tokens: readonly EvmAddress[];
  /** Null: only the pegged token, or the native coin, can be swapped. */
  readonly dex: DexPort | null;
  /** How much worse than its price an exchange of ours may come out. */
  readonly slippageBps: number;
  /** Null where USDC cannot leave from. */
  readonly bridge: BridgePort | null;
  /** What says that the pegged token is worth a bitcoin; where it is left out that is taken for granted. */
  readonly peg?: PegSource;
}

/** An EVM chain on which there is something to swap. */
export interface Market {
  readonly network: EvmNetwork;
  readonly chainId: number;
  readonly coordinator: EvmAddress;
  /** What locks hold: the BTC-pegged token, or the native coin. */
  readonly pegged: EvmToken;
  readonly native: boolean;
  /** Beside it. */
  readonly tokens: readonly EvmToken[];
  readonly dex: DexPort | null;
  readonly slippageBps: number;
  /** Only where it stands, and there is an exchange that brings USDC. */
  readonly bridge: BridgePort | null;
}

const zero = '00'.repeat(20);

/** The coin of chains 30 and 31 (facts/clients.md 42). */
export function nativeBitcoin(address: EvmAddress): EvmToken {
  return { address, decimals: 18, symbol: 'RBTC', name: 'Smart Bitcoin' };
}

export function isNativeChain(chainId: number): boolean {
  return nativeChainIds.includes(chainId);
}

export function isPegged(market: Market, token: EvmAddress): boolean {
  return sameBytes(market.pegged.address, token);
}

/** A token as lists have it, and records: its address with its checksum (facts/clients.md 22). */
export function tokenInfoOf({ chainId }: Pick<Market, 'chainId'>, token: EvmToken): TokenInfo {
  const { address, decimals, name, symbol } = token;
  return { chain: `${chainId}` as Chain, decimals, name, symbol, token_id: checksummed(address) };
}

export function isCoin(address: EvmAddress): boolean {
  return toHex(address) === zero;
}

/** USDC on the chain of the lock, by its own address or by that on the chain where it goes: nothing else is sent on. */
export function bridgedToken({ bridge }: Market, { to }: Onward, token: EvmAddress): EvmAddress | Refusal {
  if (bridge !== null && (sameBytes(token, bridge.usdc) || `0x${toHex(token)}` === to.usdc)) return bridge.usdc;
  return refuse(
    'invalid',
    `Only USDC is sent on to ${to.name}: send ${withChecksum(to.usdc)} as the token, or leave the bridge out.`,
  );
}
