import { figureText } from '../../format/amount.ts';
import { plainText } from '../../format/plain.ts';
import { spanText } from '../../format/span.ts';
import type { Column } from '../../parts/fold-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { hrefTo } from '../../stores/route.ts';
import { boardWords } from '../../words/board-words.ts';
import { directionText, standingOf, standingTones, type SwapLine } from './swap-lines.ts';

const swap: Column<SwapLine> = {
  key: 'swap',
  head: boardWords.swap,
  rowHead: true,
  whole: true,
  cell: (line) => (
    <>
      <a href={hrefTo('board', line.id)}>{directionText(line)}</a>
      {line.label === null ? null : <span className="sub break-words">{line.label}</span>}
      <span className="sub mono">{line.id.slice(0, 8)}</span>
      {line.boltz_id === undefined ? null : <span className="sub mono">boltz:{line.boltz_id}</span>}
    </>
  ),
};
const value: Column<SwapLine> = {
  key: 'value',
  head: boardWords.value,
  label: boardWords.value,
  number: true,
  cell: ({ value_sats }) => figureText(String(value_sats), 0),
};
const next: Column<SwapLine> = {
  key: 'next',
  head: boardWords.nextAction,
  label: boardWords.nextAction,
  cell: ({ next_action }) => <span className="sub break-words">{plainText(next_action)}</span>,
};

/** Of what is open; `age`: seconds since it was read. */
export function openColumns(age: number): readonly Column<SwapLine>[] {
  return [
    {
      key: 'left',
      head: boardWords.timeLeft,
      label: boardWords.timeLeft,
      cell: (line) => <TimeLeft line={line} age={age} />,
    },
    { key: 'standing', head: boardWords.standing, label: boardWords.standing, cell: (line) => standingCell(line, age) },
    swap,
    value,
    next,
  ];
}

/** Of everything that there ever was. */
export const listColumns: readonly Column<SwapLine>[] = [
  swap,
  value,
  {
    key: 'status',
    head: boardWords.status,
    label: boardWords.status,
    cell: ({ status }) => <span className="mono">{status}</span>,
  },
  next,
];

function standingCell(line: SwapLine, age: number) {
  const standing = standingOf(line, age);
  return <Status tone={standingTones[standing]}>{boardWords.standings[standing]}</Status>;
}

function TimeLeft({ line: { slack_seconds, deadline }, age }: { line: SwapLine; age: number }) {
  if (slack_seconds === null || deadline === null) return <span className="sub">{boardWords.noDate}</span>;
  const left = slack_seconds - age;
  return (
    <>
      <strong className="num nw">{left < 0 ? `−${spanText(-left)}` : spanText(left)}</strong>
      <span className="sub">
        <Moment at={deadline} />
      </span>
    </>
  );
}
