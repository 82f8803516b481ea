import type { BitcoinPort, PackageAnswer } from '../../legs/onchain/port.ts';

/**
 * Hands both over as a package, and then each alone: what the package brought into the mempool is accepted again, and
 * where the endpoint takes no package, or not this one, each is told by itself what is wrong with it (facts/onchain.md
 * 6).
 */
export async function packageThenEach(
  port: Pick<BitcoinPort, 'broadcast'>,
  submit: () => Promise<unknown>,
  [parent, child]: readonly [Uint8Array, Uint8Array],
): Promise<PackageAnswer> {
  await submit();
  return { parent: await port.broadcast(parent), child: await port.broadcast(child) };
}
