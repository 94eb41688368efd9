import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PublishedPackage } from '../../diagnosis/published-guides';

/** package.json of this package. It is two folders above this file and above the bundle `dist/bin/dlo.js`. */
const MANIFEST = path.join(__dirname, '../../package.json');

export function ownManifest(): PublishedPackage {
  return JSON.parse(readFileSync(MANIFEST, 'utf8'));
}
