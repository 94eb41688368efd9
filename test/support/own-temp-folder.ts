import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Jest's workers inherit the environment: whatever tests, and what they test, leave in the temp folder goes in the end. */
export default function ownTempFolder(): void {
  process.env['DLO_TEST_FOLDER'] = mkdtempSync(path.join(tmpdir(), 'dlo-tests-'));
  process.env['TMPDIR'] = process.env['DLO_TEST_FOLDER'];
}
