import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import { readTemplates } from '../../../diagnosis/template-reader/read-templates';
import type { TemplateStack } from '../../../template/template-stack';
import { type Resources, stackWith } from './read';

const resource = (Type: string, Properties: Resources, more: Resources = {}) => ({ Type, Properties, ...more });
const ARN_OF = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
const SEND = { Statement: [{ Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' }, Action: 'sqs:*' }] };

const allowed = (Sid: string) => ({ Statement: [{ Sid, Effect: 'Allow', Action: 'sqs:*', Resource: '*' }] });

/** A stack of a service: a queue that a function reads, and a dead-letter queue. All but one have names of their own. */
function service(stackName: string, Timeout: number, more: Resources = {}, where: Partial<TemplateStack> = {}) {
  const Resources = {
    Dead: resource('AWS::SQS::Queue', { QueueName: 'dead', MessageRetentionPeriod: 1_209_600 }),
    Orders: resource('AWS::SQS::Queue', {
      QueueName: 'orders',
      VisibilityTimeout: Timeout * 6,
      RedrivePolicy: { deadLetterTargetArn: ARN_OF('Dead'), maxReceiveCount: 5 },
    }),
    Policy: resource('AWS::SQS::QueuePolicy', { Queues: [{ Ref: 'Orders' }], PolicyDocument: SEND }),
    Role: resource('AWS::IAM::Role', { RoleName: 'bill' }),
    RolePolicy: resource('AWS::IAM::Policy', { Roles: [{ Ref: 'Role' }], PolicyDocument: allowed(stackName) }),
    Bill: resource('AWS::Lambda::Function', { FunctionName: 'bill', Timeout, Role: ARN_OF('Role') }),
    Mapping: resource('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: 'Bill' },
      EventSourceArn: ARN_OF('Orders'),
    }),
    ...more,
  };
  const Outputs = {
    Dead: { Value: ARN_OF('Dead'), Export: { Name: { 'Fn::Join': ['', [{ Ref: 'AWS::StackName' }, ':Dead']] } } },
  };
  return stackWith({ Resources, Outputs }, { stackName, templatePath: `${stackName}.json`, ...where });
}

const importing = (stackName: string, from: string) =>
  stackWith(
    {
      Resources: {
        More: resource('AWS::SQS::Queue', {
          RedrivePolicy: { deadLetterTargetArn: { 'Fn::ImportValue': `${from}:Dead` }, maxReceiveCount: 5 },
        }),
      },
    },
    { stackName },
  );

/** An ARN in the stack's own Region and account. */
const hereNamed = (name: string) => ({
  'Fn::Join': [':', ['arn:aws:sqs', { Ref: 'AWS::Region' }, { Ref: 'AWS::AccountId' }, name]],
});

const tooShort = (stacks: readonly TemplateStack[]) =>
  checkInventory(readTemplates(stacks))
    .filter(({ id }) => id === 'visibility-too-short')
    .map(({ resource: { place } }) => place?.stack);

describe('stacks with resources of the same names, which do not tell where they go', () => {
  test('go to different places', () => {
    const { queues, functions, roles } = readTemplates([service('dev', 3), service('prod', 60)]);
    expect(queues.map(({ arn }) => arn)).toEqual([
      'arn:aws:sqs:<region of dev>:<account of dev>:dead',
      'arn:aws:sqs:<region of dev>:<account of dev>:orders',
      'arn:aws:sqs:<region of prod>:<account of prod>:dead',
      'arn:aws:sqs:<region of prod>:<account of prod>:orders',
    ]);
    expect(queues.map(({ policy }) => policy)).toEqual([undefined, SEND, undefined, SEND]);
    expect(functions.map(({ roleArn }) => roleArn)).toEqual(roles.map(({ arn }) => arn));
    expect(roles.map(({ policies }) => policies)).toEqual([[allowed('dev')], [allowed('prod')]]);
  });

  test('are each judged by what is its own', () => {
    expect(tooShort([service('dev', 3), service('prod', 60)])).toEqual([]);
    const slow = { Bill: resource('AWS::Lambda::Function', { FunctionName: 'bill', Timeout: 600 }) };
    expect(tooShort([service('dev', 3), service('prod', 60, slow)])).toEqual(['prod']);
  });

  test('take those with them that import from them', () => {
    const stacks = [service('dev', 3), service('prod', 60), importing('a', 'prod'), importing('b', 'a')];
    const { queues } = readTemplates(stacks);
    const [ofA, ofB] = queues.filter(({ place }) => place?.logicalId === 'More');
    expect(ofA).toMatchObject({
      arn: 'arn:aws:sqs:<region of prod>:<account of prod>:<a.More>',
      redrivePolicy: { deadLetterTargetArn: 'arn:aws:sqs:<region of prod>:<account of prod>:dead' },
    });
    expect(ofB?.arn).toBe('arn:aws:sqs:<region>:<account>:<b.More>');
  });

  test('are told apart too where they have one name', () => {
    const { queues } = readTemplates([service('it', 3), service('it', 60)]);
    const [one, other] = queues.filter(({ place }) => place?.logicalId === 'Dead');
    expect([one?.arn, other?.arn]).toEqual([
      'arn:aws:sqs:<region of it 1>:<account of it 1>:dead',
      'arn:aws:sqs:<region of it 2>:<account of it 2>:dead',
    ]);
  });

  test('are together where only one of them may be made', () => {
    const Dead = resource('AWS::SQS::Queue', { QueueName: 'dead' }, { Condition: 'Open' });
    const Conditions = { Open: { 'Fn::Equals': [{ Ref: 'Kind' }, 'one'] } };
    const Parameters = { Kind: { Type: 'String' } };
    const conditional = (stackName: string) =>
      stackWith({ Resources: { Dead }, Conditions, Parameters }, { stackName });
    const { queues } = readTemplates([conditional('one'), conditional('other')]);
    expect(queues.map(({ arn }) => arn)).toEqual(Array(2).fill('arn:aws:sqs:<region>:<account>:dead'));
  });

  test('may be where a stack beside them is', () => {
    const shared = stackWith(
      {
        Resources: {
          Topic: resource('AWS::SNS::Topic', { TopicName: 'orders' }),
          Subscription: resource('AWS::SNS::Subscription', {
            TopicArn: { Ref: 'Topic' },
            Protocol: 'sqs',
            Endpoint: hereNamed('orders'),
            RedrivePolicy: { deadLetterTargetArn: hereNamed('dead') },
          }),
        },
      },
      { stackName: 'shared' },
    );
    const findings = checkInventory(readTemplates([service('dev', 3), service('prod', 60), shared]));
    expect(findings.filter(({ severity }) => severity === 'rejected' || severity === 'loses')).toEqual([]);
  });

  test('are as they say where they do tell', () => {
    const [one, other] = ['111122223333', '444455556666'].map(account => ({ account, region: 'eu-west-1' }));
    const { queues } = readTemplates([service('dev', 3, {}, one), service('prod', 60, {}, other)]);
    expect(queues.map(({ arn }) => arn)).toContain('arn:aws:sqs:eu-west-1:111122223333:dead');
  });
});

test('of a name that several stacks export, which is meant is not told', () => {
  const exporting = (stackName: string) => {
    const Outputs = { Dead: { Value: ARN_OF('Dead'), Export: { Name: 'it:Dead' } } };
    return stackWith({ Resources: { Dead: resource('AWS::SQS::Queue', {}) }, Outputs }, { stackName });
  };
  const { queues } = readTemplates([exporting('one'), exporting('other'), importing('more', 'it')]);
  expect(queues.find(({ redrivePolicy }) => redrivePolicy !== undefined)).toMatchObject({
    redrivePolicy: { deadLetterTargetArn: { unknownBecause: expect.stringContaining('it:Dead') } },
  });
});
