import { useEffect, useRef, type ReactNode } from 'react';
import { Unreachable } from '../parts/empty.tsx';
import { useHeardAt } from '../stores/reached.ts';
import { useRecords } from '../stores/records.ts';
import { words } from '../words/words.ts';
import { Away } from './away.tsx';
import type { RailFacts } from './pages.ts';
import { Rail } from './rail.tsx';

/** The frame of every page: skip link, stripe of the sandbox, rail, and what the page says. */
export function Shell({
  current,
  facts,
  wide,
  children,
}: {
  current: string;
  facts: RailFacts;
  wide: boolean;
  children: ReactNode;
}) {
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) first.current = false;
    else main.current?.focus({ preventScroll: true });
  }, [current]);
  return (
    <>
      {/* The address is the page's: the link moves the focus and leaves it alone. */}
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {words.shell.skip}
      </a>
      <div className="app">
        {facts.sandbox ? (
          <aside className="playbar" aria-label={words.shell.sandbox}>
            {words.shell.sandboxStripe}
          </aside>
        ) : null}
        <Rail current={current} facts={facts} />
        <main className="main" id="main" tabIndex={-1} ref={main}>
          <div className={wide ? 'page wide' : 'page'}>
            <Trouble />
            {/* The board says it among its own alerts. */}
            {current === 'board' ? null : <Away />}
            {children}
          </div>
        </main>
      </div>
    </>
  );
}

function Trouble() {
  const trouble = useRecords((state) => state.trouble);
  const never = useRecords((state) => state.readAt === null);
  const heardAt = useHeardAt();
  return trouble === null ? null : (
    <div className="mb-6">
      <Unreachable sentence={trouble} heardAt={never ? null : heardAt} />
    </div>
  );
}
