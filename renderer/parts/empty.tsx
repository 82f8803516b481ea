import { useEffect, useState, type ReactNode } from 'react';
import { momentText } from '../format/moment.ts';
import { words } from '../words/words.ts';
import { Icon, type IconName } from './icon.tsx';
import { Note } from './note.tsx';

/** Nothing is here: what would be, and one thing to do. */
export function Empty({
  icon,
  title,
  children,
  action,
  alone = false,
}: {
  icon: IconName;
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  /** It is all that the page says, and its heading. */
  alone?: boolean;
}) {
  const Heading = alone ? 'h1' : 'h2';
  return (
    <div className="empty">
      <Icon name={icon} />
      <Heading>{title}</Heading>
      <p>{children}</p>
      {action === undefined ? null : <div className="row">{action}</div>}
    </div>
  );
}

const afterMs = 300;
const widths = ['w-3/4', 'w-1/2', 'w-2/3', 'w-5/12', 'w-7/12'];

/** Grey bars where the rows will be, once it takes longer than a blink. */
export function Loading({ rows = 3 }: { rows?: number }) {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), afterMs);
    return () => clearTimeout(timer);
  }, []);
  if (!slow) return null;
  return (
    <div aria-busy="true">
      <p role="status" className="sr">
        {words.parts.loading}
      </p>
      <div className="stack" aria-hidden="true">
        {Array.from({ length: rows }, (_, row) => (
          <span key={row} className={`sk ${widths[row % widths.length]}`} />
        ))}
      </div>
    </div>
  );
}

/** The node did not answer: when it was last heard, and that nothing is lost by waiting. */
export function Unreachable({ sentence, heardAt }: { sentence: string; heardAt: number | null }) {
  return (
    <Note tone="need" title={words.parts.unreachable} alert>
      {sentence} {words.parts.unreachableMeans} {heardAt === null ? '' : words.parts.lastHeard(momentText(heardAt))}
    </Note>
  );
}
