import { Annotations, App, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { isAcknowledged, loggingRoleArn, NODE_24, needsCdk } from '../../../lib/shared/cdk-features';

describe('A property that an older aws-cdk-lib would ignore', () => {
  const problems = (installed: string) => needsCdk('provisionedPollerConfig', {}, '2.254.0', () => installed);

  test.each(['2.200.0', '2.253.9', '1.999.0', '2.9.0'])('is a problem with %s', installed => {
    expect(problems(installed)).toEqual([
      {
        property: 'provisionedPollerConfig',
        rule: `needs aws-cdk-lib 2.254.0 or later (installed: ${installed})`,
        value: {},
      },
    ]);
  });

  test.each(['2.254.0', '2.254.1', '2.276.0', '2.1000.0', '3.0.0', '2.254.0-rc.1'])('is none with %s', installed => {
    expect(problems(installed)).toEqual([]);
  });

  test('is no problem if it is absent', () => {
    const installed = () => {
      throw new Error('asked');
    };
    expect(needsCdk('provisionedPollerConfig', undefined, '2.254.0', installed)).toEqual([]);
  });
});

const ID = 'dead-letter-office:too-few-receives';

test.each([
  { of: 'the construct itself', acknowledged: true, scope: (inner: Construct) => inner },
  { of: 'a construct around it', acknowledged: true, scope: (inner: Construct) => Stack.of(inner) },
  {
    of: 'another construct',
    acknowledged: false,
    scope: (inner: Construct) => new Construct(Stack.of(inner), 'Other'),
  },
])('An acknowledgement with the ids $of acknowledges: $acknowledged', ({ acknowledged, scope }) => {
  const inner = new Construct(new Stack(new App(), 'Test'), 'Inner');
  Annotations.of(scope(inner)).acknowledgeWarning(ID, 'for the test');
  expect(isAcknowledged(inner, ID)).toBe(acknowledged);
  expect([inner.node.children, inner.node.metadata]).toEqual([[], []]);
});

test('The runtime is Node.js 24, whether or not CDK has a name for it', () => {
  expect([NODE_24.name, NODE_24.supportsInlineCode]).toEqual(['nodejs24.x', true]);
});

test('The ARN of a role is found without `roleRef`', () => {
  const roleArn = 'arn:aws:iam::123456789012:role/log';
  expect([loggingRoleArn(undefined), loggingRoleArn({ roleArn } as never)]).toEqual([undefined, roleArn]);
});
