import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unzipSync } from 'fflate';
import type { FunctionConfiguration } from './function-configuration';

/** Bytes the code of a function may have once it is unpacked. */
const MOST_BYTES = 262_144_000;

/** The files in an archive, or why it cannot be one of code. */
export type Unpacked =
  | { readonly kind: 'files'; readonly files: Readonly<Record<string, Uint8Array>> }
  | { readonly kind: 'problem'; readonly rule: string };

/**
 * Unpacks a `.zip` as Lambda does with one it is given.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export function unpack(archive: Uint8Array): Unpacked {
  let bytes = 0;
  try {
    const files = unzipSync(archive, {
      filter: ({ name, originalSize }) => {
        bytes += originalSize;
        return bytes < MOST_BYTES && !name.endsWith('/');
      },
    });
    if (bytes >= MOST_BYTES) return problem(`is refused (Unzipped size must be smaller than ${MOST_BYTES} bytes)`);
    const outside = Object.keys(files).find(leadsOutside);
    return outside === undefined ? { kind: 'files', files } : problem(`must not lead out of its folder: ${outside}`);
  } catch (error) {
    return problem(`must be a zip archive (${error instanceof Error ? error.message : String(error)})`);
  }
}

/** Whether a name in an archive names something elsewhere on this machine. */
function leadsOutside(name: string): boolean {
  return path.isAbsolute(name) || name.split(/[\\/]/).includes('..');
}

const problem = (rule: string): Unpacked => ({ kind: 'problem', rule });

/** Folders that are still in use. */
const inUse = new Set<string>();

/** A process that ends in an error closes nothing; its folders go all the same. */
function removeAll(): void {
  for (const folder of inUse) removeCodeFolder(folder);
}

/**
 * Puts code that lies in no folder, but in a template or an archive, into one of its own, until `removeCodeFolder`, or
 * until the process ends.
 *
 * @param files contents by relative path, with `/`
 */
export function makeCodeFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'dead-letter-office-'));
  if (inUse.size === 0) process.once('exit', removeAll);
  inUse.add(folder);
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

export function removeCodeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  inUse.delete(folder);
  if (inUse.size === 0) process.removeListener('exit', removeAll);
}

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
