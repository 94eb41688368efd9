import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListTopicsCommand, SNSClient } from '@aws-sdk/client-sns';
import { CreateQueueCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { LocalAws } from '../../local';
import { FaultingProxy, type FaultMode, type FaultRule } from './faulting-proxy';

describe('The faulting proxy', () => {
  let aws: LocalAws;
  let proxy: FaultingProxy;
  let settings: object;

  beforeAll(async () => {
    aws = LocalAws.start();
    proxy = await FaultingProxy.before((await aws.listen()).url);
    const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' };
    settings = { endpoint: proxy.url, region: 'us-east-1', credentials, maxAttempts: 1 };
  });

  afterAll(async () => {
    proxy.close();
    await aws.close();
  });

  const queues = async () => (await new SQSClient(settings).send(new ListQueuesCommand({}))).QueueUrls ?? [];
  const create = (QueueName: string) => new SQSClient(settings).send(new CreateQueueCommand({ QueueName }));

  /** A call in each of AWS's protocols. */
  const CALLS = {
    'sqs:ListQueues': queues,
    'sns:ListTopics': () => new SNSClient(settings).send(new ListTopicsCommand({})),
    'lambda:ListFunctions': () => new LambdaClient(settings).send(new ListFunctionsCommand({})),
    'cloudwatch:DescribeAlarms': () => new CloudWatchClient(settings).send(new DescribeAlarmsCommand({})),
  };

  test.each<[FaultMode, RegExp]>([
    ['deny', /AccessDenied|AuthorizationError/],
    ['throttle', /Throttl|TooManyRequests/],
    ['missing', /NotImplemented|Unknown/],
    ['fail-before', /InternalFailure/],
  ])('answers %s to every protocol, and names the operation', async (mode, name) => {
    for (const [action, call] of Object.entries(CALLS)) {
      proxy.play([{ action, mode }]);
      const error = await call().catch((thrown: unknown) => thrown);
      expect([action, Object(error).name]).toEqual([action, expect.stringMatching(name)]);
      expect(proxy.calls).toEqual([{ action, faults: [mode] }]);
    }
  });

  test.each<[FaultMode, boolean]>([
    ['fail-before', false],
    ['drop', false],
    ['fail-after-execution', true],
    ['drop-answer', true],
  ])('%s: AWS has executed the call: %s', async (mode, isExecuted) => {
    proxy.play([{ action: 'sqs:CreateQueue', mode }]);
    await expect(create(mode)).rejects.toThrow();
    expect((await queues()).some(url => url.endsWith(`/${mode}`))).toBe(isExecuted);
  });

  test('the same seed hits the same calls, and a rule ends after so many', async () => {
    const hit = async (seed: number, rule: Partial<FaultRule>) => {
      proxy.play([{ action: 'sqs:*', mode: 'fail-before', ...rule }], seed);
      for (let call = 0; call < 12; call += 1) await queues().catch(() => []);
      return proxy.calls.map(({ faults }) => faults.length);
    };
    const first = await hit(1, { rate: 0.5 });
    expect(await hit(1, { rate: 0.5 })).toEqual(first);
    expect(await hit(2, { rate: 0.5 })).not.toEqual(first);
    expect(await hit(1, { times: 2 })).toEqual([1, 1, ...Array(10).fill(0)]);
  });

  test('throttles only what is above a published rate', async () => {
    proxy.play([{ action: 'sqs:ListQueues', mode: 'throttle', perSecond: 0.001 }]);
    const all = await Promise.allSettled(Array.from({ length: 5 }, queues));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(proxy.countOf('sqs:ListQueues')).toBe(5);
  });
});
