import { createRequire } from 'node:module';
import path from 'node:path';
import { isObject } from './json';

/** Where packages are looked for: the user's project, and our own dependencies. */
const FOLDERS: readonly string[] = [process.cwd(), __dirname];

/**
 * Finds the file that `require(name)` would load in the user's project, or here.
 *
 * @returns undefined when the package is not installed
 */
export function installedFile(name: string): string | undefined {
  for (const folder of FOLDERS) {
    const file = resolvedFrom(folder, name);
    if (file !== undefined) return file;
  }
  return undefined;
}

function resolvedFrom(folder: string, name: string): string | undefined {
  try {
    return createRequire(path.join(folder, 'package.json')).resolve(name);
  } catch (error) {
    if (isMissing(error, name)) return undefined;
    throw error;
  }
}

/** Whether the package itself is missing, and not one of its dependencies. Test runners throw errors of another realm. */
export function isMissing(error: unknown, name: string): boolean {
  if (!isObject(error) || !('code' in error)) return false;
  return error['code'] === 'MODULE_NOT_FOUND' && String(error['message']).includes(`'${name}'`);
}
