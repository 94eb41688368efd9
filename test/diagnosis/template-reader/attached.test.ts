import { isKnown } from '../../../template/told';
import { inventoryOf, only, type Resources } from './read';

const PolicyDocument = { Statement: [] };
const HERE = 'eu-west-1:123456789012';

const KINDS: Readonly<Record<string, (name: string) => { Properties: Resources; Type: string }>> = {
  queue: name => ({
    Type: 'AWS::SQS::QueuePolicy',
    Properties: { Queues: [`https://sqs.eu-west-1.amazonaws.com/123456789012/${name}`], PolicyDocument },
  }),
  topic: name => ({
    Type: 'AWS::SNS::TopicPolicy',
    Properties: { Topics: [`arn:aws:sns:${HERE}:${name}`], PolicyDocument },
  }),
  function: name => ({
    Type: 'AWS::Lambda::Permission',
    Properties: { FunctionName: `arn:aws:lambda:${HERE}:function:${name}`, Principal: '*', Action: 'lambda:*' },
  }),
};

/** Whether it is told which policy a queue, a topic and a function have, where one is written for this name elsewhere. */
function isPolicyKnown(kind: string, written: string, given: string | undefined): boolean {
  const named = (property: string) => (given === undefined ? {} : { [property]: given });
  const { queues, topics, functions } = inventoryOf({
    ...(kind === 'queue' && { It: { Type: 'AWS::SQS::Queue', Properties: named('QueueName') } }),
    ...(kind === 'topic' && { It: { Type: 'AWS::SNS::Topic', Properties: named('TopicName') } }),
    ...(kind === 'function' && { It: { Type: 'AWS::Lambda::Function', Properties: named('FunctionName') } }),
    Policy: KINDS[kind]?.(written),
  });
  const made = [...queues, ...topics, ...functions].filter(({ place }) => place?.logicalId === 'It');
  return isKnown(only(made).policy);
}

describe.each(Object.keys(KINDS))('a %s of a stack that does not tell where it goes', kind => {
  test.each<[string, string | undefined, boolean]>([
    ['may have the policy that names it in one place', 'orders', false],
    ['has not that of another', 'invoices', true],
    ['has not that of another, where AWS makes its name up', undefined, true],
  ])('%s', (_, name, isTheOther) => {
    expect(isPolicyKnown(kind, 'orders', name)).toBe(isTheOther);
  });
});

test('a target of a rule that has a role itself may be reached by that', () => {
  const rule = (more: Resources, target: Resources = {}) => ({
    Type: 'AWS::Events::Rule',
    Properties: { Targets: [{ Id: '0', Arn: `arn:aws:sqs:${HERE}:orders`, ...target }], ...more },
  });
  const RoleArn = 'arn:aws:iam::123456789012:role/rule';
  const unknownBecause = { unknownBecause: expect.stringContaining('role of the rule') };
  const { targets } = inventoryOf({
    None: rule({}),
    OfRule: rule({ RoleArn }),
    OfTarget: rule({ RoleArn: 'arn:aws:iam::123456789012:role/other' }, { RoleArn }),
  });
  expect(targets.map(({ roleArn }) => roleArn)).toEqual([undefined, unknownBecause, RoleArn]);
});
