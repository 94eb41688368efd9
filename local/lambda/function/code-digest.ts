import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FunctionConfiguration } from './function-configuration';

/** How large a function's code is, and which code it is. */
export interface CodeDigest {
  /** Base64. */
  readonly sha256: string;
  readonly bytes: number;
}

const digestsByFolder = new WeakMap<FunctionConfiguration, CodeDigest>();

/**
 * The digest of a version's code. AWS takes it of the archive that was uploaded; here the files lie in a folder, and by
 * our choice it is that of their names and contents, in the order of the names.
 */
export function digestOf(configuration: FunctionConfiguration): CodeDigest {
  const before = digestsByFolder.get(configuration);
  if (before) return before;
  const digest = readDigest(configuration.folder);
  digestsByFolder.set(configuration, digest);
  return digest;
}

function readDigest(folder: string): CodeDigest {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const name of filesIn(folder)) {
    const content = readFileSync(path.join(folder, name));
    hash.update(`${name}\0${content.byteLength}\0`).update(content);
    bytes += content.byteLength;
  }
  return { sha256: hash.digest('base64'), bytes };
}

/** Relative paths, with `/` on every machine. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .sort();
}
