/**
 * Writes `dist/<room>/index.d.ts`: the types of `dead-letter-office/<room>` in one file, and `index.d.mts`, which has the same for modules. An import from another package is
 * an error: its users would have to install what only we need.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';

/** The rooms whose types are rolled up; jsii writes those of `lib`. */
export const ROLLED_UP = ['consumer', 'fleet', 'local', 'matchers'];

/** The folder of a room's sources. */
const sourceOf = room => (room === 'matchers' ? 'local/matchers' : room);

const QUIET = { default: { logLevel: 'none' } };

/** @param root the folder of package.json */
export async function declarations(root) {
  const dist = path.join(root, 'dist');
  mkdirSync(dist, { recursive: true });
  // Below `dist`, so that the compiler finds the packages the types come from.
  const folder = mkdtempSync(path.join(dist, 'declarations-'));
  try {
    const project = path.join(folder, 'tsconfig.json');
    writeFileSync(project, JSON.stringify(tsconfig(root, folder)));
    await run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '--project', project]);
    for (const room of ROLLED_UP) {
      rollUp(root, folder, room);
      writeFileSync(path.join(root, 'dist', room, 'index.d.mts'), "export * from './index.js';\n");
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tsconfig(root, folder) {
  return {
    extends: path.join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      stripInternal: true,
      types: ['node'],
      typeRoots: [path.join(root, 'node_modules/@types')],
      rootDir: root,
      outDir: folder,
    },
    // Types of packages that have none.
    include: [path.join(root, 'local/**/*.d.ts')],
    files: ROLLED_UP.map(room => path.join(root, sourceOf(room), 'index.ts')),
  };
}

function rollUp(root, folder, room) {
  const rolledUp = path.join(root, 'dist', room, 'index.d.ts');
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: path.join(root, 'package.json'),
    configObjectFullPath: path.join(folder, 'api-extractor.json'),
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: path.join(folder, sourceOf(room), 'index.d.ts'),
      compiler: { tsconfigFilePath: path.join(folder, 'tsconfig.json'), overrideTsconfig: compilerOf(folder, room) },
      apiReport: { enabled: false },
      docModel: { enabled: false },
      tsdocMetadata: { enabled: false },
      dtsRollup: { enabled: true, untrimmedFilePath: rolledUp },
      messages: {
        compilerMessageReporting: { default: { logLevel: 'error' } },
        extractorMessageReporting: QUIET,
        tsdocMessageReporting: QUIET,
      },
    },
  });
  const problems = [];
  const { succeeded } = Extractor.invoke(config, {
    localBuild: true,
    messageCallback: message => {
      message.handled = true;
      if (message.logLevel === 'error') problems.push(`${message.text} (${message.sourceFilePath ?? 'no file'})`);
    },
  });
  problems.push(...(readFileSync(rolledUp, 'utf8').match(/^import .*$/gm) ?? []));
  if (!succeeded || problems.length > 0) {
    throw new Error([`The types of dead-letter-office/${room} do not stand by themselves:`, ...problems].join('\n'));
  }
}

const compilerOf = (folder, room) => ({
  compilerOptions: { target: 'es2022', lib: ['es2023'], types: ['node'], module: 'preserve', skipLibCheck: true },
  files: [path.join(folder, sourceOf(room), 'index.d.ts')],
});

function run(command, args) {
  const child = spawn(command, args, { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', code => (code === 0 ? resolve() : reject(new Error(`${args[0]} ended with ${code}`))));
  });
}
