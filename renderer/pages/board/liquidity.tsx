import type { CSSProperties } from 'react';
import { momentText } from '../../format/moment.ts';
import { networkIcon, networkName } from '../../format/networks.ts';
import { Loading } from '../../parts/empty.tsx';
import { Figure } from '../../parts/figure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/note.tsx';
import { words } from '../../words/words.ts';
import { boardWords } from '../../words/board-words.ts';
import type { Holding } from '../wallets/holdings.ts';
import type { Holdings } from '../wallets/use-holdings.ts';
import { Outlook } from './outlook.tsx';

const parts = ['free', 'reserved', 'locked', 'pending'] as const;
const looks = { free: 'c-free', reserved: 'c-held', locked: 'c-lock', pending: 'c-pend' } as const;

/** What each network holds, and what of it is promised, locked or on its way. */
export function Liquidity({ holdings, trouble }: Holdings) {
  return (
    <section aria-labelledby="board-liquidity">
      <h2 id="board-liquidity">{boardWords.liquidity}</h2>
      {trouble === null ? null : <Note tone="need">{trouble}</Note>}
      {holdings === null ? (
        trouble === null ? (
          <Loading rows={5} />
        ) : null
      ) : (
        <>
          <p className="legend mt-2">
            {parts.map((part) => (
              <span key={part}>
                <i className={looks[part]} />
                {boardWords.legend[part]}
              </span>
            ))}
          </p>
          <ul className="mt-3">
            {holdings.map((holding) => (
              <Pool key={`${holding.network} ${holding.asset}`} holding={holding} />
            ))}
          </ul>
          <Outlook />
        </>
      )}
    </section>
  );
}

function Pool({ holding }: { holding: Holding }) {
  const { network, symbol, decimals } = holding;
  const amounts = { free: holding.free, reserved: holding.reserved, locked: holding.locked, pending: holding.underWay };
  const all = parts.reduce((sum, part) => sum + BigInt(amounts[part]), 0n);
  return (
    <li className="pool">
      <p className="row apart">
        <span className="st">
          <Icon name={networkIcon(network)} />
          {networkName(network)}
          {holding.asOf === null ? null : (
            <span className="sub">{words.wallets.asOf(momentText(holding.asOf), network)}</span>
          )}
        </span>
        <span className="num sub">
          <Figure amount={String(all)} decimals={decimals} /> {symbol}
        </span>
      </p>
      <div className="stackbar" aria-hidden="true">
        {parts
          .filter((part) => amounts[part] !== '0')
          .map((part) => (
            <i key={part} className={looks[part]} style={{ '--p': shareOf(amounts[part], all) } as CSSProperties} />
          ))}
      </div>
      <p className="sub num parts">
        {parts.map((part) => (
          <span key={part} className="nw">
            <b>
              <Figure amount={amounts[part]} decimals={decimals} />
            </b>{' '}
            {boardWords.parts[part]}
          </span>
        ))}
      </p>
    </li>
  );
}

/** In thousandths, as far as a bar can show it. */
function shareOf(amount: string, all: bigint): number {
  return all === 0n ? 0 : Number((BigInt(amount) * 1_000n) / all);
}
