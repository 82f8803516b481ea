import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { client, useRecords } from '../../stores/records.ts';
import { words } from '../../words/words.ts';
import type { Pay } from './pay.ts';

/** Pays with what the sandbox gives away; a block follows where one is needed. */
export function SandboxPay({ swap, pay }: { swap: TakerSwap; pay: Pay }) {
  const { kind } = pay;
  const act = async () => {
    await pays[kind](pay, swap);
    await useRecords.getState().look();
  };
  return (
    <ActButton kind={pay.own_wallet ? 'other' : 'main'} act={act}>
      {words.oneSwap.payFromSandbox[kind]}
    </ActButton>
  );
}

const ownCoin = `0x${'0'.repeat(40)}`;
/** In its smallest unit: more than the gas of any swap. */
const forGas = String(10n ** 17n);

const pays: Readonly<Record<Pay['kind'], (pay: Pay, swap: TakerSwap) => Promise<unknown>>> = {
  invoice: ({ text }) => client().call('lightningPay', { body: { bolt11: text } }),
  arkade: ({ text, amount }) => client().call('arkadeFaucet', { body: { address: text, amount: Number(amount) } }),
  bitcoin: async ({ text, amount }) => {
    await client().call('bitcoinFaucet', { body: { address: text, amount: Number(amount) } });
    await client().call('bitcoinMine', { body: { blocks: 1 } });
  },
  evm: async ({ text: address, amount }, { give }) => {
    const params = { chain: give.network.replace(/^evm:/, '') };
    await client().call('evmFaucet', { params, body: { address, token: ownCoin, amount: forGas } });
    await client().call('evmFaucet', { params, body: { address, token: give.token ?? ownCoin, amount } });
  },
};
