import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';

/** Synthesizes into a temporary folder, and calls `look` before the folder is deleted. */
export async function synthesized<T>(fill: (app: App) => void, look: (assembly: string) => T | Promise<T>): Promise<T> {
  const outdir = mkdtempSync(path.join(tmpdir(), 'dlo-bench-'));
  try {
    const app = new App({ outdir, analyticsReporting: false });
    fill(app);
    app.synth();
    return await look(outdir);
  } finally {
    rmSync(outdir, { recursive: true });
  }
}
