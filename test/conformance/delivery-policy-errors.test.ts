import { row, Target } from './target';
import { deliveryPolicy, openQueue, Topic } from './topic';

const ENDPOINT = 'https://example.com/orders';

const DEFAULTS = {
  minDelayTarget: 20,
  maxDelayTarget: 20,
  numRetries: 3,
  numMaxDelayRetries: 0,
  numNoDelayRetries: 0,
  numMinDelayRetries: 0,
  backoffFunction: 'linear',
};

describe('section 2.7: delivery policies that are refused', () => {
  const aws = new Target();

  const refusal = (text: string) => ({
    name: 'InvalidParameterException',
    message: `Invalid parameter: ${text}`,
    $metadata: { httpStatusCode: 400 },
  });

  const ORDER = { ...DEFAULTS, minDelayTarget: 50 };
  const SUM = 'must be greater than or equal to total of numMinDelayRetries, numNoDelayRetries and numMaxDelayRetries';
  const RETRIES = [
    ['more than 100 retries', { ...DEFAULTS, numRetries: 101 }, '.numRetries must be less than or equal to 100'],
    [
      'a text for a number',
      { ...DEFAULTS, minDelayTarget: '20' },
      '.minDelayTarget type mismatch, expecting integer, received a string',
    ],
    ['a delay of 0', { ...DEFAULTS, minDelayTarget: 0 }, '.minDelayTarget must be greater than or equal to 1'],
    [
      'too many retries before delays out of order',
      { ...ORDER, numRetries: 101 },
      '.numRetries must be less than or equal to 100',
    ],
    ['delays out of order', ORDER, '.maxDelayTarget must be greater than or equal to minDelayTarget'],
    ['more in the phases than in all', { ...DEFAULTS, numNoDelayRetries: 4 }, `.numRetries ${SUM}`],
    ['no minDelayTarget', { maxDelayTarget: 20, numRetries: 3 }, '.minDelayTarget must be specified'],
    ['no maxDelayTarget', { minDelayTarget: 20, numRetries: 3 }, '.maxDelayTarget must be specified'],
    ['no numRetries', { minDelayTarget: 20, maxDelayTarget: 20 }, '.numRetries must be specified'],
  ] as const;
  const CUBIC = { ...DEFAULTS, backoffFunction: 'cubic' };
  const NOT_A_CURVE = 'the value [cubic] is not a valid backoff function';
  const TOO_SLOW = 'maxReceivesPerSecond must be greater than or equal to 1';

  row.each<[string, object, string]>([
    ...RETRIES.map(([title, retry, text]): [string, object, string] => [
      title,
      { defaultHealthyRetryPolicy: retry },
      `http.defaultHealthyRetryPolicy${text}`,
    ]),
    ['a fifth curve', { defaultHealthyRetryPolicy: CUBIC }, NOT_A_CURVE],
    ['no rate', { defaultThrottlePolicy: { maxReceivesPerSecond: 0 } }, `http.defaultThrottlePolicy.${TOO_SLOW}`],
    ["a subscription's member", { throttlePolicy: {} }, 'Unexpected JSON member: throttlePolicy'],
  ])("a topic's with %s", async (_, members, text) => {
    const { DeliveryPolicy } = deliveryPolicy({ http: members });
    const topic = await Topic.of(aws);
    await expect(topic.set('DeliveryPolicy', DeliveryPolicy)).rejects.toMatchObject(refusal(`DeliveryPolicy: ${text}`));
    await expect(Topic.of(aws, { DeliveryPolicy })).rejects.toMatchObject(
      refusal(`Attributes Reason: DeliveryPolicy: ${text}`),
    );
  });

  row.each<[string, object, string]>([
    ...RETRIES.map(([title, retry, text]): [string, object, string] => [
      title,
      { healthyRetryPolicy: retry },
      `healthyRetryPolicy${text}`,
    ]),
    ['a fifth curve', { healthyRetryPolicy: CUBIC }, NOT_A_CURVE],
    ['no rate', { throttlePolicy: { maxReceivesPerSecond: 0 } }, `throttlePolicy.${TOO_SLOW}`],
    ["a topic's member", { defaultThrottlePolicy: {} }, 'Unexpected JSON member: defaultThrottlePolicy'],
  ])("a subscription's with %s", async (_, policy, text) => {
    const topic = await Topic.of(aws);
    await expect(topic.subscribe('https', ENDPOINT, deliveryPolicy(policy))).rejects.toMatchObject(
      refusal(`Attributes Reason: DeliveryPolicy: ${text}`),
    );
    const arn = await topic.subscribe('https', ENDPOINT);
    await expect(topic.setOf(arn, 'DeliveryPolicy', JSON.stringify(policy))).rejects.toMatchObject(
      refusal(`DeliveryPolicy: ${text}`),
    );
  });

  row('only HTTP/S policies can be customised', async () => {
    const topic = await Topic.of(aws);
    const { arn } = await topic.queue();
    await expect(topic.subscribe('sqs', arn, deliveryPolicy({ healthyRetryPolicy: DEFAULTS }))).rejects.toMatchObject({
      name: 'InvalidParameterException',
    });
  });
});

describe('section 2.7: attributes that are refused', () => {
  const aws = new Target();

  const refusal = (text: string) => ({ name: 'InvalidParameterException', message: `Invalid parameter: ${text}` });
  const functionBeside = (topic: Topic) => topic.neighbour('lambda', 'function:orders');
  const redrive = (deadLetterTargetArn: unknown) => JSON.stringify({ deadLetterTargetArn });

  row.each<[name: string, text: string, value: (topic: Topic) => string]>([
    ['Nonsense', 'AttributeName', () => 'x'],
    ['RawMessageDelivery', 'RawMessageDelivery: Invalid value [x]. Must be true or false.', () => 'x'],
    ['RedrivePolicy', 'RedrivePolicy: deadLetterTargetArn is an invalid arn', () => redrive('queue')],
    ['RedrivePolicy', 'RedrivePolicy: Missing deadLetterTargetArn attribute', () => '{}'],
    [
      'RedrivePolicy',
      'RedrivePolicy: deadLetterTargetArn must be a SQS queue',
      topic => redrive(functionBeside(topic)),
    ],
    [
      'RedrivePolicy',
      'RedrivePolicy: deadLetterTargetArn must be in the same region as the subscription',
      topic => redrive(topic.neighbour('sqs', 'dead', topic.otherRegion)),
    ],
    [
      'RedrivePolicy',
      'RedrivePolicy: failed to parse JSON. ' +
        "Unexpected character ('i' (code 105)): was expecting double-quote to start field name\n" +
        ' at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: 2]',
      () => '{invalid',
    ],
  ])('%s: %s', async (name, text, valueFor) => {
    const topic = await Topic.of(aws);
    const value = valueFor(topic);
    const subscriptionArn = await topic.subscribe('sqs', (await openQueue(aws)).arn);
    await expect(topic.setOf(subscriptionArn, name, value)).rejects.toMatchObject(refusal(text));
    const another = await openQueue(aws);
    await expect(topic.subscribe('sqs', another.arn, { [name]: value })).rejects.toMatchObject(
      refusal(`Attributes Reason: ${text}`),
    );
  });

  row('an attribute no topic has', async () => {
    const topic = await Topic.of(aws);
    await expect(topic.set('Nonsense', 'x')).rejects.toMatchObject(refusal('AttributeName'));
  });

  row('raw delivery to a function', async () => {
    const topic = await Topic.of(aws);
    await expect(
      topic.subscribe('lambda', functionBeside(topic), { RawMessageDelivery: 'true' }),
    ).rejects.toMatchObject(
      refusal('Attributes Reason: Delivery protocol [lambda] does not support raw message delivery.'),
    );
  });

  row('a FIFO topic and an HTTPS endpoint', async () => {
    const topic = await Topic.fifo(aws);
    await expect(topic.subscribe('https', ENDPOINT)).rejects.toMatchObject(refusal('Invalid protocol type: https'));
  });

  row('a topic or subscription that is not there', async () => {
    const topic = await Topic.of(aws);
    const nowhere = `${topic.arn}:00000000-0000-4000-8000-000000000000`;
    await expect(topic.attributesOf(nowhere)).rejects.toMatchObject({
      name: 'NotFoundException',
      message: 'Subscription does not exist',
      $metadata: { httpStatusCode: 404 },
    });
    await topic.remove();
    await expect(topic.attributes()).rejects.toMatchObject({
      name: 'NotFoundException',
      message: 'Topic does not exist',
      $metadata: { httpStatusCode: 404 },
    });
  });

  row('an endpoint that is subscribed already, and otherwise', async () => {
    const topic = await Topic.of(aws);
    const { arn } = await topic.queue();
    const raw = topic.subscribe('sqs', arn, { RawMessageDelivery: 'true' });
    await expect(raw).rejects.toMatchObject(
      refusal('Attributes Reason: Subscription already exists with different attributes'),
    );
  });
});
