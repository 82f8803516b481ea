import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { Column } from './fold-table.tsx';

/** A long list of which only what is in sight is drawn; `total` is how many rows there are, drawn or not. */
export function VirtualTable<Row>({
  caption,
  columns,
  rows,
  keyOf,
  hot,
  total,
  rowHeight = 64,
  onEnd,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  hot?: (row: Row) => boolean;
  total: number;
  rowHeight?: number;
  /** The last row came into sight: there may be more. */
  onEnd?: () => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    getItemKey: (index) => (rows[index] === undefined ? index : keyOf(rows[index])),
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= 0 && last === rows.length - 1) onEnd?.();
  }, [last, rows.length, onEnd]);
  return (
    <div className="vt" ref={frame} tabIndex={0} role="region" aria-label={caption}>
      <div role="table" aria-label={caption} aria-rowcount={total + 1}>
        <div role="rowgroup" className="vt-head">
          <div role="row" aria-rowindex={1} className="vt-row">
            {columns.map((column) => (
              <div
                key={column.key}
                role="columnheader"
                aria-sort={column.sort}
                className={column.number === true ? 'n' : undefined}
              >
                {column.head}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="vt-body" style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, key, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                key={key}
                role="row"
                aria-rowindex={index + 2}
                data-index={index}
                ref={virtual.measureElement}
                className={`vt-row${hot?.(row) === true ? ' hot' : ''}`}
                style={{ transform: `translateY(${start}px)` }}
              >
                {columns.map((column) => (
                  <div
                    key={column.key}
                    role={column.rowHead === true ? 'rowheader' : 'cell'}
                    className={column.number === true ? 'n' : undefined}
                  >
                    {column.cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
