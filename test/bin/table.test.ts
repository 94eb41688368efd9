import { type Column, table } from '../../bin/table';

const COLUMNS: readonly Column<{ name: string; count: number }>[] = [
  { heading: 'name', align: 'left', cell: ({ name }) => name },
  { heading: 'n', align: 'right', cell: ({ count }) => String(count) },
  { heading: 'note', align: 'left', cell: ({ count }) => (count > 1 ? 'many' : '') },
];

test('a table makes each column as wide as its widest cell, and leaves no space at the end of a line', () => {
  const rows = [
    { name: 'a', count: 1 },
    { name: 'longest', count: 100 },
  ];
  expect(table(COLUMNS, rows)).toEqual(['name       n  note', 'a          1', 'longest  100  many']);
});

test('a table without rows is its headings', () => {
  expect(table(COLUMNS, [])).toEqual(['name  n  note']);
});
