import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Folders that are still in use. */
const inUse = new Set<string>();

/** A process that ends in an error closes nothing; its folders go all the same. */
function removeAll(): void {
  for (const folder of inUse) removeInlineFolder(folder);
}

/** Puts code that stands in a template into a folder of its own, until `removeInlineFolder`, or until the process ends. */
export function makeInlineFolder(source: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'dead-letter-office-'));
  if (inUse.size === 0) process.once('exit', removeAll);
  inUse.add(folder);
  writeFileSync(path.join(folder, 'index.js'), source);
  return folder;
}

export function removeInlineFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  inUse.delete(folder);
  if (inUse.size === 0) process.removeListener('exit', removeAll);
}
