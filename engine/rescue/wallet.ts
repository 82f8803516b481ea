import { bytesToHex } from 'viem/utils';
import type { Config } from '../config.ts';
import { evmNetwork } from '../domain/chain.ts';
import { PortFailure } from '../domain/errors.ts';
import { nativeCoin, type EvmAddress } from '../domain/evm.ts';
import { noSats } from '../domain/money.ts';
import type { EvmPort } from '../legs/evm/port.ts';
import { arkadeOf, bitcoinWalletOf, evmOf, isAbsent, takerAccountsOf, type Ports } from '../runtime/ports.ts';
import { walletKey } from './evm-payer.ts';

/** What the seed alone finds: whoever brings its words to a node has all of it. */
export async function tellWallets(
  ports: Ports,
  { evm }: Pick<Config, 'evm'>,
  say: (line: string) => void,
): Promise<void> {
  say('In the wallets of this seed:');
  await line('Bitcoin', async () => {
    const { available, pending } = await bitcoinWalletOf(ports).balance([]);
    return `${available} sats${pending > noSats ? `, and ${pending} that wait for a block` : ''}`;
  });
  await line('Arkade', async () => {
    const { available, recoverable, pending } = await arkadeOf(ports).balance([]);
    return `${available} sats, ${recoverable} to be renewed, ${pending} on their way`;
  });
  for (const [id, { peggedToken }] of Object.entries(evm)) {
    const network = evmNetwork(Number(id));
    await line(`chain ${id}`, async () => {
      const port = evmOf(ports, network);
      const own = await inAccount(port, port.account(), peggedToken);
      const ofSwaps = await inAccount(port, takerAccountsOf(ports).accountOf(walletKey), peggedToken);
      return `${own}; and of swaps of your own ${ofSwaps}`;
    });
  }

  async function line(name: string, read: () => Promise<string>): Promise<void> {
    try {
      say(`  ${name}: ${await read()}`);
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      if (!isAbsent(cause)) say(`  ${name}: not known now, ${cause.message}`);
    }
  }
}

async function inAccount(port: EvmPort, account: EvmAddress, pegged: EvmAddress | null): Promise<string> {
  const coin = await port.balance(nativeCoin, account);
  const tokens = pegged === null ? '' : `, ${await port.balance(pegged, account)} of ${bytesToHex(pegged)}`;
  return `${coin} wei${tokens}, in the account ${bytesToHex(account)}`;
}
