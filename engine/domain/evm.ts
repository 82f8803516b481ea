declare const evmAddress_: unique symbol;

/** A 20-byte account or contract of an EVM chain. */
export type EvmAddress = Uint8Array & { readonly [evmAddress_]: true };

export function asEvmAddress(bytes: Uint8Array): EvmAddress {
  if (bytes.length !== 20) throw new RangeError(`an EVM address is 20 bytes, not ${bytes.length}`);
  return bytes as EvmAddress;
}

/** Stands for a chain's own coin where a token is named. */
export const nativeCoin = asEvmAddress(new Uint8Array(20));
/** Of every chain's own coin. */
export const coinDecimals = 18;

/** The chains that the published interface knows, by their number (EIP-155), as records name them. */
export const evmChainNames: Readonly<Record<number, string>> = {
  1: 'Ethereum',
  137: 'Polygon',
  42161: 'Arbitrum',
  30: 'Rootstock',
  31: 'Rootstock',
};
