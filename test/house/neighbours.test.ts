import path from 'node:path';
import { type Import, importsOf } from './imports-of';
import { parsed, type SourceFile, sourceFiles } from './source-files';

/** Folders of the embedded AWS that know no service, and that every service may know. */
const LEAVES = ['kernel', 'network', 'policy-document', 'event-pattern', 'schedule-expression', 'event-delivery'];

/** What a resource type is made of; the rest of CloudFormation is a service like the others. */
const RESOURCE_TYPES = ['resource-type', 'property-reader', 'tags-property', 'taken-name'].map(
  it => `local/cloudformation/${it}`,
);

/** Where services meet, and what looks upon all of them. */
const ABOVE = ['world', 'facade', 'wire', 'ledger', undefined];

/** The folder of a file in the embedded AWS; undefined where it lies beside the folders. */
const roomOf = (file: string): string | undefined => /^local\/([^/]+)\//.exec(file)?.[1];

const isOneOf = (room: string | undefined, rooms: readonly (string | undefined)[]): boolean => rooms.includes(room);

/** Services know each other by ports in AWS's terms, never by class: of a neighbour they may name a type it exports. */
function isAllowed(file: string, { specifier, isTypeOnly }: Import): boolean {
  if (!specifier.startsWith('.')) return true;
  const target = path.posix.join(path.posix.dirname(file), specifier);
  const [from, to] = [roomOf(file), roomOf(`${target}/`)];
  if (!target.startsWith('local') || from === to || isOneOf(from, ABOVE) || isOneOf(to, LEAVES)) return true;
  if (RESOURCE_TYPES.includes(target)) return isTypeOnly || !isOneOf(from, LEAVES);
  return isTypeOnly && !isOneOf(from, LEAVES) && target === `local/${to}`;
}

const violations = (file: SourceFile): string[] =>
  importsOf(file)
    .filter(it => !isAllowed(file.path, it))
    .map(({ specifier }) => `${file.path} imports ${specifier}`);

describe('services of the embedded AWS', () => {
  test('know their neighbours by ports only', () => {
    expect(sourceFiles('local').flatMap(violations)).toEqual([]);
  });

  test.each([
    ['local/sns/a.ts', "import { Sqs } from '../sqs';"],
    ['local/sns/a.ts', "import type { Queue } from '../sqs/queue';"],
    ['local/sns/resources/a.ts', "import { policyProblems } from '../../iam';"],
    ['local/sns/a.ts', "import { deploy } from '../cloudformation/deploy';"],
    ['local/apigateway/a.ts', "import { accessKeyOf } from '../wire/authorization';"],
    ['local/network/a.ts', "import type { Iam } from '../iam';"],
    ['local/sqs/a.ts', "import { World } from '../world';"],
  ])('%s may not say: %s', (where, text) => {
    expect(violations(parsed(where, text))).toHaveLength(1);
  });

  test.each([
    ['local/sns/a.ts', "import type { QueueIdentity } from '../sqs';"],
    ['local/sns/resources/a.ts', "import { tagsProperty } from '../../cloudformation/tags-property';"],
    ['local/iam/a.ts', "import { readPolicyText } from '../policy-document';"],
  ])('%s may say: %s', (where, text) => {
    expect(violations(parsed(where, text))).toEqual([]);
  });
});
