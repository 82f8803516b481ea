import { useCallback, useEffect, useState } from 'react';
import type { LogLevel, Logs } from '../../../engine/contract/owner/logs.ts';
import { client, useRecords } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';

/** What the lines are narrowed to. */
export interface LinesWanted {
  readonly text: string;
  readonly level: LogLevel;
  readonly redacted: boolean;
}

const pageSize = 200;

/** The newest lines, read anew whenever something happened, and older ones at a press. */
export function useLines(wanted: LinesWanted) {
  const changes = useRecords((state) => state.changes);
  const [read, setRead] = useState<{ of: LinesWanted; reply: Logs } | null>(null);
  const [older, setOlder] = useState<{ of: LinesWanted; pages: readonly Logs[] } | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const olderPages = older?.of === wanted ? older.pages : [];
  // Who reads further back does not want the lines to move away.
  const still = olderPages.length > 0;

  useEffect(() => {
    if (still) return undefined;
    let listening = true;
    client()
      .call('ownerLogs', { query: queryOf(wanted, null) })
      .then((reply) => {
        if (!listening) return;
        setRead({ of: wanted, reply });
        setTrouble(null);
      })
      .catch((error: unknown) => void (listening && setTrouble(troubleText(error))));
    return () => {
      listening = false;
    };
  }, [wanted, changes, still]);

  const first = read?.of === wanted ? read.reply : null;
  const last = olderPages.at(-1) ?? first;
  const next = last?.next_cursor ?? null;
  const more = useCallback(async () => {
    if (next === null) return;
    const reply = await client().call('ownerLogs', { query: queryOf(wanted, next) });
    setOlder((before) => ({ of: wanted, pages: [...(before?.of === wanted ? before.pages : []), reply] }));
  }, [wanted, next]);

  return {
    lines: first === null ? null : [first, ...olderPages].flatMap(({ lines }) => lines),
    dropped: next === null ? (last?.dropped ?? 0) : 0,
    more: next === null ? null : more,
    trouble,
  };
}

function queryOf({ text, level, redacted }: LinesWanted, cursor: string | null) {
  return {
    level,
    redacted: redacted ? ('true' as const) : ('false' as const),
    limit: pageSize,
    ...(text === '' ? {} : { q: text }),
    ...(cursor === null ? {} : { cursor }),
  };
}
