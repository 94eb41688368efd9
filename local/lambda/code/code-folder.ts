import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

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
