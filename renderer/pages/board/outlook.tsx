import type { Liquidity } from '../../../engine/contract/owner/liquidity.ts';
import { figureText } from '../../format/amount.ts';
import { networkName } from '../../format/networks.ts';
import { spanText } from '../../format/span.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Note } from '../../parts/note.tsx';
import { useReading } from '../../stores/reading.ts';
import { client } from '../../stores/records.ts';
import { hrefTo } from '../../stores/route.ts';
import { boardWords } from '../../words/board-words.ts';

const everySeconds = 60;

type Pool = Liquidity['networks'][number];

/** Which networks run dry at the rate of the last day, and the swap that would help, which the owner makes or not. */
export function Outlook() {
  const { value } = useReading('liquidity', () => client().call('ownerLiquidity'), everySeconds);
  if (value === null) return null;
  const dry = value.networks
    .filter(({ dry_at: at }) => at !== null)
    .toSorted((a, b) => (a.dry_at ?? 0) - (b.dry_at ?? 0));
  return dry.map((pool) => <Dry key={pool.network} pool={pool} now={value.to} />);
}

function Dry({ pool: { network, dry_at: at, move }, now }: { pool: Pool; now: number }) {
  const name = networkName(network);
  const span = spanText(Math.max(0, (at ?? now) - now));
  return (
    <Note
      tone={move === null ? 'wait' : 'need'}
      title={boardWords.runsDry(name, span)}
      actions={
        move === null ? undefined : (
          <ButtonLink size="small" href={hrefTo('swap', move.from, network, String(move.amount))}>
            {boardWords.toSwap}
          </ButtonLink>
        )
      }
    >
      {boardWords.atTodaysRate}
      {move === null
        ? ''
        : ` ${boardWords.moveHelps(figureText(String(move.amount), 0), networkName(move.from), name)}`}
    </Note>
  );
}
