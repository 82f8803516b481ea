import type { LedgerRow } from '../../../engine/contract/owner/ledger.ts';
import { shortFigure } from '../../format/amount.ts';
import { networkName } from '../../format/networks.ts';
import { boardWords } from '../../words/board-words.ts';
import { useHoldings } from '../wallets/use-holdings.ts';
import { besidesOf, msatOf } from './earnings.ts';
import { signedSats } from './sats.ts';

/** What was booked for a swap, row by row, and what it comes to in sats. */
export function Result({ ledger }: { ledger: readonly LedgerRow[] }) {
  const { holdings } = useHoldings();
  const sum = ledger.filter(({ asset }) => asset === 'btc').reduce((total, { amount }) => total + msatOf(amount), 0n);
  const amountOf = ({ network, asset, amount }: Pick<LedgerRow, 'network' | 'asset' | 'amount'>): string => {
    if (asset === 'btc') return boardWords.sats(signedSats(msatOf(amount)));
    const holding = holdings?.find((one) => one.network === network && one.asset.toLowerCase() === asset.toLowerCase());
    const size = shortFigure(amount.replace('-', ''), holding?.decimals ?? 0);
    return `${amount.startsWith('-') ? '−' : ''}${size} ${holding?.symbol ?? boardWords.units}`;
  };
  return (
    <section aria-labelledby="swap-result">
      <h2 id="swap-result">{boardWords.result}</h2>
      {ledger.length === 0 ? (
        <p className="sub mt-2">{boardWords.noCosts}</p>
      ) : (
        <dl className="facts ruled mt-2">
          {ledger.map((row, place) => (
            <div key={place}>
              <dt>
                {boardWords.kinds[row.kind] ?? row.kind}, {networkName(row.network)}
              </dt>
              <dd>{amountOf(row)}</dd>
            </div>
          ))}
          <div className="sum">
            <dt>{boardWords.sum}</dt>
            <dd>
              {boardWords.sats(signedSats(sum))}
              {[...besidesOf(ledger)].map(([key, amount]) => {
                const [network = '', asset = ''] = key.split(' ');
                return (
                  <span key={key} className="block">
                    {amountOf({ network, asset, amount: String(amount) })}
                  </span>
                );
              })}
            </dd>
          </div>
        </dl>
      )}
    </section>
  );
}
