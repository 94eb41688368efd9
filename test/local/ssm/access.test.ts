import {
  AddTagsToResourceCommand,
  GetParameterCommand,
  GetParameterHistoryCommand,
  GetParametersCommand,
  ListTagsForResourceCommand,
  PutParameterCommand,
  RemoveTagsFromResourceCommand,
  SendCommandCommand,
} from '@aws-sdk/client-ssm';
import { ssmResourceTypes } from '../../../local/ssm';
import { createResource } from '../create-resource';
import { arnOf, refusal, SmallAccount } from '../small-account';

const SECRET = { Name: '/db/password', Value: 'hunter2', Type: 'SecureString' } as const;
const ARN = arnOf('ssm', 'parameter/db/password');
const READS = { Effect: 'Allow', Action: 'ssm:GetParameter*', Resource: ARN };

/** https://docs.aws.amazon.com/kms/latest/developerguide/services-parameter-store.html */
describe('a SecureString', () => {
  it('is shown as it is only to whoever asks for that', async () => {
    const { ssm } = new SmallAccount().clients;
    await ssm.send(new PutParameterCommand(SECRET));
    const value = async (WithDecryption: boolean) =>
      (await ssm.send(new GetParameterCommand({ Name: SECRET.Name, WithDecryption }))).Parameter?.Value;
    expect(await value(true)).toBe('hunter2');
    expect(await value(false)).toMatch(/^AQICAH[A-Za-z0-9+/=]{100,}$/);
    const history = await ssm.send(new GetParameterHistoryCommand({ Name: SECRET.Name, WithDecryption: true }));
    expect(history.Parameters).toEqual([expect.objectContaining({ KeyId: 'alias/aws/ssm', Value: 'hunter2' })]);
  });

  it('is missing to whoever may read it, and closed to others', async () => {
    const aws = new SmallAccount();
    const get = ({ clients }: Pick<SmallAccount, 'clients'>, Name: string = SECRET.Name) =>
      refusal(clients.ssm.send(new GetParameterCommand({ Name })));
    const reader = aws.role('Reader', READS);
    expect((await get(reader))[0]).toBe('ParameterNotFound');
    expect((await get(reader, '/other'))[0]).toBe('AccessDeniedException');
  });

  it("takes permission on its key as well, which AWS's own key gives to the account", async () => {
    const aws = new SmallAccount();
    await aws.clients.ssm.send(new PutParameterCommand(SECRET));
    const reader = aws.role('Reader', READS);
    const get = reader.clients.ssm.send(new GetParameterCommand({ Name: SECRET.Name, WithDecryption: true }));
    expect((await get).Parameter?.Value).toBe('hunter2');
  });

  it("cannot be read under a customer's key that does not let the reader", async () => {
    const aws = new SmallAccount();
    const KeyId = aws.key();
    await aws.clients.ssm.send(new PutParameterCommand({ ...SECRET, KeyId }));
    const reader = aws.role('Reader', READS);
    const get = () => reader.clients.ssm.send(new GetParameterCommand({ Name: SECRET.Name, WithDecryption: true }));
    expect(await refusal(get())).toEqual([
      'AccessDeniedException',
      expect.stringContaining('you are not allowed to access.'),
      400,
    ]);
    expect(aws.happened('kms.refused')).toEqual([
      expect.objectContaining({ action: 'kms:Decrypt', resource: KeyId, viaService: 'ssm.us-east-1.amazonaws.com' }),
    ]);
    aws.iam.putRolePolicy('Reader', 'Decrypts', {
      Version: '2012-10-17',
      Statement: {
        Effect: 'Allow',
        Action: 'kms:Decrypt',
        Resource: KeyId,
        Condition: { StringEquals: { 'kms:EncryptionContext:PARAMETER_ARN': ARN } },
      },
    });
    expect((await get()).Parameter?.Value).toBe('hunter2');
    aws.kms.disableKey(KeyId);
    expect(await refusal(get())).toEqual(['InvalidKeyId', 'the key is disabled', 400]);
  });
});

describe('a caller with a role', () => {
  it('gets what its policies allow, and all of several or nothing', async () => {
    const aws = new SmallAccount();
    for (const Name of ['/db/password', '/db/host']) {
      aws.ssm.call('PutParameter', aws.ssm.owner, { Name, Value: 'v', Type: 'String' });
    }
    const { clients } = aws.role('Reader', READS);
    const get = (...Names: string[]) => clients.ssm.send(new GetParametersCommand({ Names }));
    expect((await get('/db/password')).Parameters).toHaveLength(1);
    const host = arnOf('ssm', 'parameter/db/host');
    expect(await refusal(get('/db/password', '/db/host'))).toEqual([
      'AccessDeniedException',
      `User: arn:aws:iam::123456789012:role/Reader is not authorized to perform: ssm:GetParameters on resource: ${host}`,
      400,
    ]);
    expect((await refusal(clients.ssm.send(new PutParameterCommand(SECRET))))[0]).toBe('AccessDeniedException');
  });

  it('meets the faults a scenario has set', async () => {
    const aws = new SmallAccount();
    aws.faults.set({ service: 'ssm', action: 'GetParameter', httpStatus: 500, code: 'InternalServerError' });
    const get = aws.clients.ssm.send(new GetParameterCommand({ Name: '/any' }));
    expect((await refusal(get))[0]).toBe('InternalServerError');
  });
});

describe('tags', () => {
  it('are put on parameters, and taken away', async () => {
    const { ssm } = new SmallAccount().clients;
    await ssm.send(new PutParameterCommand({ ...SECRET, Tags: [{ Key: 'a', Value: '1' }] }));
    const about = { ResourceType: 'Parameter', ResourceId: SECRET.Name } as const;
    await ssm.send(new AddTagsToResourceCommand({ ...about, Tags: [{ Key: 'b', Value: '2' }] }));
    await ssm.send(new RemoveTagsFromResourceCommand({ ...about, TagKeys: ['a'] }));
    const { TagList } = await ssm.send(new ListTagsForResourceCommand(about));
    expect(TagList).toEqual([{ Key: 'b', Value: '2' }]);
    const gone = new ListTagsForResourceCommand({ ...about, ResourceId: '/gone' });
    expect((await refusal(ssm.send(gone)))[0]).toBe('InvalidResourceId');
    const document = new ListTagsForResourceCommand({ ResourceType: 'Document', ResourceId: 'd' });
    expect((await refusal(ssm.send(document)))[0]).toBe('InvalidResourceType');
  });
});

it('answers 501 to whatever else Systems Manager does', async () => {
  const { ssm } = new SmallAccount().clients;
  const run = ssm.send(new SendCommandCommand({ DocumentName: 'AWS-RunShellScript' }));
  expect(await refusal(run)).toEqual(['NotImplemented', expect.stringContaining('ssm:SendCommand'), 501]);
});

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ssm-parameter.html */
describe('AWS::SSM::Parameter', () => {
  it('is put with everything the template says', () => {
    const aws = new SmallAccount();
    const { created, problems } = createResource(ssmResourceTypes(aws.ssm), 'AWS::SSM::Parameter', {
      Name: '/app/hosts',
      Type: 'StringList',
      Value: 'a,b',
      Description: 'd',
      AllowedPattern: '.*',
      Tier: 'Advanced',
      Tags: { stage: 'prod' },
    });
    expect({ created, problems }).toEqual({
      created: { ref: '/app/hosts', attributes: { Type: 'StringList', Value: 'a,b' } },
      problems: [],
    });
    const { Parameters } = aws.ssm.call('DescribeParameters', aws.ssm.owner, {
      ParameterFilters: [{ Key: 'tag:stage', Values: ['prod'] }],
    });
    expect(Parameters).toEqual([expect.objectContaining({ Name: '/app/hosts', Description: 'd', Tier: 'Advanced' })]);
  });

  it('is named by CloudFormation when it has no name, and never a SecureString', () => {
    const types = ssmResourceTypes(new SmallAccount().ssm);
    const { created, problems } = createResource(types, 'AWS::SSM::Parameter', { Type: 'SecureString', Value: 'x' });
    expect(created.ref).toBe('Rental-Thing-1A2B3C');
    expect(problems).toEqual(['Type must be String or StringList']);
  });
});
