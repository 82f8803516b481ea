import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import type { Json } from './client/http.ts';
import type { WireNode } from './wire-node.ts';

/** With the money of the sandbox of `world`, as somebody pays who reads what the node shows. */
export async function payFromOutside(world: WireNode, { pay: to, give }: TakerSwap): Promise<void> {
  if (to === null) throw new Error('it does not say where to pay');
  const control = (path: string, body: Json) => world.owner('POST', `/sandbox/${path}`, body);
  switch (to.kind) {
    case 'invoice':
      return void (await world.pay(to.text));
    case 'arkade':
      return void (await world.faucet(to.text, Number(to.amount)));
    case 'bitcoin':
      return void (await control('bitcoin/faucet', { address: to.text, amount: Number(to.amount) }));
    case 'evm': {
      // The token takes no signature: the account sends its approval itself.
      const chain = give.network.replace('evm:', '');
      const bring = (token: string, units: string) =>
        control(`evm/${chain}/faucet`, { address: to.text, token, amount: units });
      await bring(`0x${'00'.repeat(20)}`, String(10n ** 18n));
      await bring(give.token ?? '', to.amount);
    }
  }
}
