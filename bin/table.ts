/** A column of a table: its heading, and what stands in it for each row. */
export interface Column<Row> {
  readonly heading: string;
  readonly align: 'left' | 'right';
  cell(row: Row): string;
}

/** Lines of text in which each column is as wide as its widest cell. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly string[] {
  const cells = [columns.map(({ heading }) => heading), ...rows.map(row => columns.map(column => column.cell(row)))];
  const widths = columns.map((_, i) => Math.max(...cells.map(line => line[i]?.length ?? 0)));
  return cells.map(line =>
    columns
      .map(({ align }, i) => {
        const cell = line[i] ?? '';
        const width = widths[i] ?? 0;
        return align === 'right' ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
