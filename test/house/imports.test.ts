import path from 'node:path';
import { importsOf } from './imports-of';
import { parsed, type SourceFile, sourceFiles } from './source-files';

/** What is bundled into the embedded AWS beside the SDK's clients: every user gets it, so a new one is weighed. */
const SMALL_LIBRARIES =
  /^(ajv|ajv-draft-04|ajv-formats|fflate|jsonpath-plus|libphonenumber-js|pure-rand|re2js|tinyqueue|velocityjs)(\/|$)/;

/** `rooms` are the folders of ours a room may import; `packages` what it may take from outside. */
const TABLE = [
  { room: 'lib/policy', rooms: [], packages: [] },
  { room: 'lib', rooms: ['lib/policy'], packages: [/^aws-cdk-lib(\/|$)/, /^constructs$/, /^node:/] },
  { room: 'lambda', rooms: ['lib/policy'], packages: [/^@aws-sdk\//, /^aws-lambda$/, /^node:/] },
  { room: 'consumer', rooms: ['lib/policy'], packages: [] },
  { room: 'local', rooms: ['lib/policy'], packages: [/^node:/, /^@aws-sdk\//, /^@smithy\//, SMALL_LIBRARIES] },
  { room: 'bin', rooms: ['lib/policy', 'lib', 'lambda', 'local'], packages: [/.*/] },
] as const;

const ROOMS = TABLE.map(({ room }) => room);

/** The innermost room a file belongs to. */
function roomOf(file: string): string | undefined {
  return ROOMS.find(room => file === room || file.startsWith(`${room}/`));
}

function violations(file: SourceFile): string[] {
  const rules = TABLE.find(({ room }) => room === roomOf(file.path));
  if (!rules) return [`${file.path} is in no room`];
  return importsOf(file)
    .filter(({ specifier }) => !isAllowed(file.path, specifier, rules))
    .map(({ specifier }) => `${file.path} imports ${specifier}`);
}

function isAllowed(from: string, specifier: string, rules: (typeof TABLE)[number]): boolean {
  if (!specifier.startsWith('.')) return rules.packages.some(pattern => pattern.test(specifier));
  const file = path.posix.join(path.posix.dirname(from), specifier);
  const target = roomOf(file);
  if (target === 'lambda' && rules.room === 'lambda') return isOfOneHandler(from, file);
  return target !== undefined && (target === rules.room || rules.rooms.some(room => room === target));
}

/** A handler knows itself and what all of them share, and no other handler. */
function isOfOneHandler(from: string, target: string): boolean {
  const [handler, other] = [from, target].map(file => file.split('/')[1]);
  return other === handler || other === 'shared';
}

describe('rooms', () => {
  test.each(['lib', 'lambda', 'local', 'consumer', 'bin'])('%s imports only what the table of rooms allows', folder => {
    const files = sourceFiles(folder);
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap(violations)).toEqual([]);
  });

  test.each([
    ['lib/policy/a.ts', "import { x } from 'node:fs';"],
    ['lib/policy/a.ts', "export * from '../durable-topic';"],
    ['lib/a.ts', "import type { Clock } from '../local/kernel/clock';"],
    ['lambda/relay/a.ts', "type T = import('../../lib/a').T;"],
    ['lambda/relay/a.ts', "import { order } from '../rental-billing/order';"],
    ['lambda/shared/a.ts', "import { order } from '../rental-billing/order';"],
    ['consumer/a.ts', "import { SQS } from '@aws-sdk/client-sqs';"],
    ['local/sqs/a.ts', "import { Stack } from 'aws-cdk-lib';"],
    ['local/sqs/a.ts', "const handler = require('../../lambda/relay/relay');"],
    ['local/sqs/a.ts', "const cdk = import('aws-cdk-lib/core');"],
    ['local/sqs/a.ts', "import { chunk } from 'lodash';"],
    ['local/sqs/a.ts', "import { parse } from 'ajv-errors';"],
  ])('%s may not say: %s', (where, text) => {
    expect(violations(parsed(where, text))).toHaveLength(1);
  });
});
