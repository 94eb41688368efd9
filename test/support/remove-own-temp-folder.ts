import { rmSync } from 'node:fs';

/** Deletes the folder that `own-temp-folder.ts` created. */
export default function removeOwnTempFolder(): void {
  const folder = process.env['DLO_TEST_FOLDER'];
  if (folder !== undefined) rmSync(folder, { recursive: true });
}
