import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { handlerCode } from '../../lib/shared/own-functions/handler-code';
import { packageRoot } from '../../lib/shared/package-root';

describe('The code of a handler', () => {
  test('is looked for in this package, wherever the constructs run from', () => {
    const root = packageRoot();
    expect(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).name).toBe('dead-letter-office');
    expect(packageRoot(path.join(root, 'dist', 'lib'))).toBe(root);
  });

  test('is found in an installed package, past the project it is installed in', () => {
    const project = mkdtempSync(path.join(tmpdir(), 'project-'));
    const installed = path.join(project, 'node_modules', 'dead-letter-office');
    mkdirSync(path.join(installed, 'dist', 'lib', 'private'), { recursive: true });
    writeFileSync(path.join(project, 'package.json'), '{"name":"somebody-elses-app"}');
    writeFileSync(path.join(installed, 'package.json'), '{"name":"dead-letter-office"}');
    expect(packageRoot(path.join(installed, 'dist', 'lib', 'private'))).toBe(installed);
  });

  test('cannot be found outside the package, and the error says so', () => {
    expect(() => packageRoot(tmpdir())).toThrow('is the package dead-letter-office');
  });

  test('that was never built is a clear error', () => {
    expect(() => handlerCode('no-such-handler')).toThrow(
      /bundle of handler 'no-such-handler' is missing from .*: run npm run build/,
    );
  });
});
