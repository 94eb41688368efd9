import { type DeployCheck, deployCheck } from '../../../local';
import { type LocalAwsMatchers, matchers } from '../../../local/matchers';
import { assemblyOfTemplates } from '../../support/assembly';
import { arnOf, FAN_OUT, policy, queue, type Resources, subscription } from './app-templates';

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
    expect(result).toMatchObject({
      failure: undefined,
      receivers: [],
      risks: [],
      isSafe: true,
      isStaticallySafe: true,
      notFollowed: [],
    });
    expect(result.sent).toBeGreaterThan(20);
    await expect(result).toLoseNothing();
    await expect(expect(result).not.toLoseNothing()).rejects.toThrow('expected the deployment to lose messages');
  });

  it('that renames a subscription publishes to nobody from then on', async () => {
    const checking = check({ ...withoutSub, NewSub: Sub });
    const { unreceived, receivers } = await checking;
    expect(unreceived).toBe(27);
    expect(receivers).toMatchObject([
      { receiver: 'Test/Worker', lost: 26 },
      { receiver: 'Test/Dlq', lost: 1 },
    ]);
    await expect(expect(checking).toLoseNothing()).rejects.toThrow(
      'expected the deployment not to lose messages\n  Test/Worker: 26 lost\n    26: it was published while the topic had no subscription',
    );
    await expect(expect('cdk.out').toLoseNothing()).rejects.toThrow('toLoseNothing takes the result of deployCheck');
  });

  it('is checked with the same result each time, which names what it cannot follow', async () => {
    const rule = (EventPattern: object, Input?: string) => ({
      Type: 'AWS::Events::Rule',
      Properties: { EventPattern, Targets: [{ Id: 'queue', Arn: arnOf('Queue'), Input }] },
    });
    const Own = rule({ source: ['shop'] }, '{}');
    const Things = { Type: 'AWS::IoT::TopicRule', Properties: { TopicRulePayload: { Actions: [], Sql: 'x' } } };
    const after = {
      ...FAN_OUT,
      Dlq: queue({ QueueName: 'other' }),
      Things,
      Own,
      Far: rule({ account: ['210987654321'] }),
    };
    const [once, again] = [await check(after), await check(after)];
    expect(once).toEqual(again);
    expect(once.notFollowed).toEqual([
      'Test/Far: no event was found that matches its pattern {"account":["210987654321"]}',
      expect.stringMatching(/^Test\/Own: the target arn:aws:sqs:.* gets an input of its own, not the event$/),
      'Test/Things: nothing is sent to resources of the type AWS::IoT::TopicRule',
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
    const { receivers, notFollowed, isSafe } = await deployCheck(before, after, { parameters: { Old: 'a', New: 'a' } });
    expect({ receivers, isSafe }).toEqual({ receivers: [], isSafe: true });
    expect(notFollowed).toEqual(['Other: the new version does not have this stack, so it stays as it is']);
    const misspelt = deployCheck(before, after, { parameters: { Old: 'a', New: 'a', Nwe: 'b' } });
    await expect(misspelt).rejects.toThrow('parameter Nwe has a value, but no template declares it');
    await expect(deployCheck(after, assemblyOfTemplates({ Next: named('New') }))).rejects.toThrow(
      'the new version must have a stack of the old one, which has Test: it has Next.',
    );
  });

  it('of an app that takes no messages says that nothing was sent', async () => {
    const { sent, notFollowed } = await check(
      { Bucket: { Type: 'AWS::S3::Bucket' } },
      { Bucket: { Type: 'AWS::S3::Bucket' } },
    );
    expect([sent, notFollowed]).toEqual([0, [expect.stringMatching(/nothing was sent$/)]]);
  });
});
