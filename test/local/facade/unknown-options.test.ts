import { deployCheck, LocalAws, noAnswer, response } from '../../../local';

/** Plain JavaScript passes anything. */
const odd = (value: unknown) => value as never;

type Act = (aws: LocalAws) => unknown;

const METHODS: readonly (readonly [call: string, act: Act, message: string])[] = [
  [
    'deploy, lambda',
    () => LocalAws.deploy('x', odd({ lambda: { concurrency: 10 } })),
    'lambda.concurrency is not known (is accountConcurrency meant?): there are watchdogMs, accountConcurrency,',
  ],
  [
    'deploy, timeline',
    () => LocalAws.deploy('x', odd({ timeline: { maxWork: 1 } })),
    'timeline.maxWork is not known (is maxWorkAtOneInstant meant?)',
  ],
  [
    'deploy, trace and sns',
    () => LocalAws.deploy('x', odd({ trace: { keeps: 1 }, sns: { jiter: true } })),
    'trace.keeps is not known (is keep meant?): there are keep, got 1; sns.jiter is not known (is jitter meant?)',
  ],
  ['deploy, null', () => LocalAws.deploy('x', odd(null)), 'the options must be an object, got null'],
  [
    'deploy, a text in an option',
    () => LocalAws.deploy('x', odd({ lambda: 'fast' })),
    'lambda must be an object, got "fast"',
  ],
  ['deploy, null in an option', () => LocalAws.deploy('x', odd({ sns: null })), 'sns must be an object, got null'],
  ['start', () => LocalAws.start(odd({ parameters: {} })), 'parameters is not known'],
  [
    'update',
    aws => aws.update('x', odd({ operationsTime: {} })),
    'operationsTime is not known (is operationTime meant?)',
  ],
  ['destroy', aws => aws.destroy([], odd({ parameters: {} })), 'parameters is not known: there are operationTime'],
  ['listen', aws => aws.listen(odd({ speeed: 1 })), 'speeed is not known (is speed meant?)'],
  ['listen, null', aws => aws.listen(odd(null)), 'the options must be an object, got null'],
  ['clientConfig', aws => aws.clientConfig(odd({ rol: 'x' })), 'rol is not known (is role meant?)'],
  [
    'request',
    aws => aws.request('GET', 'http://a.example', '', odd({ method: 'POST' })),
    'method is not known: there are signed',
  ],
  ['publish', aws => aws.publish('orders', 'x', odd({ subjet: 'x' })), 'subjet is not known (is subject meant?)'],
  ['send', aws => aws.send('orders', 'x', odd({ subject: 'x' })), 'subject is not known: there are attributes,'],
  ['logs', aws => aws.logs('x', odd({ regions: 'x' })), 'where.regions is not known (is region meant?)'],
  [
    'advance',
    aws => aws.advance(odd({ minute: 5 })),
    'minute is not a unit of time: it must be one of days, hours, minutes',
  ],
  ['faults.set', aws => aws.faults.set(odd({ service: 'sqs', forSecond: 5 })), 'forSecond is not known'],
  [
    'interruptions.set',
    aws => aws.interruptions.set(odd({ functionNam: 'x' })),
    'functionNam is not known (is functionName meant?)',
  ],
  [
    'recipients.behave',
    aws => aws.recipients.behave('+1', odd({ outcome: {}, counts: 2 })),
    'counts is not known (is count meant?)',
  ],
  [
    'endpoint.behave',
    aws => aws.endpoint('a.example').behave(odd({ reply: { kind: 'silence' }, forMS: 2 })),
    'forMS is not known (is forMs meant?)',
  ],
  [
    'endpoint.behave, in a reply',
    aws => aws.endpoint('a.example').behave(odd({ reply: { kind: 'silence', latency: 2 } })),
    'reply.latency is not known',
  ],
  ['response', () => response(200, '', {}, odd({ latency: 5 })), 'latency is not known (is latencyMs meant?)'],
  ['noAnswer', () => noAnswer('ETIMEDOUT', odd({ latency: 5 })), 'latency is not known (is latencyMs meant?)'],
  [
    'service.answer',
    aws => aws.service('sfn').answer('StartExecution', {}, odd({ latency: 5 })),
    'latency is not known (is latencyMs meant?)',
  ],
  [
    'service.forwardTo',
    aws => aws.service('sfn').forwardTo('http://127.0.0.1:1', odd({ timeout: 5 })),
    'timeout is not known (is timeoutMs meant?)',
  ],
  [
    'service.forwardTo, in the credentials',
    aws => aws.service('sfn').forwardTo('http://127.0.0.1:1', odd({ credentials: { accessKey: 'x' } })),
    'credentials.accessKey is not known (is accessKeyId meant?)',
  ],
  ['emit.s3', aws => aws.emit.s3(odd({ bucket: 'b', key: 'k', etag: 'x' })), 'etag is not known'],
  [
    'emit.event',
    aws => aws.emit.event(odd({ source: 'a', detailType: 'b', detail: {}, resource: [] })),
    'resource is not known (is resources meant?)',
  ],
  [
    'emit.kinesis',
    aws => aws.emit.kinesis(odd({ stream: 's', records: [{ partitionKey: 'k', data: 'x', key: 'y' }] })),
    'records[0].key is not known (is partitionKey meant?)',
  ],
  ['emit.kinesis, null', aws => aws.emit.kinesis(odd(null)), 'the records must be an object, got null'],
  [
    'emit.dynamoDb',
    aws => aws.emit.dynamoDb(odd({ table: 't', records: [], shard: 'x' })),
    'shard is not known (is shardId meant?)',
  ],
  [
    'deployCheck',
    () => deployCheck('x', 'y', odd({ operationTimes: {} })),
    'operationTimes is not known (is operationTime meant?)',
  ],
  [
    'deployCheck, an option of a deployment',
    () => deployCheck('x', 'y', odd({ standIns: 'refuse' })),
    'standIns is not known',
  ],
];

test.each(METHODS)('%s refuses an unknown option by name', async (_, act, message) => {
  const aws = LocalAws.start();
  const { seq } = aws.trace.events.at(-1) ?? { seq: 0 };
  await expect((async () => act(aws))()).rejects.toThrow(message);
  expect(aws.trace.lastSeq).toBe(seq);
  await aws.close();
});

test.each<[string, () => Promise<void>]>([
  ['options that are undefined', () => LocalAws.start(odd({ lambda: undefined, sns: undefined })).close()],
  ['known options', () => LocalAws.start({ lambda: { accountConcurrency: 10 }, trace: { keep: 5 } }).close()],
])('%s are taken', async (_, act) => {
  await expect(act()).resolves.toBeUndefined();
});
