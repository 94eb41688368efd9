/**
 * Which folder may import which: the table of docs/architecture.md, as rules. `npm run lint` holds the tree to them.
 * Imports of types count too, so the import graph has no cycles at all.
 */

/** What each folder may import besides itself. `test/` and `docs/` may import anything. */
const FOLDERS = {
  policy: { folders: [], packages: [] },
  template: { folders: ['policy'], packages: [] },
  diagnosis: { folders: ['policy', 'template'], packages: [] },
  mover: { folders: ['policy'], packages: ['@aws-sdk/'] },
  account: {
    folders: ['policy', 'template', 'diagnosis', 'mover', 'fleet'],
    packages: ['node:', '@aws-sdk/', '@smithy/', '@aws-lambda-powertools/jmespath', 'diff'],
  },
  lib: { folders: ['policy', 'template', 'diagnosis'], packages: ['node:', 'aws-cdk-lib', 'constructs'] },
  fleet: { folders: ['policy'], packages: ['node:', '@aws-sdk/'] },
  lambda: { folders: ['policy', 'mover', 'fleet'], packages: ['node:', '@aws-sdk/', 'aws-lambda', 'ipaddr.js'] },
  consumer: { folders: ['policy'], packages: [] },
  local: {
    folders: ['policy', 'template'],
    // All but the SDK's clients are bundled into the embedded AWS: every user gets them, so a new one is weighed.
    packages: [
      'node:',
      '@aws-sdk/',
      '@smithy/',
      'ajv',
      'big.js',
      'dynalite',
      'fflate',
      'jsonpath-plus',
      'libphonenumber-js',
      'pure-rand',
      're2js',
      'tinyqueue',
      'yaml',
      'velocityjs',
    ],
  },
  console: {
    folders: ['policy', 'template', 'diagnosis', 'mover', 'account', 'fleet', 'local'],
    packages: ['node:', '@aws-sdk/', '@smithy/'],
  },
  examples: {
    folders: ['lib', 'consumer'],
    packages: ['node:', '@aws-sdk/', 'aws-lambda', 'aws-cdk-lib', 'constructs'],
  },
  bin: {
    folders: ['policy', 'template', 'diagnosis', 'mover', 'account', 'fleet', 'local', 'console', 'examples'],
    packages: [''],
  },
};

/** The services of the embedded AWS. */
const SERVICES =
  'apigateway|cloudformation|cloudwatch|ec2|events|firehose|iam|kms|lambda|logs|scheduler|secrets-manager|sns|sqs|ssm|sts';

/** What every service's resource types are made of. */
const RESOURCE_TYPES = '^local/cloudformation/(property-reader|resource-type)\\.ts$';

const NPM = ['npm', 'npm-dev', 'npm-peer', 'npm-optional'];

const escaped = text => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

const folderRules = Object.entries(FOLDERS).map(([folder, { folders }]) => ({
  name: `${folder}-imports-folders`,
  severity: 'error',
  comment: `${folder}/ may import ${folders.length > 0 ? folders.join(', ') : 'no other folder'}`,
  from: { path: `^${folder}/` },
  to: { path: '^[a-z]+/', pathNot: [folder, ...folders].map(it => `^${it}/`), dependencyTypesNot: [...NPM, 'core'] },
}));

const packageRules = Object.entries(FOLDERS)
  .filter(([, { packages }]) => !packages.includes(''))
  .map(([folder, { packages }]) => ({
    name: `${folder}-imports-packages`,
    severity: 'error',
    comment: `${folder}/ may import ${packages.length > 0 ? packages.join(', ') : 'no package'}`,
    from: { path: `^${folder}/` },
    to: {
      dependencyTypes: packages.includes('node:') ? NPM : [...NPM, 'core'],
      pathNot: packages.map(name => `node_modules/(@types/)?${escaped(name)}`),
    },
  }));

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'A file that two others need in turn holds two concepts, or a type that belongs to a third file.',
      from: {},
      to: { circular: true },
    },
    ...folderRules,
    ...packageRules,
    {
      name: 'the-page-is-apart',
      severity: 'error',
      comment: 'The server and the page meet only in console/api.ts.',
      from: { path: '^console/server/' },
      to: { path: '^console/browser/' },
    },
    {
      name: 'only-the-public-api-of-local',
      severity: 'error',
      comment: 'The console uses the embedded AWS as any program does.',
      from: { path: '^console/' },
      to: { path: '^local/', pathNot: '^local/index\\.ts$' },
    },
    {
      name: 'handlers-are-apart',
      severity: 'error',
      comment: 'A handler imports its own folder and lambda/shared/, never another handler.',
      from: { path: '^lambda/([^/]+)/' },
      to: { path: '^lambda/', pathNot: '^lambda/(shared|$1)/' },
    },
    {
      name: 'services-meet-in-the-simulation',
      severity: 'error',
      comment: 'A service of the embedded AWS calls another one through a port that local/place-services.ts connects.',
      from: { path: `^local/(${SERVICES})/`, pathNot: '/ports\\.ts$' },
      to: { path: `^local/(${SERVICES})/`, pathNot: ['^local/$1/', RESOURCE_TYPES] },
    },
    {
      name: 'ports-name-other-services',
      severity: 'error',
      comment: "Only ports.ts may name another service, and only by that service's index.ts.",
      from: { path: `^local/(${SERVICES})/ports\\.ts$` },
      to: { path: `^local/(${SERVICES})/`, pathNot: ['^local/$1/', `^local/(${SERVICES})/index\\.ts$`] },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // swc does not parse JSX here. Biome holds the page of the console to its imports (`noRestrictedImports`).
    exclude: { path: '^(test|docs|dist|console/browser)/' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'] },
  },
};
