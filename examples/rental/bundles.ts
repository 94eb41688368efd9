import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * The bundle of a function or a process of the example. This code itself runs from source, and bundled into `dist/bin`, so
 * the file is searched for upward.
 */
export function bundleFile(kind: 'lambda' | 'process', name: string, from: string = __dirname): string {
  const bundle = path.join(from, 'dist', kind, name, 'index.js');
  if (existsSync(bundle)) return bundle;
  const parent = path.dirname(from);
  if (parent === from) throw new Error(`no folder above ${__dirname} has dist/${kind}/${name}: run npm run build`);
  return bundleFile(kind, name, parent);
}
