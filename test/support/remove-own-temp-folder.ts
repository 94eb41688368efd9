import { rmSync } from 'node:fs';

/** What `own-temp-folder.ts` made. */
export default function removeOwnTempFolder(): void {
  const folder = process.env['DLO_TEST_FOLDER'];
  if (folder !== undefined) rmSync(folder, { recursive: true });
}
