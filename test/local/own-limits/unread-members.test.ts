import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { OwnLimit } from '../../../local/kernel/aws-error';
import { AWS_SERVICES } from '../../../local/kernel/aws-service';
import { MODELS, type ServiceModel } from '../../../local/wire';
import { UNREAD_MEMBERS } from '../../../local/wire/unread-members';
import { DrawnAccount } from './drawn-requests';
import { FOLDERS, type Service } from './services';

type Operation = ServiceModel['operations'] extends ReadonlyMap<string, infer It> ? It : never;

/** The words in the code of a folder, without comments, imports and the resource types of CloudFormation. */
function wordsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name, parentPath }) => /\.[jt]s$/.test(name) && !/resources/.test(path.join(parentPath, name)))
    .map(({ name, parentPath }) => readFileSync(path.join(parentPath, name), 'utf8'))
    .map(text => text.replaceAll(/\/\*\*[\s\S]*?\*\//g, '').replaceAll(/^import[\s\S]*?;$/gm, ''))
    .flatMap(text => text.match(/[A-Za-z_]\w*/g) ?? []);
}

const SHARED = ['local/kernel', 'local/policy-document'];

/** The members of a request that no code of the service names: nothing can read them. */
function unreadIn(operation: Operation, words: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  const walk = (schema: Operation['input'], at: string, within: readonly string[]): void => {
    if (schema.isListSchema() || schema.isMapSchema()) walk(schema.getValueSchema(), `${at}[]`, within);
    const name = schema.getName() ?? '';
    if (!schema.isStructSchema() || within.includes(name)) return;
    for (const [member, shape] of schema.structIterator()) {
      const whole = at === '' ? member : `${at}.${member}`;
      if (words.has(member)) walk(shape, whole, [...within, name]);
      else found.push(whole);
    }
  };
  walk(operation.input, '', []);
  return found;
}

function rowsOf(service: Service, action: string): readonly string[] {
  const { refused, refusedInCode, withoutEffect } = UNREAD_MEMBERS[service] ?? {};
  return [
    ...Object.keys(refused?.[action] ?? {}),
    ...(refusedInCode?.[action] ?? []),
    ...Object.keys(withoutEffect?.[action] ?? {}),
  ];
}

describe('members of requests', () => {
  const account = new DrawnAccount();

  test.each(AWS_SERVICES)('that no code of %s reads are refused, or change nothing', service => {
    const folders = [...FOLDERS[service].map(folder => `local/${folder}`), ...SHARED];
    // The rules of dynalite read requests of DynamoDB too.
    const words = new Set(
      [...folders, ...(service === 'dynamodb' ? ['node_modules/dynalite/validations'] : [])].flatMap(wordsIn),
    );
    const unknown: string[] = [];
    for (const operation of MODELS[service].operations.values()) {
      if (!account.service(service).implements(operation.name)) continue;
      const rows = rowsOf(service, operation.name);
      const isListed = (member: string) =>
        rows.some(row => member === row || member.startsWith(`${row}.`) || member.startsWith(`${row}[`));
      unknown.push(
        ...unreadIn(operation, words)
          .filter(member => !isListed(member))
          .map(it => `${operation.name}: ${it}`),
      );
    }
    expect(unknown).toEqual([]);
  });

  test('of the table are members of the action', () => {
    for (const service of AWS_SERVICES) {
      const { refused = {}, refusedInCode = {}, withoutEffect = {} } = UNREAD_MEMBERS[service] ?? {};
      for (const action of Object.keys({ ...refused, ...refusedInCode, ...withoutEffect })) {
        const known = Object.keys(MODELS[service].operations.get(action)?.input.getMemberSchemas() ?? {});
        const named = rowsOf(service, action).map(row => row.split(/[.[]/)[0]);
        expect([service, action, named.filter(member => !known.includes(member ?? ''))]).toEqual([service, action, []]);
      }
    }
  });

  test.each([
    ['kms', 'Encrypt', { KeyId: 'alias/orders', Plaintext: 'x' }, { GrantTokens: ['t'] }, { GrantTokens: [] }],
    [
      'dynamodb',
      'PutItem',
      { TableName: 'orders', Item: { id: { S: 'a' } } },
      { ReturnItemCollectionMetrics: 'SIZE' },
      { ReturnItemCollectionMetrics: 'NONE' },
    ],
    ['secretsmanager', 'ListSecrets', {}, { SortBy: 'name' }, { SortBy: 'created-date' }],
    [
      'lambda',
      'UpdateFunctionCode',
      { FunctionName: 'none' },
      { SourceKMSKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/x' },
      undefined,
    ],
  ] as const)(
    '%s:%s refuses one that it does not read, and not a value that asks for nothing',
    (service, action, request, refused, harmless) => {
      const call = (members: object) => () =>
        account.service(service).call(action, account.home.sqs.owner, { ...request, ...members });
      const [member] = Object.keys(refused);
      expect(call(refused)).toThrow(OwnLimit);
      expect(call(refused)).toThrow(
        `does not implement ${member} of ${service}:${action}. This is a limit of Dead Letter Office`,
      );
      if (harmless) expect(call(harmless)).not.toThrow();
    },
  );
});
