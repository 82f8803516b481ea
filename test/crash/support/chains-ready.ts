import { setTimeout as pause } from 'node:timers/promises';
import { statedBitcoin } from './bitcoin-quiet.ts';
import { walletFaults } from './bitcoin-verdict.ts';
import type { Oracle } from './oracle.ts';
import type { Stage } from './scenario.ts';

/** Until what the chains cost is read, and the node has what it begins with there. */
export async function chainsReady({ node, endpoints }: Stage, { evm }: Oracle): Promise<void> {
  for (const chain of Object.keys(endpoints.evm ?? {})) {
    const { body } = await node.ask(`/owner/wallets/evm:${chain}/address`, {}, true);
    evm.know(String(body['address']));
  }
  for (;;) {
    const { pairs } = (await node.ask('/swap-pairs')).body as { pairs: { source: string; target: string }[] };
    if (['137', '31'].every((chain) => pairs.some(({ target }) => target === chain))) return;
    await pause(200);
  }
}

/** What the sandbox gives a node on chain, in coins of one bitcoin. */
const firstCoin = 100_000_000n;

/** Says to the oracle where the node's first coins lie. */
export async function bitcoinReady(stage: Stage, { bitcoin }: Oracle): Promise<void> {
  const outputs = (await bitcoin.reader.transactions()).flatMap((transaction) => transaction.outputs);
  bitcoin.know(outputs.flatMap(({ address, amount }) => (amount === firstCoin && address !== null ? [address] : [])));
  const faults = walletFaults(await bitcoin.trace([]), await statedBitcoin(stage));
  if (faults.length > 0) throw new Error(faults.join('; '));
}
