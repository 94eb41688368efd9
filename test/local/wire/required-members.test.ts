import { CloudFormationClient, DescribeStackEventsCommand } from '@aws-sdk/client-cloudformation';
import { LocalAws } from '../../../local';
import { AwsError } from '../../../local/kernel/aws-error';
import { administrator } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import {
  documentService,
  EVENTS_MODEL,
  IAM_MODEL,
  KMS_MODEL,
  LOGS_MODEL,
  SECRETS_MANAGER_MODEL,
  SERVICE_MODELS,
  type ServiceModel,
  SQS_MODEL,
  SSM_MODEL,
  STS_MODEL,
} from '../../../local/wire';
import { ServiceOnTheWire } from './service-on-the-wire';

const NULL = (member: string) => `Value null at '${member}' failed to satisfy constraint: Member must not be null`;
const ONE = (member: string) => `1 validation error detected: ${NULL(member)}`;

const json = (model: ServiceModel, action: string, body: object) => ({
  headers: { 'x-amz-target': `${model.targetPrefix}.${action}` },
  body: Buffer.from(JSON.stringify(body)),
});

const form = (fields: Readonly<Record<string, string>>) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: Buffer.from(new URLSearchParams(fields).toString()),
});

describe('a request without what the API model says must be there', () => {
  it.each([
    ['EventBridge', EVENTS_MODEL, json(EVENTS_MODEL, 'DeleteRule', {}), 'ValidationException', ONE('name')],
    ['KMS', KMS_MODEL, json(KMS_MODEL, 'DescribeKey', { KeyId: null }), 'ValidationException', ONE('keyId')],
    ['Systems Manager', SSM_MODEL, json(SSM_MODEL, 'GetParameter', {}), 'ValidationException', ONE('name')],
    // Recorded, for example in https://github.com/aws/aws-sdk-kotlin/issues/1469
    [
      'Secrets Manager',
      SECRETS_MANAGER_MODEL,
      json(SECRETS_MANAGER_MODEL, 'GetSecretValue', {}),
      'ValidationException',
      ONE('secretId'),
    ],
    [
      'CloudWatch Logs',
      LOGS_MODEL,
      json(LOGS_MODEL, 'PutRetentionPolicy', { retentionInDays: 1 }),
      'InvalidParameterException',
      ONE('logGroupName'),
    ],
    [
      'EventBridge',
      EVENTS_MODEL,
      json(EVENTS_MODEL, 'PutTargets', {}),
      'ValidationException',
      `2 validation errors detected: ${NULL('rule')}; ${NULL('targets')}`,
    ],
    [
      'EventBridge',
      EVENTS_MODEL,
      json(EVENTS_MODEL, 'TagResource', { Tags: [] }),
      'ValidationException',
      ONE('resourceARN'),
    ],
    ['IAM', IAM_MODEL, form({ Action: 'GetRole' }), 'ValidationError', ONE('roleName')],
    ['STS', STS_MODEL, form({ Action: 'AssumeRole', RoleSessionName: 'x' }), 'ValidationError', ONE('roleArn')],
  ])('never gets into %s, and all that is missing is told', async (_, model, request, code, text) => {
    const service = new ServiceOnTheWire(model, () => ({}));
    const answer = await service.raw(request);
    expect([answer.status, service.calls]).toEqual([400, []]);
    expect(answer.text).toContain(code);
    expect(answer.text.replaceAll('&apos;', "'")).toContain(text);
  });

  it('is told so only once it is signed', async () => {
    const service = new ServiceOnTheWire(KMS_MODEL, () => ({}));
    const { headers, body } = json(KMS_MODEL, 'DescribeKey', {});
    const answer = await service.raw({ headers: { ...headers, authorization: '' }, body });
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('MissingAuthenticationToken')]);
  });

  it('may have members that say nothing: that is for the service to judge', async () => {
    const service = new ServiceOnTheWire(KMS_MODEL, () => ({}));
    await service.raw(json(KMS_MODEL, 'DescribeKey', { KeyId: '' }));
    expect(service.calls).toMatchObject([{ action: 'DescribeKey', input: { KeyId: '' } }]);
  });

  it('is left to services that have words of their own', async () => {
    const service = new ServiceOnTheWire(SQS_MODEL, () => ({}));
    await service.raw(json(SQS_MODEL, 'SendMessage', {}));
    expect(service.calls).toMatchObject([{ action: 'SendMessage' }]);
  });

  it('is refused where another service of AWS sends it, too', () => {
    const call = () =>
      documentService(SSM_MODEL, { call: () => ({}) }).call('PutParameter', administrator(EXAMPLE_PLACE.account), {
        Name: '/a',
      });
    expect(call).toThrow(new AwsError('ValidationException', ONE('value')));
  });

  it('is an error the clients of the SDK know', async () => {
    const aws = LocalAws.start();
    const client = new CloudFormationClient(aws.clientConfig());
    const described = client.send(new DescribeStackEventsCommand({ StackName: undefined }));
    await expect(described).rejects.toMatchObject({ name: 'ValidationError', message: ONE('stackName') });
    await aws.close();
  });
});

it('what must be there is read off the clients of the SDK', () => {
  const counts = SERVICE_MODELS.map(({ name, operations }) => {
    return [name, [...operations.values()].filter(({ requiredMembers }) => requiredMembers.length > 0).length] as const;
  });
  expect(counts.filter(([, count]) => count === 0)).toEqual([]);
  expect(SSM_MODEL.operations.get('PutParameter')?.requiredMembers).toEqual(['Name', 'Value']);
  expect(STS_MODEL.operations.get('GetCallerIdentity')?.requiredMembers).toEqual([]);
});
