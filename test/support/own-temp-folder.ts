import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Gives all tests a temp folder of their own, which is deleted at the end. Jest's workers inherit the environment. */
export default function ownTempFolder(): void {
  process.env['DLO_TEST_FOLDER'] = mkdtempSync(path.join(tmpdir(), 'dlo-tests-'));
  process.env['TMPDIR'] = process.env['DLO_TEST_FOLDER'];
}
