/**
 * Moves the changelog's Unreleased section under the version of package.json, with today's date. `npm version` runs it after
 * it has set the version and before it commits. Fails if nothing is listed as unreleased.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const file = path.join(root, 'CHANGELOG.md');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

const UNRELEASED = '## [Unreleased]\n';

const changelog = readFileSync(file, 'utf8');
const [before, after] = changelog.split(UNRELEASED);
const [section = ''] = after?.split(/^## /m) ?? [];
if (after === undefined || section.trim() === '') {
  console.error(`CHANGELOG.md must list the changes of ${version} below "${UNRELEASED.trim()}"`);
  process.exit(1);
}
const today = new Date().toISOString().slice(0, 10);
writeFileSync(file, `${before}${UNRELEASED}\n## [${version}] - ${today}\n${after}`);
