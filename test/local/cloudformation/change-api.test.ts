import {
  CloudFormationClient,
  CreateChangeSetCommand,
  type CreateChangeSetInput,
  CreateStackCommand,
  DeleteChangeSetCommand,
  DeleteStackCommand,
  DescribeChangeSetCommand,
  DescribeStacksCommand,
  ExecuteChangeSetCommand,
  GetTemplateSummaryCommand,
  ListChangeSetsCommand,
  ListStackResourcesCommand,
  UpdateStackCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { LocalAws } from '../../../local';
import { readTemplateBody } from '../../../local/cloudformation/template-body';

let aws: LocalAws;
let client: CloudFormationClient;

beforeEach(() => {
  aws = LocalAws.start();
  client = new CloudFormationClient({ ...aws.clientConfig(), maxAttempts: 1 });
});

afterEach(() => aws.close());

const YAML = `
AWSTemplateFormatVersion: 2010-09-09
Parameters:
  Delay: { Type: Number, Default: 5 }
  Name: { Type: String }
Resources:
  Queue:
    Type: AWS::SQS::Queue
    Properties:
      QueueName: !Sub '\${Name}-queue'
      DelaySeconds: !Ref Delay
Outputs:
  Url: { Value: !Ref Queue }
  Arn: { Value: !GetAtt Queue.Arn }
`;
/** A template of two queues, with more members. */
const refs = (a: string, b = 'DeletionPolicy: Delete') => ({
  TemplateBody: `Resources:\n  A: {Type: 'AWS::SQS::Queue', ${a}}\n  B: {Type: 'AWS::SQS::Queue', ${b}}`,
});

const stack = (Parameters: Readonly<Record<string, string>> = { Name: 'a' }, TemplateBody = YAML) => ({
  StackName: 'Test',
  TemplateBody,
  Parameters: Object.entries(Parameters).map(([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue })),
});
const create = (input = stack()) => client.send(new CreateStackCommand(input));
const update = (input: Partial<ReturnType<typeof stack>> & object) =>
  client.send(new UpdateStackCommand({ StackName: 'Test', ...input }));
const described = async (StackName = 'Test') =>
  (await client.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0];
const status = async (StackName?: string) => (await described(StackName))?.StackStatus;

describe('stacks by the API', () => {
  it('are created, updated and deleted in virtual time', async () => {
    const { StackId = '' } = await create();
    expect(await status()).toBe('CREATE_IN_PROGRESS');
    await aws.advance({ seconds: 10 });
    expect(await described()).toMatchObject({
      StackStatus: 'CREATE_COMPLETE',
      Outputs: expect.arrayContaining([
        { OutputKey: 'Arn', OutputValue: 'arn:aws:sqs:us-east-1:123456789012:a-queue' },
      ]),
    });
    expect(aws.output('Url')).toContain('a-queue');
    const Parameters = [
      { ParameterKey: 'Name', UsePreviousValue: true },
      { ParameterKey: 'Delay', ParameterValue: '9' },
    ];
    await client.send(new UpdateStackCommand({ StackName: 'Test', UsePreviousTemplate: true, Parameters }));
    await expect(update(stack())).rejects.toThrow('is in UPDATE_IN_PROGRESS state and can not be updated.');
    await aws.advance({ seconds: 10 });
    expect(await described()).toMatchObject({
      StackStatus: 'UPDATE_COMPLETE',
      Parameters: [
        { ParameterKey: 'Delay', ParameterValue: '9' },
        { ParameterKey: 'Name', ParameterValue: 'a' },
      ],
    });
    await client.send(new DeleteStackCommand({ StackName: 'Test' }));
    await aws.advance({ seconds: 10 });
    await expect(status()).rejects.toThrow('Stack with id Test does not exist');
    expect(await status(StackId)).toBe('DELETE_COMPLETE');
    await client.send(new DeleteStackCommand({ StackName: 'Test' }));
    expect(aws.stacks).toEqual([]);
  });

  it('that fail are rolled back', async () => {
    await create(stack({ Name: 'a', Delay: '5000' }));
    await aws.advance({ minutes: 1 });
    expect(await status()).toBe('ROLLBACK_COMPLETE');
    await expect(update(stack())).rejects.toThrow('is in ROLLBACK_COMPLETE state and can not be updated.');
    await expect(create()).rejects.toMatchObject({ name: 'AlreadyExistsException' });
  });

  it.each([
    ['is no template', { TemplateBody: '{"a": ' }, /^Template format error: JSON not well-formed/],
    ['is no YAML', { TemplateBody: 'a: [' }, /^Template format error: YAML not well-formed. \(line 1/],
    ['is a text', { TemplateBody: 'hello' }, 'Template format error: unsupported structure.'],
    ['is missing', { TemplateBody: undefined }, 'Either Template URL or Template Body must be specified.'],
    ['lacks a parameter', stack({}), 'Parameters: [Name] must have values'],
    ['has another parameter', stack({ Name: 'a', Size: '5' }), 'Parameters: [Size] do not exist in the template'],
    [
      'is for SAM',
      { TemplateBody: 'Transform: AWS::Serverless-2016-10-31\nResources: {A: {Type: AWS::SQS::Queue}}' },
      /section Transform is not implemented .* deploy the template without macros/,
    ],
    ['has a circle', refs('DependsOn: [B]', 'DependsOn: [A]'), 'Circular dependency between resources: [A, B]'],
    [
      'names nothing',
      refs('DependsOn: [C]', 'Properties: {QueueName: {Ref: D}}'),
      'Template format error: Unresolved resource dependencies [C, D] in the Resources block of the template',
    ],
    [
      'names nothing in an output',
      { TemplateBody: 'Resources: {A: {Type: AWS::SQS::Queue}}\nOutputs: {O: {Value: {Ref: D}}}' },
      'Template format error: Unresolved resource dependencies [D] in the Outputs block of the template',
    ],
    [
      'has an attribute of nothing',
      refs("Properties: {QueueName: {'Fn::GetAtt': [C, Arn]}}"),
      'Template error: instance of Fn::GetAtt references undefined resource C',
    ],
    [
      'has types that do not exist',
      { TemplateBody: 'Resources: {A: {Type: AWS::SQS::Quee}, B: {Type: AWS::S3::Bukket}}' },
      'Template format error: Unrecognized resource types: [AWS::SQS::Quee, AWS::S3::Bukket]',
    ],
    ['creates nothing', { TemplateBody: 'Resources: {}' }, 'At least one Resources member must be defined.'],
    [
      'is too long',
      { TemplateBody: `${YAML}#${' '.repeat(51_200)}` },
      "at 'templateBody' failed to satisfy constraint: Member must have length less than or equal to 51200",
    ],
    [
      'has a bad logical id',
      stack({}, 'Resources: {A-b: {Type: AWS::SQS::Queue}}'),
      /^Template format error: Resource name A-b is non alphanumeric\.$/,
    ],
    [
      'has bad dependencies',
      stack({}, 'Resources: {A: {Type: AWS::SQS::Queue, DependsOn: {}}}'),
      /^Template format error: DependsOn must be a string or list of strings\.$/,
    ],
    [
      'asks for an attribute that does not exist',
      stack(
        {},
        'Resources: {A: {Type: AWS::SQS::Queue}, B: {Type: AWS::SNS::Topic, Properties: {TopicName: !GetAtt A.Urn}}}',
      ),
      'resource A does not support attribute type Urn',
    ],
    [
      'wants a snapshot of a queue',
      stack({}, 'Resources: {A: {Type: AWS::SQS::Queue, DeletionPolicy: Snapshot}}'),
      'A: DeletionPolicy Snapshot is not supported by AWS::SQS::Queue',
    ],
    [
      'has a rule that is broken',
      stack(
        { Name: 'a' },
        `${YAML}Rules: {Long: {Assertions: [{Assert: !Equals [!Ref Name, b], AssertDescription: Name must be b}]}}`,
      ),
      'Rules.Long: Name must be b',
    ],
    [
      'says twice what a failure does',
      { ...stack(), OnFailure: 'DELETE' as const, DisableRollback: true },
      'You can specify either DisableRollback or OnFailure, but not both.',
    ],
    ['has a bad name', { ...stack(), StackName: 'my_stack' }, /failed to satisfy constraint/],
    ['creates roles', stack({}, 'Resources: {A: {Type: AWS::IAM::Role}}'), 'Requires capabilities : [CAPABILITY_IAM]'],
    [
      'names roles',
      stack({}, 'Resources: {A: {Type: AWS::IAM::Role, Properties: {RoleName: x}}}'),
      'Requires capabilities : [CAPABILITY_NAMED_IAM]',
    ],
    ['is in S3', { TemplateURL: 'https://s3/x' }, /TemplateURL/],
  ])('are refused if the template %s', async (_, input, text) => {
    await expect(client.send(new CreateStackCommand({ StackName: 'Test', ...input }))).rejects.toThrow(text);
    await expect(status()).rejects.toThrow('does not exist');
  });

  const failing = stack(
    { Name: 'a' },
    YAML.replace(
      'Outputs:',
      '  Bad: { Type: AWS::SQS::Queue, DependsOn: Queue, Properties: { DelaySeconds: 5000 } }\nOutputs:',
    ),
  );
  const queues = () => aws.state().queues.length;

  it('that fail stay as they are without a rollback, and can be updated', async () => {
    await client.send(new CreateStackCommand({ ...failing, DisableRollback: true }));
    await aws.advance({ minutes: 1 });
    expect(await described()).toMatchObject({ StackStatus: 'CREATE_FAILED', DisableRollback: true });
    expect(queues()).toBe(1);
    await update(stack());
    await aws.advance({ minutes: 1 });
    expect(await status()).toBe('UPDATE_COMPLETE');
  });

  it('that fail do what OnFailure says', async () => {
    await client.send(new CreateStackCommand({ ...failing, OnFailure: 'DO_NOTHING' }));
    await aws.advance({ minutes: 1 });
    expect([await status(), queues()]).toEqual(['CREATE_FAILED', 1]);
    await expect(update(stack())).rejects.toThrow(
      'from [CREATE_FAILED] state because it contains [on-failure: DO_NOTHING]',
    );
    await client.send(new DeleteStackCommand({ StackName: 'Test' }));
    await aws.advance({ minutes: 2 });
    const { StackId } = await client.send(new CreateStackCommand({ ...failing, OnFailure: 'DELETE' }));
    await aws.advance({ minutes: 1 });
    expect([await status(StackId), queues()]).toEqual(['DELETE_COMPLETE', 0]);
  });

  it('are deleted while they are created: what was begun is finished, and nothing else', async () => {
    const { StackId } = await create(stack({ Name: 'a' }, failing.TemplateBody.replace('5000', '5')));
    await aws.advance({ seconds: 5 });
    await client.send(new DeleteStackCommand({ StackName: 'Test' }));
    expect([await status(), queues()]).toEqual(['DELETE_IN_PROGRESS', 1]);
    await aws.advance({ seconds: 30 });
    expect([await status(StackId), queues()]).toEqual(['DELETE_COMPLETE', 0]);
    expect(aws.trace.events.filter(({ type }) => type === 'sqs.queue-created')).toHaveLength(1);
  });

  it('are not deleted while they are protected', async () => {
    await client.send(new CreateStackCommand({ ...stack(), EnableTerminationProtection: true }));
    await aws.advance({ seconds: 10 });
    expect(await described()).toMatchObject({ EnableTerminationProtection: true });
    const remove = () => client.send(new DeleteStackCommand({ StackName: 'Test' }));
    await expect(remove()).rejects.toThrow('Stack [Test] cannot be deleted while TerminationProtection is enabled');
    await client.send(
      new UpdateTerminationProtectionCommand({ StackName: 'Test', EnableTerminationProtection: false }),
    );
    await remove();
  });

  it('keep resources that cannot be deleted, if the request names them', async () => {
    await create();
    await aws.advance({ seconds: 10 });
    const remove = (more: object = {}) => client.send(new DeleteStackCommand({ StackName: 'Test', ...more }));
    await expect(remove({ RetainResources: ['Queue'] })).rejects.toThrow(
      'only when the stack is in the DELETE_FAILED state',
    );
    const fault = aws.faults.set({ service: 'sqs', action: 'DeleteQueue', code: 'AccessDenied', forMs: 1_000 });
    await remove();
    await aws.advance({ seconds: 10 });
    fault.end();
    expect(await status()).toBe('DELETE_FAILED');
    await remove({ RetainResources: ['Queue'] });
    await aws.advance({ seconds: 10 });
    expect(queues()).toBe(1);
    await expect(status()).rejects.toThrow('does not exist');
  });

  it('are not updated without changes, or if they do not exist', async () => {
    await expect(update(stack())).rejects.toThrow('Stack [Test] does not exist');
    await create();
    await aws.advance({ seconds: 10 });
    await expect(update(stack())).rejects.toThrow('No updates are to be performed.');
  });
});

describe('change sets', () => {
  const createSet = (input: Partial<CreateChangeSetInput> & object) =>
    client.send(new CreateChangeSetCommand({ ...stack(), ChangeSetName: 'one', ...input }));
  const set = { StackName: 'Test', ChangeSetName: 'one' };

  it('create and update a stack, as "aws cloudformation deploy" does', async () => {
    await createSet({ ChangeSetType: 'CREATE' });
    expect(await status()).toBe('REVIEW_IN_PROGRESS');
    const first = await client.send(new DescribeChangeSetCommand(set));
    expect(first).toMatchObject({
      Status: 'CREATE_COMPLETE',
      ExecutionStatus: 'AVAILABLE',
      Changes: [{ ResourceChange: { Action: 'Add', LogicalResourceId: 'Queue' } }],
    });
    await client.send(new ExecuteChangeSetCommand(set));
    await aws.advance({ seconds: 10 });
    expect(await status()).toBe('CREATE_COMPLETE');
    const TemplateBody =
      `${YAML.replace('DelaySeconds: !Ref Delay', 'FifoQueue: true').replace('-queue', '.fifo')}`.replace(
        'Outputs:',
        '  Other: { Type: AWS::SQS::QueueInlinePolicy, Properties: { Queue: !Ref Queue, PolicyDocument: {} } }\nOutputs:',
      );
    await createSet({ ChangeSetName: 'two', TemplateBody });
    const second = await client.send(new DescribeChangeSetCommand({ ...set, ChangeSetName: 'two' }));
    expect(second.Changes?.map(it => it.ResourceChange)).toMatchObject([
      {
        Action: 'Modify',
        LogicalResourceId: 'Queue',
        Replacement: 'True',
        PhysicalResourceId: aws.resource('Queue').ref,
      },
      { Action: 'Add', LogicalResourceId: 'Other' },
    ]);
    expect((await client.send(new ListChangeSetsCommand({ StackName: 'Test' }))).Summaries).toHaveLength(2);
    await client.send(new DeleteChangeSetCommand({ ...set, ChangeSetName: 'two' }));
    const resources = await client.send(new ListStackResourcesCommand({ StackName: 'Test' }));
    expect(resources.StackResourceSummaries).toMatchObject([
      { LogicalResourceId: 'Queue', ResourceStatus: 'CREATE_COMPLETE' },
    ]);
  });

  it('without changes fail, in the words that tools look for', async () => {
    await create();
    await aws.advance({ seconds: 10 });
    await createSet({});
    expect(await client.send(new DescribeChangeSetCommand(set))).toMatchObject({
      Status: 'FAILED',
      StatusReason: expect.stringContaining("The submitted information didn't contain changes."),
    });
    await expect(client.send(new ExecuteChangeSetCommand(set))).rejects.toMatchObject({
      name: 'InvalidChangeSetStatusException',
    });
  });

  it('are refused for a stack that does not exist, or does already', async () => {
    await expect(createSet({})).rejects.toThrow('Stack [Test] does not exist');
    await expect(client.send(new DescribeChangeSetCommand(set))).rejects.toThrow('ChangeSet [one] does not exist');
    await create();
    await aws.advance({ seconds: 10 });
    await expect(createSet({ ChangeSetType: 'CREATE' })).rejects.toThrow('already exists and cannot be created again');
  });
});

it('the summary of a template has its parameters, which "aws cloudformation deploy" asks for', async () => {
  const summary = await client.send(new GetTemplateSummaryCommand({ TemplateBody: YAML }));
  expect(summary).toMatchObject({
    Parameters: [
      { ParameterKey: 'Delay', DefaultValue: '5', ParameterType: 'Number', NoEcho: false },
      { ParameterKey: 'Name', ParameterType: 'String' },
    ],
    ResourceTypes: ['AWS::SQS::Queue'],
  });
  await expect(client.send(new GetTemplateSummaryCommand({}))).rejects.toThrow('must be specified');
});

describe('a template body', () => {
  it('may have aliases and every short form', () => {
    const body =
      'a: &a !GetAtt Q.Arn\nb: *a\nc: !If [X, !Ref Y, !Condition Z]\nd: !Base64\n  x: 1\ne: !GetAZs ""\nf: 2012-10-17\nResources: {Q: {}}';
    expect(readTemplateBody(body)).toEqual({
      a: { 'Fn::GetAtt': ['Q', 'Arn'] },
      b: { 'Fn::GetAtt': ['Q', 'Arn'] },
      c: { 'Fn::If': ['X', { Ref: 'Y' }, { Condition: 'Z' }] },
      d: { 'Fn::Base64': { x: 1 } },
      e: { 'Fn::GetAZs': '' },
      f: '2012-10-17',
      Resources: { Q: {} },
    });
  });

  it('cannot be expanded without end', () => {
    const bomb = ['a0: &a0 x', ...Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)].join(
      '\n',
    );
    expect(() => readTemplateBody(bomb)).toThrow('more than 10000 YAML aliases');
    expect(() => readTemplateBody('a: &a [*a]')).toThrow('Template format error: the YAML alias *a contains itself.');
  });
});
