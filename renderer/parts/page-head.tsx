import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

/** A page's first lines: where one came from, what this is, and at most one status or act beside it. */
export function PageHead({
  title,
  lead,
  back,
  children,
}: {
  title: ReactNode;
  lead?: ReactNode;
  back?: { readonly href: string; readonly label: string };
  children?: ReactNode;
}) {
  return (
    <header className="head">
      <div>
        {back === undefined ? null : (
          <a className="crumb" href={back.href}>
            <Icon name="left" />
            {back.label}
          </a>
        )}
        <h1>{title}</h1>
        {lead === undefined ? null : <p className="lead">{lead}</p>}
      </div>
      {children}
    </header>
  );
}
