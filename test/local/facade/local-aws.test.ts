import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { CloudWatchClient, DescribeAlarmsCommand, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import {
  CreateTopicCommand,
  ListSubscriptionsByTopicCommand,
  NotFoundException,
  PublishCommand,
  SNSClient,
} from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  ListQueuesCommand,
  QueueDoesNotExist,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { LocalAws, type LocalAwsOptions, type TimeSpan } from '../../../local';
import { assemblyOf, assemblyOfStack } from '../../support/assembly';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { eventually } from '../wire/server/served-aws';

const START_MS = Date.UTC(2026, 0, 1);

function shop(stack: Stack): void {
  const topic = new Topic(stack, 'Orders', { topicName: 'Orders' });
  const queue = new Queue(stack, 'Queue', { queueName: 'Fulfilment' });
  topic.addSubscription(new SqsSubscription(queue, { rawMessageDelivery: true }));
  queue.metricApproximateAgeOfOldestMessage().createAlarm(stack, 'Alarm', { threshold: 1, evaluationPeriods: 1 });
  new CfnOutput(stack, 'QueueUrl', { value: queue.queueUrl });
}

const INSTANT =
  'an instant must be ISO 8601 (a date, or a date and time with Z or an offset), or milliseconds since the Unix epoch';

describe('time', () => {
  const deployShop = (options?: LocalAwsOptions) => Deployed.stack(shop, options);

  test('begins at the turn of the year 2026 unless told otherwise', async () => {
    expect((await deployShop()).aws.now).toBe('2026-01-01T00:00:00.000Z');
    expect((await deployShop({ startAt: '2030-05-06T07:08:09Z' })).aws.now).toBe('2030-05-06T07:08:09.000Z');
    expect((await deployShop({ startAt: START_MS + 1 })).aws.nowMs).toBe(START_MS + 1);
  });

  test('cannot begin at an instant that is none', async () => {
    const message = `${INSTANT}, got "yesterday"`;
    await expect(deployShop({ startAt: 'yesterday' })).rejects.toThrow(new RangeError(message));
  });

  test('moves by what is added up, or to an instant, and does what is due meanwhile', async () => {
    const { aws } = await deployShop();
    const done: string[] = [];
    for (const hours of [1, 25, 50]) {
      aws.timeline.at(START_MS + hours * 3_600_000, () => void done.push(`${hours} h at ${aws.now}`));
    }
    expect(await aws.advance({ days: 1, hours: 1, minutes: 30, seconds: 15 })).toBeGreaterThanOrEqual(2);
    expect(aws.now).toBe('2026-01-02T01:30:15.000Z');
    expect(done).toEqual(['1 h at 2026-01-01T01:00:00.000Z', '25 h at 2026-01-02T01:00:00.000Z']);
    await aws.advanceTo('2026-01-03T02:00:00Z');
    expect(done).toHaveLength(3);
    expect(aws.now).toBe('2026-01-03T02:00:00.000Z');
  });

  test('runs until nothing is due, and does not wait for what goes on for ever', async () => {
    const deployed = await deployShop();
    await deployed.send('Queue', 'sampled every minute as long as it lies there');
    deployed.aws.timeline.after(5_000, () => {});
    await deployed.aws.runUntilIdle();
    expect(deployed.seconds).toBe(5);
    expect(await deployed.aws.runUntilIdle()).toBe(0);
    expect(deployed.seconds).toBe(5);
  });

  test.each<[object, string]>([
    [{ hours: Number.NaN }, 'hours must be a number from 0 to 2400000000, got NaN'],
    [{ hours: -1 }, 'hours must be a number from 0 to 2400000000, got -1'],
    [{ days: Number.POSITIVE_INFINITY }, 'days must be a number from 0 to 100000000, got Infinity'],
    [{ seconds: '5' }, 'seconds must be a number from 0 to 8640000000000, got 5'],
    [{ hour: 1 }, 'hour is not a unit of time: it must be one of days, hours, minutes, seconds'],
    [
      { minute: 1, seconds: -1 },
      'minute is not a unit of time: it must be one of days, hours, minutes, seconds; ' +
        'seconds must be a number from 0 to 8640000000000, got -1',
    ],
    [{ days: 100_000_001 }, 'days must be a number from 0 to 100000000, got 100000001'],
  ])('is not moved by %j', async (stretch, message) => {
    const { aws } = await deployShop();
    await expect(aws.advance(stretch)).rejects.toThrow(new RangeError(message));
    expect(aws.nowMs).toBe(START_MS);
  });

  test.each([60, '60', [60], null])('is not moved by %j, which has no unit', async stretch => {
    const aws = LocalAws.start();
    const advancing = aws.advance(stretch as unknown as TimeSpan);
    await expect(advancing).rejects.toThrow('a time span must be an object such as { minutes: 5 }, got');
    expect(aws.nowMs).toBe(START_MS);
  });

  test('is moved by whole milliseconds, by nothing, and by what is left undefined', async () => {
    const { aws } = await deployShop();
    await aws.advance({ hours: undefined, minutes: 0, seconds: 1 / 3 });
    expect(aws.nowMs).toBe(START_MS + 333);
    await aws.advanceTo(aws.nowMs);
    expect(aws.nowMs).toBe(START_MS + 333);
  });

  test.each([
    ['2020-01-01', 'until must be 2026-01-01T00:00:00.000Z (now) or later, got 2020-01-01'],
    [START_MS - 1, `until must be 2026-01-01T00:00:00.000Z (now) or later, got ${START_MS - 1}`],
    ['soon', `${INSTANT}, got "soon"`],
    [Number.POSITIVE_INFINITY, `${INSTANT}, got Infinity`],
  ])('is not moved to %s', async (until, message) => {
    const { aws } = await deployShop();
    await expect(aws.advanceTo(until)).rejects.toThrow(new RangeError(message));
    expect(aws.nowMs).toBe(START_MS);
  });

  test('is moved by one at a time', async () => {
    const { aws } = await deployShop();
    const moving = aws.advance({ seconds: 1 });
    await expect(aws.runUntilIdle()).rejects.toThrow('time is already moving');
    await moving;
  });
});

describe('what was deployed', () => {
  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await Deployed.stack(shop);
  });

  test('is found by logical id, by path, and by output', () => {
    const { aws } = deployed;
    const queue = aws.resource('Test/Queue');
    expect(queue).toMatchObject({
      type: 'AWS::SQS::Queue',
      path: 'Test/Queue/Resource',
      ref: 'https://sqs.us-east-1.amazonaws.com/123456789012/Fulfilment',
      attributes: { Arn: 'arn:aws:sqs:us-east-1:123456789012:Fulfilment', QueueName: 'Fulfilment' },
    });
    const [logicalId] = [...(aws.stacks[0]?.resources ?? [])].find(([, resource]) => resource === queue) ?? [''];
    expect(logicalId).toMatch(/^Queue[0-9A-F]{8}$/);
    for (const id of [logicalId, 'Queue', 'Fulfilment', queue.ref, queue.attributes['Arn'] ?? '']) {
      expect(aws.resource(id)).toBe(queue);
    }
    expect(aws.output('QueueUrl')).toBe(queue.ref);
  });

  test('is missed by name', () => {
    expect(() => deployed.aws.resource('Test/Que')).toThrow(
      'there is no resource "Test/Que"; the nearest: Test/Queue, Test/Alarm, Test/Orders',
    );
    expect(() => deployed.aws.output('Url')).toThrow('there is no output "Url"; the nearest: Test.QueueUrl');
  });

  test('is told apart by its stack where a name stands in several', async () => {
    const assembly = assemblyOf(app => {
      for (const [id, stackName] of [
        ['Test', 'Test'],
        ['Other', 'Other-Shop'],
      ] as const) {
        const stack = new Stack(app, id, { stackName });
        new CfnQueue(stack, 'Queue', { queueName: `${id}-Queue` });
        new CfnOutput(stack, 'Id', { value: id });
      }
    });
    const { aws } = await Deployed.assembly(assembly);
    expect(() => aws.output('Id')).toThrow(new Error('"Id" is ambiguous: use one of Test.Id, Other-Shop.Id'));
    expect(['Test.Id', 'Other-Shop.Id'].map(name => aws.output(name))).toEqual(['Test', 'Other']);
    const ambiguous = '"Queue" is ambiguous: use one of Test/Queue, Other/Queue';
    expect(() => aws.resource('Queue')).toThrow(new Error(ambiguous));
    const names = ['Test/Queue', 'Other-Shop/Queue', 'Other/Queue'].map(id => aws.resource(id).attributes['QueueName']);
    expect(names).toEqual(['Test-Queue', 'Other-Queue', 'Other-Queue']);
    expect(() => aws.output('Other.Id')).toThrow('there is no output "Other.Id"; the nearest: Other-Shop.Id, Test.Id');
  });

  test('is spoken to by the clients of the SDK', async () => {
    const { aws } = deployed;
    const [sns, sqs] = [new SNSClient(aws.clientConfig()), new SQSClient(aws.clientConfig())];
    const TopicArn = 'arn:aws:sns:us-east-1:123456789012:Orders';
    const { Subscriptions } = await sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
    expect(Subscriptions).toMatchObject([{ Protocol: 'sqs', Endpoint: aws.resource('Test/Queue').attributes['Arn'] }]);
    await sns.send(new PublishCommand({ TopicArn, Message: 'Zoë & Co' }));
    await aws.runUntilIdle();
    expect(await deployed.take('Queue')).toEqual(['Zoë & Co']);

    const cloudWatch = new CloudWatchClient(aws.clientConfig());
    const AlarmName = deployed.ref('Alarm');
    await cloudWatch.send(new SetAlarmStateCommand({ AlarmName, StateValue: 'ALARM', StateReason: 'a drill' }));
    const { MetricAlarms } = await cloudWatch.send(new DescribeAlarmsCommand({ AlarmNames: [AlarmName] }));
    expect(MetricAlarms).toMatchObject([{ StateValue: 'ALARM', StateReason: 'a drill' }]);

    const QueueUrl = `${deployed.ref('Queue')}-Gone`;
    await expect(sqs.send(new ReceiveMessageCommand({ QueueUrl }))).rejects.toThrow(QueueDoesNotExist);
    await expect(sns.send(new PublishCommand({ TopicArn: `${TopicArn}Gone`, Message: 'x' }))).rejects.toThrow(
      NotFoundException,
    );
  });

  test('answers a long poll the moment the message comes', async () => {
    const sqs = new SQSClient(deployed.aws.clientConfig());
    const QueueUrl = deployed.ref('Queue');
    const startMs = deployed.aws.nowMs;
    const poll = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
    deployed.aws.timeline.at(startMs + 7_000, async () => {
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'at last' }));
    });
    await deployed.aws.advance({ seconds: 20 });
    expect((await poll).Messages?.map(({ Body }) => Body)).toEqual(['at last']);
    expect(deployed.happened('sqs.received').at(-1)?.atMs).toBe(startMs + 7_000);
  });
});

describe('the same seed, assembly and calls', () => {
  const assembly = assemblyOfStack(stack => {
    shop(stack);
    const code = 'exports.handler = async () => { console.log(Math.random(), Date.now()); throw new Error("x"); };';
    const handler = inlineFunction(stack, 'Handler', code, { deadLetterQueueEnabled: true });
    new Topic(stack, 'ToFunction').addSubscription(new LambdaSubscription(handler));
  });

  const play = async (seed: string | number) => {
    const deployed = await Deployed.assembly(assembly, { seed });
    for (const topic of ['Orders', 'ToFunction']) await deployed.publish(topic, 'an order');
    await deployed.advance({ minutes: 5 });
    await deployed.take('Queue');
    await deployed.advance({ hours: 7 });
    return { trace: deployed.aws.trace.toJsonLines(), log: deployed.log(`/aws/lambda/${deployed.ref('Handler')}`) };
  };

  test('write the same bytes, and another seed writes others', async () => {
    const [once, again, another] = [await play(7), await play(7), await play('another')];
    expect(once.trace.split('\n').length).toBeGreaterThan(15);
    expect(again).toEqual(once);
    expect(another.trace).not.toBe(once.trace);
    expect(another.log).not.toEqual(once.log);
  });
});

describe('an account with nothing in it', () => {
  test.each([
    [{ account: '111122223333', region: 'eu-west-1' }, 'arn:aws:sns:eu-west-1:111122223333:orders'],
    [{ region: 'cn-north-1' }, 'arn:aws-cn:sns:cn-north-1:123456789012:orders'],
    [{ account: '111122223333' }, 'arn:aws:sns:us-east-1:111122223333:orders'],
  ])('derives what the place %j omits', async (place, arn) => {
    const aws = LocalAws.start({ place });
    const { TopicArn } = await new SNSClient(aws.clientConfig()).send(new CreateTopicCommand({ Name: 'orders' }));
    expect(TopicArn).toBe(arn);
    await aws.close();
  });

  test('takes what clients make in it', async () => {
    const aws = LocalAws.start({ seed: 3, startAt: '2026-02-03T00:00:00Z' });
    const sqs = new SQSClient(aws.clientConfig());
    expect((await sqs.send(new ListQueuesCommand())).QueueUrls).toBeUndefined();
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'orders' }));
    expect((await sqs.send(new ListQueuesCommand())).QueueUrls).toEqual([QueueUrl]);
    expect({ now: aws.now, stacks: aws.stacks }).toEqual({ now: '2026-02-03T00:00:00.000Z', stacks: [] });
    await aws.close();
  });
});

describe('an option that makes no sense', () => {
  const ANSWERS =
    "customResources must have answers by type, such as { 'Custom::AWS': { PhysicalResourceId: 'id', Data: { Name: 'text' } } }";
  const STAND_INS = "standIns must be 'warn' or 'refuse', or an object of these by resource type";
  test.each<[object, string]>([
    [
      { sed: 1 },
      'sed is not known (is seed meant?): there are seed, startAt, place, places, standIns, customResources, forward, timeline, trace, sns, lambda, got 1',
    ],
    [{ standIns: 'ignore' }, `${STAND_INS}, got "ignore"`],
    [{ customResources: { Thing: {} } }, `${ANSWERS}, got {"Thing":{}}`],
    [{ customResources: { 'Custom::A': { Data: { a: 1 } } } }, `${ANSWERS}, got {"Custom::A":{"Data":{"a":1}}}`],
    [{ standIns: { 'AWS::S3::*': 'warn', '*': 'no' } }, `${STAND_INS} or *, got {"AWS::S3::*":"warn","*":"no"}`],
    [{ standIns: { 'AWS::S3::Bukket': 'warn' } }, 'standIns must name resource types that exist, got AWS::S3::Bukket'],
    [{ startAt: '2026-03-02T09:00:00' }, `${INSTANT}, got "2026-03-02T09:00:00"`],
    [{ place: 'eu-west-1' }, 'place must be an object, got "eu-west-1"'],
    [{ place: { account: 42 } }, 'place.account must be twelve digits, got 42'],
    [
      { place: { region: 'Frankfurt', zone: 'a' } },
      'place.region must be a Region such as us-east-1, got "Frankfurt"; ' +
        'place.zone is not known: there are account, region, partition, urlSuffix, got "a"',
    ],
  ])('is refused when an account begins: %j', (options, message) => {
    expect(() => LocalAws.start(options)).toThrow(new RangeError(message));
  });

  const ASSEMBLY =
    'the assembly must be the path of a cloud assembly or template, the result of app.synth(), or a list of one or more of these';
  test.each<[string, (aws: LocalAws) => Promise<unknown>, string]>([
    ['update(undefined)', aws => aws.update(undefined as unknown as string), `${ASSEMBLY}, got nothing`],
    ['deploy([])', () => LocalAws.deploy([]), `${ASSEMBLY}, got []`],
    [
      'destroy(5)',
      aws => aws.destroy(5 as unknown as string),
      'stackNames must be the name of a stack or a list of names, got 5',
    ],
  ])('is refused as an argument: %s', async (_, act, message) => {
    const aws = LocalAws.start({ standIns: { '*': 'warn', 'AWS::CDK::Context': 'refuse' } });
    await expect(act(aws)).rejects.toThrow(new RangeError(message));
    await aws.close();
  });

  test.each<[object, string]>([
    [{ speed: -5 }, 'speed must be max, or a number of 0 or more, got -5'],
    [{ speed: 'fast' }, 'speed must be max, or a number of 0 or more, got "fast"'],
    [
      { sped: 1 },
      'sped is not known (is speed meant?): there are port, host, allowHosts, speed, rewindable, onRestored, onError, got 1',
    ],
  ])('is refused when it listens: %j', async (options, message) => {
    const aws = LocalAws.start();
    await expect(aws.listen(options)).rejects.toThrow(new RangeError(message));
    await aws.close();
  });
});

test('who receives outside of AWS is told how to answer, and what reached them can be read', async () => {
  const aws = LocalAws.start();
  const sns = new SNSClient(aws.clientConfig());
  aws.recipients.behave('+15550100', { outcome: { kind: 'answered', statusCode: 500 }, count: 2 });
  await sns.send(new PublishCommand({ PhoneNumber: '+15550100', Message: 'late' }));
  await aws.advance({ seconds: 19 });
  expect(aws.recipients.receipts('+15550100')).toEqual([]);
  // The customer-managed policy: two retries, ten seconds apart.
  await aws.advance({ seconds: 2 });
  expect(aws.recipients.receipts('+15550100')).toMatchObject([{ protocol: 'sms', body: 'late' }]);
  await aws.close();
});

describe('listening', () => {
  const broken = () => {
    throw new Error('broken scenario');
  };

  describe('work that breaks while AWS is served, and nobody waits for it', () => {
    async function brokenAt(options: Parameters<LocalAws['listen']>[0]) {
      const aws = LocalAws.start();
      const { close } = await aws.listen({ speed: 'max', ...options });
      aws.timeline.after(10, broken);
      await eventually(() => aws.trace.events.some(({ type }) => type === 'wire.broke'));
      return { aws, close };
    }

    it('is in the trace, and is thrown once at whoever moves time next', async () => {
      const { aws } = await brokenAt({});
      expect(aws.trace.events).toMatchObject([
        { type: 'wire.broke', error: expect.stringContaining('broken scenario') },
      ]);
      await expect(aws.advance({ seconds: 1 })).rejects.toMatchObject({
        name: 'WorkFailed',
        cause: { message: 'broken scenario' },
      });
      await expect(aws.advance({ seconds: 1 })).resolves.toBe(0);
      await aws.close();
    });

    it('is thrown at whoever lets the world come to rest', async () => {
      const { aws } = await brokenAt({});
      await expect(aws.runUntilIdle()).rejects.toThrow('broken scenario');
      await aws.close();
    });

    it('is thrown at whoever stops listening, which has stopped all the same', async () => {
      const { aws, close } = await brokenAt({});
      await expect(close()).rejects.toThrow('broken scenario');
      await aws.listen();
      await aws.close();
    });

    it('is thrown at whoever closes AWS', async () => {
      const { aws } = await brokenAt({});
      await expect(aws.close()).rejects.toThrow('broken scenario');
      await expect(aws.close()).resolves.toBeUndefined();
    });

    it('is told to `onError` instead, where there is one', async () => {
      const errors: unknown[] = [];
      const { aws } = await brokenAt({ onError: error => errors.push(error) });
      expect(errors).toMatchObject([{ cause: { message: 'broken scenario' } }]);
      await expect(aws.advance({ seconds: 1 })).resolves.toBe(0);
      await aws.close();
    });
  });

  it('is for this machine alone: no other address of it answers', async () => {
    const aws = LocalAws.start();
    const { port } = await aws.listen();
    const answers = (host: string) =>
      new Promise<boolean>(resolve => {
        const socket = connect(port, host, () => resolve(true)).once('error', () => resolve(false));
        socket.once('close', () => resolve(false)).once('connect', () => socket.destroy());
      });
    const own = Object.values(networkInterfaces()).flatMap(it => it ?? []);
    const others = ['127.0.0.2', ...own.filter(it => !it.internal && it.family === 'IPv4').map(it => it.address)];
    expect(await answers('127.0.0.1')).toBe(true);
    for (const host of others) expect([host, await answers(host)]).toEqual([host, false]);
    await aws.close();
  });

  it('time that several let pass at once adds up', async () => {
    const aws = LocalAws.start();
    await aws.listen();
    await Promise.all([aws.advance({ days: 10 }), aws.advance({ days: 10 }), aws.advance({ days: 10 })]);
    expect(aws.now).toBe('2026-01-31T00:00:00.000Z');
    await aws.close();
  });

  test('of two who let it listen at once the second is refused, and may once the first has closed', async () => {
    const aws = LocalAws.start();
    const [first, second] = await Promise.allSettled([aws.listen(), aws.listen()]);
    expect(second).toMatchObject({
      status: 'rejected',
      reason: { message: 'cannot listen: another listen() is still opening its port' },
    });
    if (first.status === 'rejected') throw first.reason;
    await first.value.close();
    await (await aws.listen()).close();
    await aws.close();
  });

  describe('closing', () => {
    const everyMinute = assemblyOfStack(stack => {
      const code = 'exports.handler = () => { for (;;); }';
      const targets = [new LambdaFunction(inlineFunction(stack, 'Handler', code))];
      new Rule(stack, 'Minute', { schedule: Schedule.rate(Duration.minutes(1)), targets });
    });
    const resources = () => {
      const { workers } = process.report.getReport() as { readonly workers: readonly unknown[] };
      // Node.js lists a closed socket until its memory is freed.
      return [workers.length, ...process.getActiveResourcesInfo().filter(it => !it.endsWith('Wrap'))];
    };

    it.each([
      ['alone', false],
      ['while it listens', true],
    ])('ends an advance of days at its next event, in the middle of a function, %s', async (_, listens) => {
      const before = resources();
      const aws = await LocalAws.deploy(everyMinute);
      if (listens) await aws.listen();
      const error = 'virtual time stopped at 2026-01-01T00:01:00.000Z, because this run of LocalAws was closed';
      const advance = expect(aws.advance({ days: 30 })).rejects.toThrow(error);
      await eventually(() => aws.trace.events.some(({ type }) => type === 'lambda.invoked'));
      await Promise.all([aws.close(), aws.close()]);
      await advance;
      expect(resources()).toEqual(before);
      await aws.close();
      const moves = [() => aws.advance({ days: 1 }), () => aws.runUntilIdle(), () => aws.destroy()];
      for (const move of moves) await expect(move()).rejects.toThrow(error);
    });

    it('while it is about to listen refuses the port, and leaves nobody there', async () => {
      const [aws, other] = [LocalAws.start(), LocalAws.start()];
      const { port, close } = await other.listen();
      await close();
      const [opened, closed] = await Promise.allSettled([aws.listen({ port }), aws.close()]);
      expect(opened).toMatchObject({
        status: 'rejected',
        reason: { message: 'cannot listen: this LocalAws was closed while its port was opening' },
      });
      expect(closed).toEqual({ status: 'fulfilled', value: undefined });
      expect(await other.listen({ port })).toMatchObject({ port });
      await other.close();
    });

    it('is for good: nobody can let it listen afterwards', async () => {
      const aws = LocalAws.start();
      await aws.close();
      await expect(aws.listen()).rejects.toThrow('cannot listen: this LocalAws is closed');
    });

    it('says nothing of a port that was not to be had, which is told to who asked for it', async () => {
      const [one, other] = [LocalAws.start(), LocalAws.start()];
      const { port } = await one.listen();
      const [opened, closed] = await Promise.allSettled([other.listen({ port }), other.close()]);
      expect(opened).toMatchObject({ status: 'rejected', reason: { code: 'EADDRINUSE' } });
      expect(closed.status).toBe('fulfilled');
      await one.close();
    });
  });
});
