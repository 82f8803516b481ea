import { base58 } from '@scure/base';
import { bytesToHex, encodeFunctionData, hexToBytes, parseAbi, stringToBytes } from 'viem/utils';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import { fromHex } from '../../domain/hex.ts';
import type { Call } from './contracts.ts';

/** A chain that USDC goes on to (facts/evm.md 19). */
export interface BridgeChain {
  /** As clients spell it: compared byte for byte. */
  readonly name: string;
  /** Of CCTP, which is no chain id: a wrong one mints for somebody on another chain. */
  readonly domain: number;
  /** Null where it is no EVM chain. */
  readonly chainId: number | null;
  /** USDC there: 0x and hex digits in small letters, or base58. */
  readonly usdc: string;
}

const chain = (name: string, domain: number, chainId: number | null, usdc: string): BridgeChain => ({
  name,
  domain,
  chainId,
  usdc,
});

/** Where CCTP version 2 goes (facts/evm.md 19). */
export const bridgeChains: readonly BridgeChain[] = [
  chain('Ethereum', 0, 1, '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'),
  chain('Avalanche', 1, 43114, '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e'),
  chain('Optimism', 2, 10, '0x0b2c639c533813f4aa9d7837caf62653d097ff85'),
  chain('Arbitrum', 3, 42161, '0xaf88d065e77c8cc2239327c5edb3a432268e5831'),
  chain('Solana', 5, null, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  chain('Base', 6, 8453, '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'),
  chain('Polygon', 7, 137, '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359'),
  chain('Unichain', 10, 130, '0x078d782b760474a361dda0af3839290b0ef57ad6'),
  chain('Linea', 11, 59144, '0x176211869ca2b568f2a7d4ee941e073a821ee1ff'),
  chain('Sonic', 13, 146, '0x29219dd400f2bf60e5a23d13be72b486d4038894'),
  chain('World Chain', 14, 480, '0x79a02482a880bce3f13e09da970dc34db4cd24d1'),
  chain('Monad', 15, 143, '0x754704bc059f8c67012fed69bc8a327a5aafb603'),
  chain('Sei', 16, 1329, '0xe15fc38f6d8c56af07bbcbe3baf5708a2bf42392'),
  chain('XDC', 18, 50, '0xfa2958cb79b0491cc627c1557f441ef849ca8eb1'),
  chain('HyperEVM', 19, 999, '0xb88339cb7199b77e23db6e890353e22632ba630f'),
  chain('Ink', 21, 57073, '0x2d270e6886d130d724215a266106e6832161eaed'),
];

/** Of TokenMessengerV2, the same on every EVM chain (facts/evm.md 19). */
export const tokenMessenger = asEvmAddress(fromHex('28b5a0e9c621a5badaa536219b3a228c8168cf5d'));

/** By the name that clients send; null for one that is not served, `base` and ` Base` among them. */
export function bridgeChainNamed(name: string): BridgeChain | null {
  return bridgeChains.find((one) => one.name === name) ?? null;
}

/** By the number of an EVM chain (EIP-155). */
export function bridgeChainOf(chainId: number): BridgeChain | null {
  return bridgeChains.find((one) => one.chainId === chainId) ?? null;
}

/** 32 bytes of base58, as keys of Solana are written; null for anything else. */
export function base58Key(text: string): Uint8Array | null {
  try {
    const bytes = base58.decode(text);
    return bytes.length === 32 ? bytes : null;
  } catch {
    return null;
  }
}

/**
 * The recipient as CCTP takes it, 32 bytes: an EVM address behind twelve zeros, or a key as it is. Null for what is
 * neither there.
 */
export function mintRecipient({ chainId }: BridgeChain, text: string): Uint8Array | null {
  if (chainId === null) return base58Key(text);
  if (!/^0x[0-9a-f]{40}$/i.test(text)) return null;
  const address = fromHex(text.slice(2));
  if (address.every((byte) => byte === 0)) return null;
  return new Uint8Array([...new Uint8Array(12), ...address]);
}

/** `cctp-forward` in 24 bytes, version 0 and the length of what follows in 4 each (facts/evm.md 20). */
function forwarding(payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(32 + payload.length);
  bytes.set(stringToBytes('cctp-forward'));
  new DataView(bytes.buffer).setUint32(28, payload.length);
  bytes.set(payload, 32);
  return bytes;
}

/**
 * What asks Circle to mint on the other side, so that the recipient needs no gas there: 32 bytes; 65 where the token
 * account of a Solana wallet has to be made first, the wallet's 32-byte key behind a byte that says so (facts/evm.md
 * 20).
 */
export function forwardingHook(wallet: Uint8Array | null): Uint8Array {
  return forwarding(wallet === null ? new Uint8Array() : new Uint8Array([1, ...wallet]));
}

const adapterAbi = parseAbi([
  'function bridgeBalance(uint32 domain, bytes32 recipient, uint256 maxFee, bytes hookData)',
]);

/**
 * Where the USDC of a swap goes on to, as the swap pinned it: its chain by name, domain and token, whom it is for, and
 * what bringing it there may cost.
 */
export interface BridgeTerms {
  readonly chain: string;
  readonly usdc: string;
  readonly domain: number;
  /** 32 bytes (`mintRecipient`). */
  readonly recipient: Uint8Array;
  /** Smallest units of USDC. */
  readonly fee: bigint;
}

/** What is sent on, wherever it comes from. */
export interface Burn {
  readonly domain: number;
  /** 32 bytes (`mintRecipient`). */
  readonly recipient: Uint8Array;
  /**
   * The most that is kept for bringing it there, in smallest units of USDC. Below what Circle asks nobody brings it.
   */
  readonly maxFee: bigint;
  readonly hookData: Uint8Array;
}

/** Sends on all USDC that the calls before it brought to our adapter. */
export function bridgeCall(adapter: EvmAddress, { domain, recipient, maxFee, hookData }: Burn): Call {
  const args = [domain, bytesToHex(recipient), maxFee, bytesToHex(hookData)] as const;
  const data = encodeFunctionData({ abi: adapterAbi, functionName: 'bridgeBalance', args });
  return { target: adapter, value: 0n, data: hexToBytes(data) };
}
