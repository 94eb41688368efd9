import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { workerFile } from '../../../local/lambda/environment/function-thread';

describe('the built worker', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'package-'));
    mkdirSync(path.join(root, 'dist', 'local'), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const isPackage = (name: string): void => writeFileSync(path.join(root, 'package.json'), JSON.stringify({ name }));

  test('is found below the package, from wherever in it', () => {
    isPackage('dead-letter-office');
    const file = path.join(root, 'dist', 'local', 'function.worker.js');
    writeFileSync(file, '');
    expect(workerFile(path.join(root, 'local', 'lambda', 'world'))).toBe(file);
    expect(workerFile(path.join(root, 'dist', 'local'))).toBe(file);
  });

  test('that is missing is named, with the way to build it', () => {
    isPackage('dead-letter-office');
    expect(() => workerFile(root)).toThrow(/function\.worker\.js\. Build it with: npm run build$/);
  });

  test('is that of the installed package, if a bundle of another package contains this code', () => {
    isPackage('another-package');
    const installed = path.join(root, 'node_modules', 'dead-letter-office');
    const file = path.join(installed, 'dist', 'local', 'function.worker.js');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '');
    expect(workerFile(root, name => path.join(root, 'node_modules', name))).toBe(file);
  });

  test('is not looked for in another package', () => {
    isPackage('another-package');
    const error = `no package.json of dead-letter-office above ${root}, and it is not installed`;
    expect(() => workerFile(root, () => undefined)).toThrow(error);
  });
});
