/** Bundles the benchmarks as the embedded AWS itself is bundled, and runs them. `npm run bench` builds first. */
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const outdir = path.join(root, 'dist/bench');

await build({
  absWorkingDir: root,
  entryPoints: ['test/bench/bench.ts', 'test/bench/http-load.worker.ts'],
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: ['aws-cdk-lib', 'constructs'],
  sourcemap: 'linked',
  logLevel: 'warning',
});
// The SDK's advice to upgrade Node is no figure of ours.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
await import(pathToFileURL(path.join(outdir, 'bench.js')).href);
