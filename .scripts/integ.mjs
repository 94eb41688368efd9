/** Bundles the integration tests of a real account, and runs them with the arguments given. `npm run integ` builds first. */
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const outfile = path.join(root, 'dist/integ/integ.js');

await build({
  absWorkingDir: root,
  entryPoints: ['test/integ/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: 'linked',
  logLevel: 'warning',
});
await import(pathToFileURL(outfile).href);
