import { type DeployCheck, deployCheck } from '../../../local';
import { type LocalAwsMatchers, matchers } from '../../../local/matchers';
import { assemblyOfTemplates } from '../../support/assembly';
import { arnOf, FAN_OUT, policy, queue, type Resources, subscription, topic } from './app-templates';

declare global {
  namespace jest {
    interface Matchers<R> extends LocalAwsMatchers<R> {}
  }
}

expect.extend(matchers);

const assembly = (Resources: Resources) => assemblyOfTemplates({ Test: { Resources } });

const check = (after: Resources, before: Resources = FAN_OUT): Promise<DeployCheck> =>
  deployCheck(assembly(before), assembly(after));

const { Sub, ...withoutSub } = FAN_OUT;

/** The policy of the queue with one more statement. */
const policyWith = (statement: object) => {
  const { Type, Properties } = policy('Queue');
  const more = { Principal: '*', Action: 'sqs:SendMessage', Resource: arnOf('Queue'), ...statement };
  const Statement = [...Properties.PolicyDocument.Statement, more];
  return { Type, Properties: { ...Properties, PolicyDocument: { Statement } } };
};

const denied = (more: object = {}) => policyWith({ Sid: 'Closed', Effect: 'Deny', ...more });

/** A subscription with a dead-letter queue, into which SNS may send. */
const WITH_DLQ = {
  ...FAN_OUT,
  Sub: subscription('Topic', 'Queue', { RedrivePolicy: { deadLetterTargetArn: arnOf('Dlq') } }, 'Policy'),
  DlqPolicy: policy('Dlq'),
};

const ofAccount = { Condition: { StringEquals: { 'aws:SourceAccount': '123456789012' } } };

// What other deployments lose is in deployments.ts.
describe('a deployment', () => {
  it.each([
    ['of the same', FAN_OUT],
    [
      'of one more subscriber',
      {
        ...FAN_OUT,
        More: queue(),
        MorePolicy: policy('More'),
        MoreSub: subscription('Topic', 'More', {}, 'MorePolicy'),
      },
    ],
  ])('%s is safe', async (_, after) => {
    const result = await check(after);
    expect(result).toMatchObject({ verdict: 'safe', failure: undefined, receivers: [], risks: [], notFollowed: [] });
    expect(result.sent).toBeGreaterThan(20);
    await expect(result).toLoseNothing();
    await expect(expect(result).not.toLoseNothing()).rejects.toThrow('expected the deployment to lose messages');
  });

  it.each([
    ['for all', denied()],
    ['for an account', denied(ofAccount)],
  ])(
    'that denies %s what the queue got stops arriving, though each message is in a dead-letter queue',
    async (_, it) => {
      const { verdict, receivers } = await check({ ...WITH_DLQ, Policy: it }, WITH_DLQ);
      const cause = {
        becomes: 'dead-lettered',
        messages: 25,
        why: 'SNS gave it up: SendMessage is refused: statement 2 ("Closed") of the policy of Test/Queue denies it',
        operation: { verb: 'UPDATE', resource: 'Test/Policy' },
      };
      const change = { kind: 'stops-arriving', messages: 25, isAccepted: false, causes: [cause] };
      expect(receivers).toMatchObject([{ receiver: 'Test/Worker', delivered: 37, changes: [change] }]);
      expect(verdict).toBe('unsafe');
    },
  );

  it('that denies a queue to everyone, also to the check itself, says what stops arriving', async () => {
    const { verdict, receivers } = await check({ ...WITH_DLQ, Policy: denied({ Action: 'sqs:*' }) }, WITH_DLQ);
    const stops = expect.objectContaining({ kind: 'stops-arriving', messages: 25 });
    expect(receivers).toContainEqual(
      expect.objectContaining({ receiver: 'Test/Worker', changes: expect.arrayContaining([stops]) }),
    );
    expect(verdict).toBe('unsafe');
  });

  it('is not safe where Lambda cannot assume the role of a function any more', async () => {
    const { Type, Properties } = FAN_OUT.Role;
    const trust = { Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' };
    const Role = { Type, Properties: { ...Properties, AssumeRolePolicyDocument: { Statement: [trust] } } };
    const { verdict, notFollowed, receivers } = await check({ ...FAN_OUT, Role });
    expect(verdict).toBe('unsafe');
    expect(receivers.flatMap(({ changes }) => changes.map(({ kind }) => kind))).toContain('stops-arriving');
    expect(notFollowed).toMatchObject([
      { name: 'new version', why: expect.stringContaining('cannot be assumed by Lambda'), isOnTheWay: true },
    ]);
  });

  it('is safe with a change that is accepted, and not with another one of the same receiver', async () => {
    const accept = ['Test/Worker:stops-arriving'];
    const closed = { ...WITH_DLQ, Policy: denied() };
    const accepted = await deployCheck(assembly(WITH_DLQ), assembly(closed), { accept });
    expect(accepted.receivers).toMatchObject([{ receiver: 'Test/Worker', changes: [{ isAccepted: true }] }]);
    await expect(accepted).toLoseNothing();
    const { Sub: it, ...others } = WITH_DLQ;
    const lost = await deployCheck(assembly(WITH_DLQ), assembly({ ...others, NewSub: it }), { accept });
    expect(lost.receivers).toMatchObject([{ receiver: 'Test/Worker', changes: [{ kind: 'lost', isAccepted: false }] }]);
    expect(lost.verdict).toBe('unsafe');
  });

  it.each([
    [
      'Test/Wroker:stops-arriving',
      'accept must name a receiver that exists, got Test/Wroker: did you mean Test/Worker?',
    ],
    [
      'Test/Worker:stops',
      'accept must be RECEIVER:KIND, with a kind of stops-arriving, runs-less-often, loses-its-dead-letter-queue, lost',
    ],
    ['Test/Worker', 'accept must be RECEIVER:KIND'],
    ['Test/Topic:lost', 'accept must name a receiver that exists, got Test/Topic'],
  ])('with the accepted %s is refused', async (accept, error) => {
    const checking = deployCheck(assembly(FAN_OUT), assembly(FAN_OUT), { accept: [accept] });
    await expect(checking).rejects.toThrow(error);
  });

  it('that renames a subscription publishes to nobody from then on', async () => {
    const checking = check({ ...withoutSub, NewSub: Sub });
    const { unreceived, receivers } = await checking;
    expect(unreceived).toBe(27);
    expect(receivers).toMatchObject([{ receiver: 'Test/Worker', changes: [{ kind: 'lost', messages: 26 }] }]);
    await expect(expect(checking).toLoseNothing()).rejects.toThrow(
      'expected the deployment not to lose messages\n  Test/Worker: 26 lost\n    26: it was published while the topic had no subscription',
    );
    await expect(expect('cdk.out').toLoseNothing()).rejects.toThrow('toLoseNothing takes the result of deployCheck');
  });

  it('is unknown where something on the way of the messages is not simulated, unless that is allowed', async () => {
    const ofAddress = { Effect: 'Allow', Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } };
    const allowed = { ...FAN_OUT, Policy: policyWith(ofAddress) };
    const result = await check(allowed);
    expect(result).toMatchObject({ verdict: 'unknown', receivers: [] });
    expect(result.notFollowed).toMatchObject([{ name: 'Test/Policy', isOnTheWay: true }]);
    await expect(expect(result).toLoseNothing()).rejects.toThrow(
      /to lose messages\n {2}unknown: Test\/Policy: .*SourceIp/,
    );
    const known = { allowUnknown: ['Test/Policy'] };
    await expect(deployCheck(assembly(FAN_OUT), assembly(allowed), known)).toLoseNothing();
    await expect(deployCheck(assembly(FAN_OUT), assembly(FAN_OUT), { allowUnknown: ['Test/Polcy'] })).rejects.toThrow(
      'allowUnknown must name a resource or a part that exists, got Test/Polcy: did you mean Test/Policy',
    );
  });

  it('is unknown with a managed policy whose document is unknown, and not with one that is known', async () => {
    const withPolicy = (name: string) => {
      const { Type, Properties } = FAN_OUT.Role;
      const { Policies: _, ...others } = Properties;
      return {
        ...FAN_OUT,
        Role: { Type, Properties: { ...others, ManagedPolicyArns: [`arn:aws:iam::aws:policy/${name}`] } },
      };
    };
    const known = withPolicy('service-role/AWSLambdaSQSQueueExecutionRole');
    expect(await check(known, known)).toMatchObject({ verdict: 'safe', notFollowed: [] });
    const result = await check(withPolicy('NobodyKnowsThisOne'), known);
    expect(result).toMatchObject({ verdict: 'unknown', receivers: [] });
    expect(new Set(result.notFollowed.map(({ name }) => name))).toEqual(new Set(['Test/Role']));
  });

  it('is checked with the same result each time, which names what it cannot follow', async () => {
    const rule = (EventPattern: object, Input?: string) => ({
      Type: 'AWS::Events::Rule',
      Properties: { EventPattern, Targets: [{ Id: 'queue', Arn: arnOf('Queue'), Input }] },
    });
    const before = {
      ...FAN_OUT,
      Things: { Type: 'AWS::IoT::TopicRule', Properties: { TopicRulePayload: { Actions: [], Sql: 'x' } } },
      Own: rule({ source: ['shop'] }, '{}'),
      Pipe: {
        Type: 'AWS::Pipes::Pipe',
        Properties: { Source: arnOf('Queue'), Target: arnOf('Worker'), RoleArn: arnOf('Role') },
      },
    };
    const after = { ...before, Far: rule({ account: ['210987654321'] }), Dlq: queue({ QueueName: 'other' }) };
    const [once, again] = [await check(after, before), await check(after, before)];
    expect(once).toEqual(again);
    const own = 'a target gets an input of its own. The check sends it the whole event: the input is not tried';
    const why = expect.stringContaining('nothing is sent to resources of the type');
    expect(once.notFollowed).toEqual([
      { name: 'Test/Own', why: own, isOnTheWay: false },
      { name: 'Test/Things', why, isOnTheWay: false },
      { name: 'Test/Pipe', why, isOnTheWay: true },
      { name: 'Test/Pipe', why: 'AWS::Pipes::Pipe is not simulated', isOnTheWay: true },
      expect.objectContaining({ name: 'Test/Far', isOnTheWay: false }),
    ]);
  });

  it('leaves stacks as they are that the new version does not have, and gives each version its parameters', async () => {
    const named = (Name: string) => ({
      Parameters: { [Name]: { Type: 'String' } },
      Resources: { Queue: queue({ QueueName: { Ref: Name } }) },
    });
    const [before, after] = [
      assemblyOfTemplates({ Test: named('Old'), Other: { Resources: FAN_OUT } }),
      assemblyOfTemplates({ Test: named('New') }),
    ];
    const { receivers, notFollowed, verdict } = await deployCheck(before, after, {
      parameters: { Old: 'a', New: 'a' },
    });
    expect({ receivers, verdict }).toEqual({ receivers: [], verdict: 'safe' });
    const why = 'the new version does not have this stack, so it stays as it is';
    expect(notFollowed).toEqual([{ name: 'Other', why, isOnTheWay: false }]);
    const misspelt = deployCheck(before, after, { parameters: { Old: 'a', Neww: 'b' } });
    await expect(misspelt).rejects.toThrow(
      'parameter Neww has a value, but no template declares it: did you mean New?\nparameter New of the new version has no default: give it a value (--parameter New=…)',
    );
    const other = deployCheck(after, assemblyOfTemplates({ Next: named('New') }));
    await expect(other).rejects.toThrow(
      'the new version must have a stack of the old one, which has Test: it has Next.',
    );
  });

  it('of one stack alone finds what it imports from a stack that stays', async () => {
    const core = {
      Resources: { Topic: topic() },
      Outputs: { Arn: { Value: { Ref: 'Topic' }, Export: { Name: 'topic' } } },
    };
    const { Type, Properties } = subscription('Topic', 'Queue');
    const Imported = { Type, Properties: { ...Properties, TopicArn: { 'Fn::ImportValue': 'topic' } } };
    const shop = (...senders: readonly string[]) => ({
      Shop: { Resources: { Queue: queue(), Policy: policy('Queue', senders), Imported } },
    });
    const before = assemblyOfTemplates({ Core: core, ...shop('sns') });
    expect(await deployCheck(before, assemblyOfTemplates(shop('sns')))).toMatchObject({
      verdict: 'safe',
      notFollowed: [{ name: 'Core', isOnTheWay: false }],
    });
    const closed = await deployCheck(before, assemblyOfTemplates(shop('events')));
    expect(closed.receivers).toMatchObject([{ receiver: 'Shop/Queue', changes: [{ kind: 'stops-arriving' }] }]);
  });

  it('of an app that takes no messages says that nothing was sent, and not that it is safe', async () => {
    const bucket = { Bucket: { Type: 'AWS::S3::Bucket' } };
    const { sent, verdict, notFollowed } = await check(bucket, bucket);
    expect([sent, verdict, notFollowed]).toMatchObject([0, 'unknown', [{ name: 'traffic', isOnTheWay: true }]]);
  });
});
