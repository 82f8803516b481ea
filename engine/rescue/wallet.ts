import { bytesToHex } from 'viem/utils';
import type { Config } from '../config.ts';
import { evmNetwork } from '../domain/chain.ts';
import { asEvmAddress } from '../domain/evm.ts';
import { PortFailure } from '../domain/errors.ts';
import { noSats } from '../domain/money.ts';
import { arkadeOf, bitcoinWalletOf, evmOf, isAbsent, type Ports } from '../runtime/ports.ts';

const nativeCoin = asEvmAddress(new Uint8Array(20));

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
  for (const [id, { peggedToken }] of Object.entries(evm))
    await line(`chain ${id}`, async () => {
      const port = evmOf(ports, evmNetwork(Number(id)));
      const coin = await port.balance(nativeCoin, port.account());
      const token = peggedToken === null ? null : await port.balance(peggedToken, port.account());
      const tokens = token === null || peggedToken === null ? '' : `, ${token} of ${bytesToHex(peggedToken)}`;
      return `${coin} wei${tokens}, in the account ${bytesToHex(port.account())}`;
    });

  async function line(name: string, read: () => Promise<string>): Promise<void> {
    try {
      say(`  ${name}: ${await read()}`);
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      if (!isAbsent(cause)) say(`  ${name}: not known now, ${cause.message}`);
    }
  }
}
