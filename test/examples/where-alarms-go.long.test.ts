import { CloudWatchClient, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { Match } from 'aws-cdk-lib/assertions';
import { response } from '../../local';
import { templateOf } from '../lib/support';
import { Deployed } from '../support/deployed';
import { load } from '../support/examples';
import { annotations } from '../support/validations';

const HOST = 'events.pager.example.com';
const FAILED = '/Orders/FailedReports/UnattendedAlarm';

test('docs/examples/operations/chat.ts subscribes a channel, and warns of nothing', () => {
  const { app, stacks } = load('operations/chat.ts');
  app.synth();
  const [stack] = stacks;
  if (!stack) throw new Error('there is no stack');
  expect(annotations(stack)).toEqual([]);
  templateOf(stack).hasResourceProperties('AWS::Chatbot::SlackChannelConfiguration', {
    SnsTopicArns: [{ Ref: Match.stringLikeRegexp('^Ops') }],
  });
});

describe('docs/examples/operations/where-alarms-go.ts', () => {
  let deployed: Deployed;

  const set = (alarm: string, StateValue: 'ALARM' | 'OK') =>
    new CloudWatchClient(deployed.aws.clientConfig()).send(
      new SetAlarmStateCommand({ AlarmName: deployed.ref(alarm), StateValue, StateReason: 'a drill' }),
    );

  /** What the pager accepted. */
  const paged = () =>
    deployed.aws
      .endpoint(HOST)
      .requests.filter(({ reply }) => 'status' in reply && reply.status === 200)
      .map(({ body }) => JSON.parse(Buffer.from(body).toString('utf8')));

  async function deploy(startAt: string): Promise<void> {
    const { app } = load('operations/where-alarms-go.ts');
    deployed = await Deployed.assembly(app.synth().directory, { startAt });
    await new SecretsManagerClient(deployed.aws.clientConfig()).send(
      new PutSecretValueCommand({ SecretId: deployed.ref('/Orders/PagerUrl'), SecretString: `https://${HOST}/key` }),
    );
  }

  afterEach(() => deployed.close());

  test('pages as SNS would, and keeps an alarm through five hours in which the pager is down', async () => {
    await deploy('2026-03-02T09:00:00Z');
    const untilMs = deployed.aws.nowMs + 5 * 3_600_000;
    deployed.aws.endpoint(HOST).behave({ untilMs, reply: response(503) });
    await set(FAILED, 'ALARM');
    await deployed.advance({ hours: 4 });
    expect(paged()).toEqual([]);
    await deployed.advance({ hours: 3 });
    expect(paged()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          Type: 'Notification',
          TopicArn: deployed.ref('/Orders/Pager'),
          Subject: expect.stringMatching(/^ALARM: "/),
          Message: expect.stringContaining('"NewStateValue":"ALARM"'),
        }),
      ]),
    );
    expect(deployed.happened('sns.lost')).toEqual([]);
  });

  test('tells the chat, and not the pager, that the pager is down', async () => {
    await deploy('2026-03-02T09:00:00Z');
    deployed.aws.endpoint(HOST).behave({ reply: response(503) });
    await set(FAILED, 'ALARM');
    await deployed.advance({ hours: 2 });
    const executed = deployed.happened('cloudwatch.action-executed').filter(it => it.alarmName.includes('PagerRelay'));
    expect(executed.length).toBeGreaterThan(0);
    expect(new Set(executed.map(({ actionArn }) => actionArn))).toEqual(new Set([deployed.ref('/Orders/Chat')]));
  });

  test('is quiet at night about reports, and notifies in the morning', async () => {
    // The night in Berlin begins at 21:00 UTC.
    await deploy('2026-03-02T21:30:00Z');
    await deployed.advance({ minutes: 30 });
    await deployed.send('/Orders/FailedReports', 'a report that failed');
    const actions = () =>
      deployed.happened('cloudwatch.action-executed').filter(it => it.alarmName === deployed.ref(FAILED));
    await deployed.advance({ hours: 7 });
    expect(actions()).toEqual([]);
    await deployed.advance({ hours: 2 });
    expect(actions().map(({ actionArn }) => actionArn)).toEqual([
      deployed.ref('/Orders/Chat'),
      deployed.ref('/Orders/Pager'),
    ]);
  });
});
