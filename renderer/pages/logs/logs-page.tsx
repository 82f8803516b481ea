import { useDeferredValue, useId, useMemo, useState } from 'react';
import { logLevels, type LogLevel, type Logs } from '../../../engine/contract/owner/logs.ts';
import { handOver } from '../../client/hand-over.ts';
import { figureText } from '../../format/amount.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty, Loading } from '../../parts/empty.tsx';
import { FoldTable, type Column } from '../../parts/fold-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Note } from '../../parts/note.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Status, type Tone } from '../../parts/status.tsx';
import { Toggle } from '../../parts/toggle.tsx';
import { useActing } from '../../stores/acting.ts';
import { useRecords } from '../../stores/records.ts';
import { hrefTo } from '../../stores/route.ts';
import { logsWords } from '../../words/logs-words.ts';
import { reportOf } from './report.ts';
import { useLines } from './use-lines.ts';

type Line = Logs['lines'][number];

/** What the node did, by swap, level and text; a report of it has everything blacked out that says whose it is. */
export function LogsPage({ rest: [swap = ''] }: { rest: readonly string[] }) {
  const [typed, setTyped] = useState(swap);
  const [level, setLevel] = useState<LogLevel>('info');
  const [redacted, setRedacted] = useState(true);
  const text = useDeferredValue(typed.trim());
  const wanted = useMemo(() => ({ text, level, redacted }), [text, level, redacted]);
  const { lines, dropped, more, trouble } = useLines(wanted);
  return (
    <>
      <PageHead
        title={logsWords.title}
        lead={logsWords.lead}
        back={{ href: hrefTo('settings'), label: logsWords.back }}
      >
        <Report lines={lines ?? []} redacted={redacted} />
      </PageHead>
      <LinesForm typed={typed} onText={setTyped} level={level} onLevel={setLevel} />
      <div className="mb-4 max-w-2xl">
        <Toggle label={logsWords.redact} means={logsWords.redactMeans} on={redacted} onSwitch={setRedacted} />
      </div>
      {trouble === null ? null : (
        <Note tone="need" alert>
          {trouble}
        </Note>
      )}
      {lines === null ? (
        <Loading rows={8} />
      ) : (
        <FoldTable
          className="log-lines tight"
          caption={logsWords.caption}
          columns={columns}
          rows={lines}
          keyOf={({ number }) => String(number)}
          empty={
            <Empty icon="list" title={logsWords.none}>
              {logsWords.noneMeans}
            </Empty>
          }
        />
      )}
      {more === null ? null : (
        <p className="row mt-4">
          <ActButton act={more}>{logsWords.more}</ActButton>
        </p>
      )}
      {dropped === 0 ? null : <p className="hint mt-4">{logsWords.dropped(figureText(String(dropped), 0))}</p>}
    </>
  );
}

function Report({ lines, redacted }: { lines: readonly Line[]; redacted: boolean }) {
  const status = useRecords((state) => state.status);
  const { busy, outcome, run } = useActing();
  const save = () =>
    run('report', async () => {
      const how = await handOver('sluice-report.txt', reportOf(status, [...lines]), 'text/plain');
      const count = figureText(String(lines.length), 0);
      return how === 'saved' ? logsWords.reported(count) : logsWords.copied(count);
    });
  return (
    <div>
      <Button
        icon={window.sluice === undefined ? 'down' : 'copy'}
        busy={busy !== null}
        notYet={redacted ? null : logsWords.redact}
        onPress={() => void save()}
      >
        {window.sluice === undefined ? logsWords.report : logsWords.copy}
      </Button>
      <Outcome outcome={outcome} />
    </div>
  );
}

function LinesForm({
  typed,
  onText,
  level,
  onLevel,
}: {
  typed: string;
  onText: (text: string) => void;
  level: LogLevel;
  onLevel: (level: LogLevel) => void;
}) {
  const id = useId();
  return (
    <form role="search" className="row mb-4" onSubmit={(event) => event.preventDefault()}>
      <div className="min-w-0 flex-[1_1_14rem]">
        <label className="sr" htmlFor={id}>
          {logsWords.find}
        </label>
        <input
          id={id}
          type="search"
          className="in"
          placeholder={logsWords.findHint}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => onText(event.currentTarget.value)}
        />
      </div>
      <fieldset className="seg">
        <legend className="sr">{logsWords.level}</legend>
        {logLevels.map((one) => (
          <label key={one}>
            <input type="radio" name={`${id}-level`} checked={level === one} onChange={() => onLevel(one)} />
            {logsWords.levels[one]}
          </label>
        ))}
      </fieldset>
    </form>
  );
}

const tones = { info: 'safe', warn: 'need', error: 'danger' } as const satisfies Record<LogLevel, Tone>;

const columns: readonly Column<Line>[] = [
  {
    key: 'time',
    head: logsWords.time,
    label: logsWords.time,
    cell: ({ time }) => (
      <span className="num nw">
        <Moment at={time} /> <span className="sr">, </span>
      </span>
    ),
  },
  {
    key: 'level',
    head: logsWords.how,
    cell: ({ level }) => <Status tone={tones[level]}>{logsWords.tones[level]}</Status>,
  },
  {
    key: 'what',
    head: logsWords.what,
    rowHead: true,
    whole: true,
    cell: ({ text, facts }) => (
      <>
        {text}
        <span className="sub mono break-all">
          {Object.entries(facts)
            .filter(([name]) => name !== 'swap' && name !== 'job')
            .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
            .join(' ')}
        </span>
      </>
    ),
  },
  {
    key: 'swap',
    head: logsWords.swap,
    label: logsWords.swap,
    cell: ({ swap }) =>
      swap === null ? null : (
        <a className="mono" href={hrefTo('logs', swap)} title={swap}>
          {swap.slice(0, 8)}
        </a>
      ),
  },
];
