import { refuse, type Refusal } from '../domain/errors.ts';
import { tokenAmount, type TokenAmount } from '../domain/money.ts';
import { withChecksum } from '../domain/evm-address.ts';
import {
  bridgeCall,
  bridgeChainNamed,
  forwardingHook,
  mintRecipient,
  type BridgeChain,
  type BridgeTerms,
} from '../legs/evm/bridge.ts';
import type { Call } from '../legs/evm/contracts.ts';
import type { BridgePort } from './ports.ts';

/**
 * What is kept for bringing USDC to a chain, in its smallest units (facts/evm.md 20). The burn itself is free: it waits
 * for finality.
 */
export interface BridgeRate {
  readonly proportionalMillionths: bigint;
  readonly flat: TokenAmount;
  /** The same where an account has to be made first. */
  readonly flatWithSetup: TokenAmount;
}

/** What an account of Solana costs, about: its rent. */
const setup = 350_000n;

function bridgeRate({ fees }: BridgePort, { name, chainId }: BridgeChain): BridgeRate {
  const flat = tokenAmount(name === 'Ethereum' ? fees.ethereum : fees.others);
  return { proportionalMillionths: 0n, flat, flatWithSetup: chainId === null ? tokenAmount(flat + setup) : flat };
}

/** Where a swap's USDC goes on to, checked. */
export interface Onward {
  readonly to: BridgeChain;
  readonly rate: BridgeRate;
  /** What is kept of this swap's USDC. */
  readonly fee: TokenAmount;
}

/**
 * Judges to which chain the USDC of a swap is to go; `token` null where it was left out. A wrong name or token would be
 * USDC on a chain where nobody looks, so each is compared and none is guessed.
 */
export function judgeOnward(bridge: BridgePort | null, chain: string, token: string | null): Onward | Refusal {
  const to = bridgeChainNamed(chain);
  if (to === null) return unknownChain('bridge_target_chain', chain);
  if (to.chainId === null)
    return refuse(
      'invalid',
      `bridge_target_chain cannot be ${to.name}: USDC is sent on to EVM chains alone here, for example Base.`,
    );
  if (bridge === null)
    return refuse('invalid', 'USDC is not sent on from this chain here: leave bridge_target_chain out.');
  if (to.chainId === bridge.chainId)
    return refuse('invalid', `The swap is on ${to.name} itself: leave bridge_target_chain out.`);
  if (token !== null && token.toLowerCase() !== to.usdc)
    return refuse(
      'invalid',
      `bridge_target_token_address is not USDC on ${to.name}: send ${withChecksum(to.usdc)} or leave it out.`,
    );
  const rate = bridgeRate(bridge, to);
  return { to, rate, fee: rate.flat };
}

/** Whom the USDC is minted for, in 32 bytes. */
export function judgeRecipient({ to }: Onward, recipient: string): Uint8Array | Refusal {
  return (
    mintRecipient(to, recipient) ??
    refuse(
      'invalid',
      `The recipient is no address on ${to.name}: send 0x and 40 hex digits of an account that is not zero.`,
    )
  );
}

/**
 * USDC that is to arrive from another chain: no direction takes it. The sentence says so before anything is burned
 * there.
 */
export function refuseInbound(chain: string): Refusal {
  const from = bridgeChainNamed(chain);
  return from === null
    ? unknownChain('bridge_source_chain', chain)
    : refuse(
        'invalid',
        `USDC that arrives from ${from.name} is not taken here: bring it to the chain of evm_chain_id yourself, ` +
          'and leave bridge_source_chain out.',
      );
}

function unknownChain(field: string, name: string): Refusal {
  return refuse(
    'invalid',
    `${field} cannot be "${name}", which is no chain that USDC is sent to: send one by its exact name, for ` +
      'example Base.',
  );
}

/** What a swap pins of it. */
export function bridgeTerms({ to, fee }: Onward, recipient: Uint8Array): BridgeTerms {
  return { chain: to.name, usdc: to.usdc, domain: to.domain, recipient, fee };
}

/** The call that sends on what the exchange before it brought to our adapter. */
export function onwardCall({ adapter }: BridgePort, { domain, recipient, fee }: BridgeTerms): Call {
  return bridgeCall(adapter, { domain, recipient, maxFee: fee, hookData: forwardingHook(null) });
}
