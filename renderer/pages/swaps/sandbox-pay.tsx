import { ActButton } from '../../parts/act-button.tsx';
import { client, useRecords } from '../../stores/records.ts';
import { words } from '../../words/words.ts';
import type { Pay } from './funding.tsx';

/** Pays with what the sandbox gives away; a block follows where one is needed. */
export function SandboxPay({ pay }: { pay: Pay }) {
  const { kind } = pay;
  if (kind === 'evm') return null;
  const act = async () => {
    await pays[kind](pay);
    await useRecords.getState().look();
  };
  return (
    <ActButton kind={pay.own_wallet ? 'other' : 'main'} act={act}>
      {words.oneSwap.payFromSandbox[kind]}
    </ActButton>
  );
}

const pays: Readonly<Record<Exclude<Pay['kind'], 'evm'>, (pay: Pay) => Promise<unknown>>> = {
  invoice: ({ text }) => client().call('lightningPay', { body: { bolt11: text } }),
  arkade: ({ text, amount }) => client().call('arkadeFaucet', { body: { address: text, amount: Number(amount) } }),
  bitcoin: async ({ text, amount }) => {
    await client().call('bitcoinFaucet', { body: { address: text, amount: Number(amount) } });
    await client().call('bitcoinMine', { body: { blocks: 1 } });
  },
};
