/**
 * Builds what ships: jsii compiles `lib/` to `dist/lib`; esbuild bundles each Lambda handler, the embedded AWS, what
 * consumers use and the commands; the types of a library are rolled up into one file. `--no-jsii` builds the bundles alone, which is much
 * quicker.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { declarations, ROLLED_UP } from './declarations.mjs';
import { thirdPartyNotices } from './third-party-notices.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);

/** What every bundle shares: CommonJS for Node 20. Source maps stay here: only those of handlers are linked, and packed. */
const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  sourcemap: 'external',
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};

/**
 * What runs in `dist/bin` loads the constructs jsii compiled and the embedded AWS bundled beside it, as users do, not a
 * second copy of them.
 */
const builtRooms = {
  name: 'built-rooms',
  setup: plugin => {
    plugin.onResolve({ filter: /^dead-letter-office(\/consumer)?$/ }, ({ path: imported }) => ({
      path: imported.endsWith('/consumer') ? '../consumer/index.js' : '../lib/index.js',
      external: true,
    }));
    plugin.onResolve({ filter: /^(\.\.\/)+(lib|local)$/ }, ({ path: imported, resolveDir }) => {
      const room = path.basename(imported);
      const isRoom = path.resolve(resolveDir, imported) === path.join(root, room);
      return isRoom ? { path: `../${room}/index.js`, external: true } : null;
    });
  },
};

/** Data that is loaded on first use, by the constructs, the command and the embedded AWS: one file for all. */
const SHARED_DATA = 'template/access/managed-policies.json';

const sharedData = {
  name: 'shared-data',
  setup: plugin => {
    plugin.onResolve({ filter: /\/managed-policies\.json$/ }, () => ({ path: `../${SHARED_DATA}`, external: true }));
  },
};

function copySharedData() {
  const copy = path.join(root, 'dist', SHARED_DATA);
  mkdirSync(path.dirname(copy), { recursive: true });
  copyFileSync(path.join(root, SHARED_DATA), copy);
}

/** Packages that take long to load. Helps do without them, and most commands without some. */
const LIBRARY = /^(@(aws-lambda-powertools|aws-sdk|smithy)\/|yaml$|d3-)/;

/** Our modules that use a library as soon as they are loaded: they extend its classes. */
const EXTENDING = /\/one-attempt$/;

/** A module that loads another one when a member of it is first used. Bundles look up each member where they use it. */
const onFirstUse = loaded => ({
  contents: `module.exports = Object.create(
    new Proxy({}, { get: (_, name) => ${loaded}[name] }),
    { __esModule: { value: true } },
  );`,
  resolveDir: root,
});

/** `dlo.js` loads libraries when it first uses them: from `libraries.js`, in which they are loaded one by one. */
async function commandBundle() {
  const libraries = new Set();
  const LOADED = './libraries.js';
  const inLibraries = {
    name: 'in-libraries',
    setup: plugin => {
      plugin.onResolve({ filter: LIBRARY }, ({ path: name, importer }) => {
        if (importer.includes('node_modules')) return null;
        libraries.add(name);
        return { path: name, namespace: 'library' };
      });
      plugin.onLoad({ filter: /./, namespace: 'library' }, it =>
        onFirstUse(`require('${LOADED}')[${JSON.stringify(it.path)}]`),
      );
      plugin.onResolve({ filter: EXTENDING }, ({ path: file, importer, resolveDir, namespace }) =>
        namespace === 'extending' || importer === ''
          ? null
          : { path: path.join(resolveDir, file), namespace: 'extending' },
      );
      plugin.onLoad({ filter: /./, namespace: 'extending' }, it => onFirstUse(`require(${JSON.stringify(it.path)})`));
      plugin.onResolve({ filter: /^\.\/libraries\.js$/ }, () => ({ path: LOADED, external: true }));
    },
  };
  // Names of classes stay as they are. Short files are parsed faster.
  const options = { ...shared, minifySyntax: true, minifyWhitespace: true };
  const command = await build({
    ...options,
    entryPoints: ['bin/dlo.ts'],
    outdir: 'dist/bin',
    external: ['aws-cdk-lib', 'constructs'],
    // Shows publint that this is CommonJS. It takes a text that ends in the word import for the code of a module.
    footer: { js: 'module.exports = {};' },
    plugins: [builtRooms, sharedData, inLibraries],
  });
  const contents = [...libraries]
    .sort()
    .map(name => `get ${JSON.stringify(name)}() { return require(${JSON.stringify(name)}) },`);
  const loaded = await build({
    ...options,
    sourcemap: false,
    stdin: { contents: `module.exports = {\n${contents.join('\n')}\n};`, resolveDir: root },
    outfile: path.join('dist/bin', LOADED),
  });
  return [command, loaded];
}

/** The folders that jsii compiles file by file. */
const COMPILED = ['diagnosis', 'lib', 'policy', 'template'];

/** Files below `folder` whose names end in `suffix`, relative to the root. */
function filesEnding(folder, suffix) {
  return readdirSync(path.join(root, folder), { recursive: true })
    .filter(file => file.endsWith(suffix))
    .map(file => path.join(folder, file));
}

/**
 * `lambda/<room>/<name>.lambda.ts` becomes `dist/lambda/<name>/index.js`: a folder a function, ready to be an asset. The
 * SDK's clients are taken as modules, of which only what is used goes in, and without their chain of credentials.
 */
function handlerBundle(entry) {
  const name = path.basename(entry, '.lambda.ts');
  return build({
    ...shared,
    entryPoints: [entry],
    outfile: `dist/lambda/${name}/index.js`,
    // A stack trace names our lines.
    sourcemap: 'linked',
    minify: true,
    // Logs name errors by their class, and code compares the names of errors.
    keepNames: true,
    // The embedded AWS runs code without `import()` from what V8 compiled earlier.
    supported: { 'dynamic-import': false },
    mainFields: ['module', 'main'],
    alias: { '@aws-sdk/credential-provider-node': './lambda/shared/function-credentials.ts' },
  });
}

/** `<name>.process.ts` becomes `dist/process/<name>/index.js`, for a process on an instance. */
function processBundle(entry) {
  const outfile = `dist/process/${path.basename(entry, '.process.ts')}/index.js`;
  const alias = { 'dead-letter-office/consumer': './consumer/index.ts' };
  return build({
    ...shared,
    entryPoints: [entry],
    outfile,
    minify: true,
    keepNames: true,
    sourcemap: false,
    mainFields: ['module', 'main'],
    alias,
  });
}

/** The page of the console: one script, one style sheet, and the documents as they are. */
function pageBundle() {
  const folder = 'console/browser';
  return build({
    ...shared,
    entryPoints: [
      { in: `${folder}/main.tsx`, out: 'console' },
      { in: `${folder}/console.css`, out: 'console' },
      ...['index.html', 'signed-out.html', 'icon.svg'].map(file => ({
        in: `${folder}/${file}`,
        out: path.basename(file, path.extname(file)),
      })),
    ],
    outdir: 'dist/console',
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    format: 'iife',
    minify: true,
    sourcemap: false,
    loader: { '.html': 'copy', '.svg': 'copy' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
}

/** The rooms that users import and may bundle, each as CommonJS and as a module. */
const MODULES = { consumer: 'consumer', fleet: 'fleet', matchers: 'local/matchers' };

function moduleBundles() {
  return Object.entries(MODULES).flatMap(([room, source]) => {
    const options = { ...shared, entryPoints: [`${source}/index.ts`], outdir: `dist/${room}` };
    const asModule = {
      format: 'esm',
      outExtension: { '.js': '.mjs' },
      mainFields: ['module', 'main'],
      sourcemap: false,
    };
    return [build(options), build({ ...options, ...asModule })];
  });
}

/**
 * The embedded AWS as a module. It loads its CommonJS where it is installed, and bundlers leave that to the run time: only there
 * the embedded AWS finds its worker.
 */
const LOCAL_MODULE = 'dist/local/index.mjs';

function writeLocalModule() {
  const names = Object.keys(require(path.join(root, 'dist/local/index.js')))
    .sort()
    .join(', ');
  const lines = [
    "import { createRequire } from 'node:module';",
    "const load = createRequire(typeof __filename === 'string' ? __filename : import.meta.url);",
    `export const { ${names} } = load('dead-letter-office/local');`,
  ];
  writeFileSync(path.join(root, LOCAL_MODULE), `${lines.join('\n')}\n`);
}

/** What an older build left behind must not be packed, or deployed. A build that fails leaves all of it in place. */
function removeAllBut(outputs) {
  const types = ROLLED_UP.flatMap(room => ['ts', 'mts'].map(it => path.join('dist', room, `index.d.${it}`)));
  const keep = new Set([...[...outputs, LOCAL_MODULE].map(path.normalize), ...types]);
  for (const room of ['bin', 'console', 'consumer', 'fleet', 'lambda', 'local', 'matchers', 'process']) {
    for (const file of filesEnding(path.join('dist', room), '')) {
      const whole = path.join(root, file);
      if (!keep.has(file) && statSync(whole).isFile()) rmSync(whole);
    }
  }
}

/** A room whose file became a folder would still be the old file: `./alarms` is `alarms.js` before it is `alarms/index.js`. */
function removeCompiledWithoutSource() {
  for (const folder of COMPILED.filter(folder => existsSync(path.join(root, 'dist', folder)))) {
    for (const suffix of ['.js', '.d.ts']) {
      for (const file of filesEnding(path.join('dist', folder), suffix)) {
        const source = `${path.relative('dist', file).slice(0, -suffix.length)}.ts`;
        if (!existsSync(path.join(root, source))) rmSync(path.join(root, file));
      }
    }
  }
}

async function bundles() {
  copySharedData();
  const workers = filesEnding('local', '.worker.ts');
  const results = await Promise.all([
    ...['lambda', 'examples'].flatMap(folder => filesEnding(folder, '.lambda.ts')).map(handlerBundle),
    ...filesEnding('examples', '.process.ts').map(processBundle),
    build({
      ...shared,
      entryPoints: ['local/index.ts', ...workers],
      outdir: 'dist/local',
      entryNames: '[name]',
      // dynalite's rules come with its stores, which are not used, and one of which is native code.
      alias: { level: 'memory-level' },
      plugins: [sharedData],
    }),
    ...moduleBundles(),
    pageBundle(),
    build({
      ...shared,
      entryPoints: ['bin/app.ts'],
      outdir: 'dist/bin',
      packages: 'external',
      plugins: [builtRooms],
    }),
    commandBundle(),
  ]);
  const metafiles = results.flat().map(({ metafile }) => metafile);
  writeLocalModule();
  removeAllBut(metafiles.flatMap(({ outputs }) => Object.keys(outputs)));
  const notices = thirdPartyNotices(root, metafiles);
  writeFileSync(path.join(root, 'dist/THIRD-PARTY-NOTICES'), notices);
}

function jsii() {
  removeCompiledWithoutSource();
  const compiler = require.resolve('jsii/bin/jsii');
  const env = { ...process.env, JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION: '20' };
  // jsii wants the oldest CDK of `peerDependencies` in `devDependencies`. cdk-nag and cdk-preflight, which the tests use,
  // need a newer one, so `npm run check:oldest` checks the oldest.
  const options = ['--generate-tsconfig', 'tsconfig.jsii.json', '--silence-warnings', 'missing-dev-dependency'];
  const child = spawn(process.execPath, [compiler, ...options], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', code => (code === 0 ? resolve() : reject(new Error(`jsii ended with ${code}`))));
  });
}

try {
  const withTypes = async () => {
    await bundles();
    await declarations(root);
  };
  await Promise.all(process.argv.includes('--no-jsii') ? [bundles()] : [withTypes(), jsii()]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
