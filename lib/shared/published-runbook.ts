import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from './package-root';

interface Manifest {
  readonly version: string;
  readonly repository: { readonly url: string };
}

function manifest(): Manifest {
  return JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8'));
}

/** A guide as it was when this version was published, for the next one may name its sections otherwise. */
function publishedGuide(file: string): string {
  const { version, repository } = manifest();
  const home = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
  return `${home}/blob/v${version}/docs/${file}`;
}

export function publishedRunbook(): string {
  return publishedGuide('runbook.md');
}

/** The section on a check, by the id of what it finds. */
export function publishedCheck(id: string): string {
  return `${publishedGuide('doctor.md')}#${id}`;
}

/** The version of this package. */
export function packageVersion(): string {
  return manifest().version;
}
