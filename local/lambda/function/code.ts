import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unzipSync } from 'fflate';
import type { FunctionConfiguration } from './function-configuration';

/** The maximum size of a function's unpacked code, in bytes. */
const MOST_BYTES = 262_144_000;

/** The files of an archive, or the reason why it is rejected. */
type Unpacked =
  | { readonly kind: 'files'; readonly files: Readonly<Record<string, Uint8Array>> }
  | { readonly kind: 'problem'; readonly rule: string };

/**
 * Unpacks a `.zip` deployment package.
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
    return outside === undefined
      ? { kind: 'files', files }
      : problem(`must not contain paths outside of its folder: ${outside}`);
  } catch (error) {
    return problem(`must be a zip archive (${error instanceof Error ? error.message : String(error)})`);
  }
}

/** Whether a file name in an archive points outside of the archive's folder. */
function leadsOutside(name: string): boolean {
  return path.isAbsolute(name) || name.split(/[\\/]/).includes('..');
}

const problem = (rule: string): Unpacked => ({ kind: 'problem', rule });

/** The folders to delete when the process exits. */
const inUse = new Set<string>();

/** Runs when the process exits, so that folders are deleted even after an error. */
function removeAll(): void {
  for (const folder of inUse) removeCodeFolder(folder);
}

/**
 * Writes code from a template or an archive to a temporary folder. It exists until `removeCodeFolder` or the end of the
 * process.
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

/** The size and the hash of a function's code. */
interface CodeDigest {
  /** Base64. */
  readonly sha256: string;
  readonly bytes: number;
}

const digestsByFolder = new WeakMap<FunctionConfiguration, CodeDigest>();

/**
 * Returns the digest of a version's code. AWS hashes the uploaded archive. The embedded AWS has only a folder, so it
 * hashes the names and contents of the files, sorted by name.
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

/** Returns relative paths, with `/` on every operating system. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .sort();
}
