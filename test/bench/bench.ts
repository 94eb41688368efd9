import path from 'node:path';
import { figureOf, type Row } from './measure';

/** Measures the rows of a file, and sends each figure to the process that asked for them. */
async function main([, , file = '']: readonly string[]): Promise<void> {
  const { ROWS }: { ROWS: readonly Row[] } = require(path.join(__dirname, `${file}.js`));
  for (const row of ROWS) process.send?.(figureOf(await row()));
}

main(process.argv).catch(error => {
  console.error(error);
  process.exitCode = 1;
});
