import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly key: string;
  readonly head: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Names the cell where the table is folded; left out where the cell speaks for itself. */
  readonly label?: string;
  /** The row's own name: read out before each of its cells. */
  readonly rowHead?: boolean;
  readonly number?: boolean;
  /** Takes the whole width where the table is folded. */
  readonly whole?: boolean;
  readonly sort?: 'ascending' | 'descending' | 'none';
}

/** Rows under one caption; under 720 px each becomes a small list. The roles are said, for folding takes them away. */
export function FoldTable<Row>({
  caption,
  columns,
  rows,
  keyOf,
  hot,
  empty,
  className = '',
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** A row in which money can be lost. */
  hot?: (row: Row) => boolean;
  /** Instead of rows, where there are none. */
  empty?: ReactNode;
  className?: string;
}) {
  if (rows.length === 0 && empty !== undefined) return empty;
  return (
    <div className="scroll">
      <table className={`fold ${className}`.trim()} role="table">
        <caption className="sr">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                role="columnheader"
                className={column.number === true ? 'n' : undefined}
                aria-sort={column.sort}
              >
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row" className={hot?.(row) === true ? 'hot' : undefined}>
              {columns.map((column) => (
                <Cell key={column.key} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const className = [column.number === true ? 'n' : '', column.whole === true ? 'whole' : ''].join(' ').trim();
  if (column.rowHead === true)
    return (
      <th scope="row" role="rowheader" className={className === '' ? undefined : className}>
        {column.cell(row)}
      </th>
    );
  return (
    <td role="cell" className={className === '' ? undefined : className} data-l={column.label}>
      <div>{column.cell(row)}</div>
    </td>
  );
}
