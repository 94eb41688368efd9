import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { strToU8, zipSync } from 'fflate';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Simulation } from '../../../local/simulation';
import { documentService, MODELS, type ServiceModel } from '../../../local/wire';
import { isService, type Service } from './services';

type Operations = ServiceModel['operations'] extends ReadonlyMap<string, infer Operation> ? Operation : never;
type Schema = Operations['input'];

const URL = 'https://sqs.us-east-1.amazonaws.com/123456789012/orders';
const arn = (service: string, resource: string, account = '123456789012', region = 'us-east-1') =>
  `arn:aws:${service}:${region}:${account}:${resource}`;
const TABLE_KEY = { AttributeName: 'id', AttributeType: 'S' as const };

/** An account with one of each, all named `orders`. */
export class DrawnAccount {
  readonly home = new Simulation({ place: EXAMPLE_PLACE, random: new Random('drawn'), startAtMs: 1_767_225_600_000 })
    .home;

  constructor() {
    const { sqs, sns, dynamoDb, iam, ssm, secretsManager, logs, kms, lambda, events } = this.home;
    sqs.call('CreateQueue', sqs.owner, { QueueName: 'orders' });
    sns.call('CreateTopic', sns.owner, { Name: 'orders' });
    dynamoDb.call('CreateTable', dynamoDb.owner, {
      TableName: 'orders',
      AttributeDefinitions: [TABLE_KEY],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    });
    const Principal = { Service: ['lambda.amazonaws.com', 'scheduler.amazonaws.com'] };
    const Statement = [{ Effect: 'Allow' as const, Principal, Action: 'sts:AssumeRole' }];
    iam.createRole({ roleName: 'orders', trustPolicy: { Version: '2012-10-17', Statement } });
    ssm.call('PutParameter', ssm.owner, { Name: '/orders', Value: 'v', Type: 'String' });
    secretsManager.call('CreateSecret', secretsManager.owner, { Name: 'orders', SecretString: 's' });
    logs.call('CreateLogGroup', logs.owner, { logGroupName: 'orders' });
    kms.createAlias('alias/orders', kms.createKey({}).arn);
    lambda.call('CreateFunction', lambda.owner, {
      FunctionName: 'orders',
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Role: arn('iam', 'role/orders', undefined, ''),
      Code: { ZipFile: zipSync({ 'index.js': strToU8('exports.handler = async () => {};') }) },
    });
    events.call('PutRule', events.owner, { Name: 'orders', ScheduleExpression: 'rate(1 hour)' });
  }

  /** The service as clients and schedules reach it. */
  service(name: Service) {
    return documentService(MODELS[name], this.home.regionalApi(name));
  }
}

const NAMES = ['orders', '/orders', 'alias/orders', 'alias/aws/ssm', 'default', 'new', '/aws/service/x', ''];
const ARNS = [
  arn('sqs', 'orders'),
  arn('sns', 'orders'),
  arn('sns', 'orders', '222222222222'),
  arn('lambda', 'function:orders'),
  arn('dynamodb', 'table/orders'),
  arn('dynamodb', 'table/orders', undefined, 'eu-west-1'),
  arn('iam', 'role/orders', undefined, ''),
  arn('events', 'rule/orders'),
  arn('events', 'event-bus/orders', '222222222222'),
  arn('kinesis', 'stream/orders'),
  arn('states', 'stateMachine:orders'),
  arn('ssm', 'parameter/orders', '222222222222'),
  arn('s3', 'bucket', '', ''),
];
const TEXTS = ['{}', '{"a":1}', '1', 'true', 'rate(1 minute)', 'fields @message | pattern @message', 'x'.repeat(300)];

/** The values of enumerations, by interface and member: `CreateTableInput.BillingMode`. From the types of the SDK's client. */
function enumsOf(packageName: string): ReadonlyMap<string, readonly string[]> {
  const client: Readonly<Record<string, unknown>> = require(packageName);
  const folder = path.join('node_modules', packageName, 'dist-types/models');
  const types = readdirSync(folder).map(file => readFileSync(path.join(folder, file), 'utf8'));
  const found = new Map<string, readonly string[]>();
  for (const [, name, body = ''] of types.join('\n').matchAll(/export interface (\w+)[^{]*\{([\s\S]*?)\n\}/g)) {
    for (const [, member, type = ''] of body.matchAll(/^ {4}(\w+)\??: (?:\(?)(\w+)(?: \| undefined\)?)?(?:\[\])?/gm)) {
      const values = client[type];
      if (typeof values !== 'object' || values === null || Array.isArray(values)) continue;
      found.set(`${name}.${member}`, Object.values(values).map(String));
    }
  }
  return found;
}

const PACKAGES: Partial<Readonly<Record<Service, string>>> = {
  events: '@aws-sdk/client-eventbridge',
  logs: '@aws-sdk/client-cloudwatch-logs',
  monitoring: '@aws-sdk/client-cloudwatch',
  secretsmanager: '@aws-sdk/client-secrets-manager',
};

/** A schema lists its required members first, and how many they are after the shapes. */
function requiredIn(schema: unknown): string[] {
  const [, , , , names, , count]: readonly unknown[] = Array.isArray(schema) ? schema : [];
  return Array.isArray(names) ? names.map(String).slice(0, Number(count ?? 0)) : [];
}

/** Documents of the shape that the schema describes: legal by shape, whatever they mean. */
function documentOf(
  schema: Schema,
  enums: ReadonlyMap<string, readonly string[]>,
  at: string,
  depth = 0,
): fc.Arbitrary<unknown> {
  if (schema.isStructSchema()) {
    const members = depth > 2 ? [] : [...schema.structIterator()];
    const drawn = members.map(([name, member]) => [
      name,
      documentOf(member, enums, `${schema.getName()}.${name}`, depth + 1),
    ]);
    const model: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(drawn);
    const requiredKeys = depth > 2 ? [] : requiredIn(schema.getSchema());
    return fc.oneof(
      { weight: 4, arbitrary: fc.record(model, { requiredKeys }) },
      fc.record(model, { requiredKeys: [] }),
    );
  }
  if (schema.isListSchema())
    return fc.array(documentOf(schema.getValueSchema(), enums, at, depth + 1), { maxLength: 2 });
  if (schema.isMapSchema()) {
    return fc.dictionary(fc.constantFrom('id', 'Policy'), documentOf(schema.getValueSchema(), enums, at, depth + 1));
  }
  if (schema.isBlobSchema()) return fc.constantFrom('', 'abc');
  if (schema.isBooleanSchema()) return fc.boolean();
  if (schema.isNumericSchema()) return fc.constantFrom(-1, 0, 1, 7, 30, 900, 3_600);
  if (schema.isTimestampSchema()) return fc.constant(1_767_225_600);
  if (!schema.isStringSchema()) return fc.constant({});
  const values = enums.get(at);
  if (values) return fc.constantFrom(...values);
  if (/url/i.test(at)) return fc.constant(URL);
  if (/arn|resource|target/i.test(at)) return fc.constantFrom(...ARNS, ...NAMES);
  return /name|id$/i.test(at) ? fc.constantFrom(...NAMES) : fc.constantFrom(...TEXTS, ...NAMES, ...ARNS);
}

export interface DrawnRequest {
  readonly service: Service;
  readonly action: string;
  readonly document: unknown;
}

/** Requests of all actions that the SDK's clients know, four in five of them simulated ones. */
export function drawnRequests(): fc.Arbitrary<DrawnRequest> {
  const account = new DrawnAccount();
  const services = Object.keys(MODELS)
    .filter(isService)
    .map(service => {
      const model = MODELS[service];
      const enums = enumsOf(PACKAGES[service] ?? `@aws-sdk/client-${service}`);
      const drawn = [...model.operations.values()].map(operation => ({
        isHere: account.service(service).implements(operation.name),
        request: fc.record({
          service: fc.constant(service),
          action: fc.constant(operation.name),
          document: documentOf(operation.input, enums, operation.name),
        }),
      }));
      const requests = (isHere: boolean) => drawn.filter(it => it.isHere === isHere).map(it => it.request);
      return fc.oneof(
        { weight: 4, arbitrary: fc.oneof(...requests(true)) },
        ...(requests(false).length > 0 ? [{ weight: 1, arbitrary: fc.oneof(...requests(false)) }] : []),
      );
    });
  return fc.oneof(...services);
}
