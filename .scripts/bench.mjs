/** Bundles the benchmarks as the embedded AWS itself is bundled, and runs them. `npm run bench` builds first. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const outdir = path.join(root, 'dist/bench');

/** What runs in a thread or a process of its own, and what is loaded there. */
const beside = readdirSync(path.join(root, 'test/bench'))
  .filter(file => /\.(child|lambda|worker)\.ts$/.test(file))
  .map(file => path.join('test/bench', file));

await build({
  absWorkingDir: root,
  entryPoints: ['test/bench/bench.ts', ...beside],
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: ['aws-cdk-lib', 'constructs'],
  sourcemap: 'linked',
  logLevel: 'warning',
});
// Hides the SDK's advice to upgrade Node.js, which would appear among the figures.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
await import(pathToFileURL(path.join(outdir, 'bench.js')).href);
