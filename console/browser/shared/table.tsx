import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly heading: string;
  /** What stands next to each cell on a narrow screen. @default - the heading */
  readonly label?: string;
  /** Whether the cells are numbers, which stand on the right. @default false */
  readonly isNumber?: boolean;
  /** More classes of the cells. @default - none */
  readonly class?: string;
  /** The title of a cell. @default - none */
  readonly title?: (row: Row) => string;
  /** The content of a cell. A narrow screen leaves null out. */
  readonly cell: (row: Row) => ComponentChildren;
}

export interface TableProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** The class of a row. @default - none */
  readonly rowClass?: (row: Row) => string;
  /** Another class of the table. @default - none */
  readonly class?: string;
}

export function Table<Row>({ columns, rows, keyOf, rowClass, class: more = '' }: TableProps<Row>) {
  return (
    <div class="table-scroll">
      <table class={`rows ${more}`}>
        <thead>
          <tr>
            {columns.map(({ heading, isNumber }) => (
              <th key={heading} scope="col" class={isNumber ? 'number' : undefined}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={keyOf(row)} class={rowClass?.(row)}>
              {columns.map(column => (
                <Cell key={column.heading} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const { heading, label = heading, isNumber, class: more = '', title, cell } = column;
  const content = cell(row);
  if (content === null) return <td class="wide-only" />;
  return (
    <td data-label={label} class={isNumber ? `number ${more}` : more} title={title?.(row)}>
      {content}
    </td>
  );
}
