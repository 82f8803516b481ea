import {
  approvePermit2,
  collabRefund,
  fundAlone,
  fundGasless,
  signedRefund,
  type FromEvm,
} from '../../stories/client/from-evm.ts';
import type { Reply } from '../../stories/client/http.ts';
import type { EvmPlay, Play } from './in-process.ts';

export const chainId = 137;
/** Most commits are looks at the chain: a run dies at one in so many. */
export const looks = Number(process.env['CRASH_LOOKS'] ?? 4);
const hour = 3_600;

export function evmOf({ evm }: Play): EvmPlay {
  if (evm === null) throw new Error('there is no EVM chain');
  return evm;
}

export function tokenOf(on: Play, symbol: 'WBTC' | 'USDC'): string {
  const token = evmOf(on).world.endpoints.tokens.find((one) => one.symbol === symbol);
  if (token === undefined) throw new Error(`the chain has no ${symbol}`);
  return token.address;
}

export function accepted({ status, body }: Reply): void {
  if (status !== 200) throw new Error(`refused with ${status}: ${String(body['error'])}`);
}

/** Goes on asking until the chain has the lock. */
export async function fund(
  on: Play,
  { record, fromEvm }: { record: { id: string }; fromEvm: FromEvm },
  gasless: boolean,
): Promise<void> {
  const { url, world } = evmOf(on);
  const deadline = on.world.now() + hour;
  await on.until('the lock', async (node) => {
    if (!['pending', 'unknown'].includes(node.at(record.id))) return true;
    const { rpcUrl } = world.endpoints;
    const sent = gasless ? relayed(url, fromEvm, rpcUrl, deadline) : fundAlone(url, fromEvm, rpcUrl, deadline);
    await sent.catch(() => undefined);
    return false;
  });
}

/** The token has no permits of its own: its owner approves Permit2 first, once. */
async function relayed(url: string, swap: FromEvm, rpcUrl: string, deadline: number): Promise<void> {
  const first = await fundGasless(url, swap, deadline);
  if (first.status === 200) return;
  await approvePermit2(url, swap, rpcUrl);
  accepted(await fundGasless(url, swap, deadline));
}

/** Both sign; what is refused now may be taken later. */
export async function askBack(on: Play, fromEvm: FromEvm): Promise<void> {
  const { url } = evmOf(on);
  await signedRefund(url, fromEvm)
    .then((body) => collabRefund(url, fromEvm, body))
    .catch(() => undefined);
}
