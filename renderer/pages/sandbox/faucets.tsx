import { useMemo, useState } from 'react';
import type { SandboxWorld } from '../../../engine/contract/sandbox.ts';
import { amountText } from '../../format/amount.ts';
import { networkName } from '../../format/networks.ts';
import { Outcome } from '../../parts/outcome.tsx';
import { Picker } from '../../parts/picker.tsx';
import { useActing } from '../../stores/acting.ts';
import { client } from '../../stores/records.ts';
import { sandboxWords } from '../../words/sandbox-words.ts';
import { words } from '../../words/words.ts';
import { FaucetLine } from './faucet-line.tsx';

interface Coin {
  readonly chain: string;
  readonly symbol: string;
  readonly address: string;
  readonly decimals: number;
}

/** Play money for the node's own wallets. */
export function Faucets({ world }: { world: SandboxWorld }) {
  const { busy, outcome, run } = useActing();
  const coins = useMemo(() => coinsOf(world), [world]);
  const [picked, setPicked] = useState('');
  const coin = coins.find((one) => keyOf(one) === picked) ?? coins.find(({ symbol }) => symbol === 'USDC') ?? coins[0];
  return (
    <section aria-labelledby="faucets">
      <h2 id="faucets">{sandboxWords.faucets}</h2>
      <div className="stack mt-3">
        {world.arkade === undefined ? null : (
          <FaucetLine
            label={sandboxWords.arkade}
            icon="arch"
            unit="sats"
            decimals={0}
            start="5,000,000"
            press={sandboxWords.get}
            busy={busy === 'arkade'}
            onAmount={(units) => void run('arkade', () => fromArkade(units))}
          />
        )}
        {world.bitcoin === undefined ? null : (
          <FaucetLine
            label={sandboxWords.bitcoin}
            icon="block"
            unit="sats"
            decimals={0}
            start="1,000,000"
            press={sandboxWords.get}
            busy={busy === 'bitcoin'}
            onAmount={(units) => void run('bitcoin', () => fromBitcoin(units))}
          />
        )}
        {coin === undefined ? null : (
          <FaucetLine
            label={sandboxWords.token}
            icon="hex"
            unit={
              <Picker
                value={keyOf(coin)}
                options={coins.map((one) => ({
                  value: keyOf(one),
                  label: one.symbol,
                  detail: networkName(`evm:${one.chain}`),
                }))}
                onPick={setPicked}
                purpose={sandboxWords.whichToken}
              />
            }
            decimals={coin.decimals}
            start="2,500"
            press={sandboxWords.get}
            busy={busy === 'token'}
            onAmount={(units) => void run('token', () => fromEvm(coin, units))}
          />
        )}
      </div>
      <Outcome outcome={outcome} />
    </section>
  );
}

const zero = `0x${'0'.repeat(40)}`;

function keyOf({ chain, address }: Coin): string {
  return `${chain}:${address}`;
}

/** Every token of every chain, the coin for gas last where the tokens do not name it. */
function coinsOf({ evm }: SandboxWorld): Coin[] {
  return Object.entries(evm ?? {})
    .toSorted(([a], [b]) => Number(b) - Number(a))
    .flatMap(([chain, { tokens }]) => {
      const named = tokens.map((token): Coin => ({ chain, ...token }));
      const gas = { chain, symbol: words.wallets.gasCoin(`evm:${chain}`), address: zero, decimals: 18 };
      return tokens.some(({ address }) => address === zero) ? named : [...named, gas];
    });
}

async function fromArkade(units: string): Promise<string> {
  const { address } = await client().call('walletAddress', { params: { network: 'arkade' }, body: {} });
  await client().call('arkadeFaucet', { body: { address, amount: Number(units) } });
  return sandboxWords.arrived(amountText({ amount: units, decimals: 0, symbol: 'sats' }), words.networks.arkade);
}

async function fromBitcoin(units: string): Promise<string> {
  const { address } = await client().call('walletAddress', { params: { network: 'bitcoin' }, body: {} });
  await client().call('bitcoinFaucet', { body: { address, amount: Number(units) } });
  return sandboxWords.unconfirmed(amountText({ amount: units, decimals: 0, symbol: 'sats' }));
}

async function fromEvm({ chain, symbol, decimals, address: token }: Coin, amount: string): Promise<string> {
  const network = `evm:${chain}`;
  const { address } = await client().call('walletAddress', { params: { network }, body: {} });
  await client().call('evmFaucet', { params: { chain }, body: { address, token, amount } });
  return sandboxWords.arrived(amountText({ amount, decimals, symbol }), networkName(network));
}
