import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const PACKAGE = 'dead-letter-office';
const BUILT = path.join('dist', 'local', 'function.worker.js');

/**
 * Where the built worker lies: below the package this code belongs to, whether it runs from the sources or is built.
 *
 * @throws Error when the package has not been built
 */
export function workerFile(from = __dirname): string {
  const root = packageRoot(from);
  const file = root && path.join(root, BUILT);
  if (file && existsSync(file)) return file;
  const where = file ?? `${BUILT} (no package.json of ${PACKAGE} above ${from})`;
  throw new Error(`The functions' worker is missing: ${where}. Build it with: npm run build`);
}

function packageRoot(folder: string): string | undefined {
  const file = path.join(folder, 'package.json');
  if (existsSync(file)) {
    const parsed: { readonly name?: unknown } = JSON.parse(readFileSync(file, 'utf8'));
    if (parsed.name === PACKAGE) return folder;
  }
  const parent = path.dirname(folder);
  return parent === folder ? undefined : packageRoot(parent);
}
