import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from './package-root';

interface Manifest {
  readonly version: string;
  readonly repository: { readonly url: string };
}

/** The runbook as it was when this version was published, for the next one may name its sections otherwise. */
export function publishedRunbook(): string {
  const { version, repository }: Manifest = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8'));
  const home = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
  return `${home}/blob/v${version}/docs/runbook.md`;
}
