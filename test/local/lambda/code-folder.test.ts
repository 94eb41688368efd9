import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transformFileSync } from '@swc/core';
import { makeCodeFolder, removeCodeFolder } from '../../../local/lambda/function/code';

describe('a temporary folder for code', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'inline-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('exists until it is removed, independently of other folders', () => {
    const [one, other] = [makeCodeFolder({ 'index.js': '1;' }), makeCodeFolder({ 'index.js': '2;', 'lib/a.js': '3;' })];
    expect([one, other].map(it => readFileSync(path.join(it, 'index.js'), 'utf8'))).toEqual(['1;', '2;']);
    removeCodeFolder(one);
    expect(() => readdirSync(one)).toThrow('ENOENT');
    expect(readdirSync(other).sort()).toEqual(['index.js', 'lib']);
    expect(readFileSync(path.join(other, 'lib/a.js'), 'utf8')).toBe('3;');
    removeCodeFolder(other);
    expect(() => readdirSync(other)).toThrow('ENOENT');
  });

  test.each([
    ['ends', '', 0],
    ['ends in an error', "throw new Error('broken');", 1],
    ['exits', 'process.exit(3);', 3],
  ])('is deleted when the process %s', (_, end, exitStatus) => {
    const source = path.join(__dirname, '../../../local/lambda/function/code.ts');
    const module = { type: 'commonjs' } as const;
    const { code } = transformFileSync(source, { jsc: { parser: { syntax: 'typescript' } }, module });
    const script = path.join(folder, 'script.js');
    const count = `require('node:fs').readdirSync(${JSON.stringify(folder)}).length`;
    writeFileSync(
      script,
      `${code}\nconst listeners = () => process.listenerCount('exit');
removeCodeFolder(makeCodeFolder({ a: '1;' })); const before = listeners();
makeCodeFolder({ a: '1;' }); makeCodeFolder({ b: '2;' }); console.log(${count}, before, listeners());\n${end}`,
    );
    const NODE_PATH = path.join(__dirname, '../../../node_modules');
    const env = { PATH: process.env['PATH'], NODE_PATH, TMPDIR: folder };
    const { status, stdout } = spawnSync(process.execPath, [script], { env, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: exitStatus, stdout: '3 0 1\n' });
    expect(readdirSync(folder)).toEqual(['script.js']);
  });
});
