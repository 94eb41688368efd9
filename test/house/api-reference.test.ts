import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from './source-files';

describe('the API reference', () => {
  test('says what the docstrings say; one that does not is called stale, with what to do about it', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'dlo-api-'));
    const stale = path.join(folder, 'API.md');
    writeFileSync(stale, '# API Reference\n');
    const script = path.join(ROOT, '.scripts', 'api-reference.mjs');
    const checked = spawnSync(process.execPath, [script, '--check', 'docs/API.md', stale], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    expect(checked).toMatchObject({ stderr: `${stale} is stale: run npm run docs\n`, status: 1 });
  });
});
