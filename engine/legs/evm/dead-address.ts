import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import type { SwapContracts } from './contracts.ts';
import { permit2 } from './deployments.ts';

/** What an owner names on a chain. */
interface Named {
  readonly contracts: Pick<SwapContracts, 'htlc' | 'coordinator'>;
  readonly peggedToken: EvmAddress | null;
  readonly tokens: readonly EvmAddress[];
  readonly dex: { readonly quoter: EvmAddress; readonly router: EvmAddress } | null;
  readonly peg: { readonly pool: EvmAddress } | null;
}

/**
 * Whether nobody could ever use what comes to this address: the zero address, the contracts of the swap, Permit2, and
 * the contracts of tokens. `contracts` null where the chain has none of a swap's; `tokens` as 20-byte addresses, the
 * zero address for the native coin. Loses money when wrong: tokens that are sent there stay there.
 */
export function isDeadAddress(
  address: EvmAddress,
  contracts: Pick<SwapContracts, 'htlc' | 'coordinator'> | null,
  tokens: readonly EvmAddress[],
): boolean {
  const own = contracts === null ? [] : [contracts.htlc, contracts.coordinator];
  return address.every((byte) => byte === 0) || [...own, permit2, ...tokens].some((one) => sameBytes(one, address));
}

/**
 * The same on a chain as its owner names it: beside `tokens` every token there, and the exchange, of whose router
 * anybody takes what lies there.
 */
export function isDeadOn(chain: Named | undefined, address: EvmAddress, tokens: readonly EvmAddress[] = []): boolean {
  return isDeadAddress(address, chain?.contracts ?? null, [...tokens, ...namedContracts(chain)]);
}

/** Contracts beside the swap's own that are nobody's account. */
function namedContracts(of: Named | undefined): readonly EvmAddress[] {
  if (of === undefined) return [];
  const { peggedToken, tokens, dex, peg } = of;
  return [
    ...(peggedToken === null ? [] : [peggedToken]),
    ...tokens,
    ...(dex === null ? [] : [dex.quoter, dex.router]),
    ...(peg === null ? [] : [peg.pool]),
  ];
}
