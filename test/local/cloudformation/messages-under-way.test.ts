import { Ledger, LocalAws, response } from '../../../local';
import { assemblyOfTemplates } from '../../support/assembly';
import { arnOf, FAN_OUT, policy, queue, type Resources, subscription } from '../deploy-check/app-templates';

const PARTNER = 'partner.example.com';
const { Role: _role, Worker: _worker, Mapping: _mapping, ...fanOut } = FAN_OUT;

/** A topic with subscribers whose messages are retried, in flight, delayed and dead. */
const APP = {
  ...fanOut,
  Delayed: queue({ DelaySeconds: 900 }),
  DelayedPolicy: policy('Delayed'),
  DelayedSub: subscription('Topic', 'Delayed', {}, 'DelayedPolicy'),
  Partner: {
    Type: 'AWS::SNS::Subscription',
    Properties: { TopicArn: { Ref: 'Topic' }, Protocol: 'https', Endpoint: `https://${PARTNER}/` },
  },
};

const assembly = (Resources: Resources) => assemblyOfTemplates({ Test: { Resources } });

/** Published, delivered, dead, lost and under way, by subscriber. */
const ledger = (aws: LocalAws) =>
  Ledger.of(aws.trace.events)
    .accounts()
    .map(({ endpoint, published, delivered, deadLettered, lost, underWay }) => {
      const dead = Object.values(deadLettered).reduce((sum, count) => sum + count, 0);
      return [endpoint.replace(/.*Test-|-[^-]*$/g, ''), published, delivered, dead, lost, underWay];
    });

let aws: LocalAws;

/** One message is dead, one in flight, and all of them are delayed in one queue and retried for the partner. */
beforeEach(async () => {
  aws = await LocalAws.deploy(assembly(APP));
  aws.confirmSubscription(`https://${PARTNER}/`);
  aws.endpoint(PARTNER).behave({ reply: response(503), untilMs: aws.nowMs + 45_000 });
  const { sqs } = aws.services;
  const receive = () => {
    const QueueUrl = aws.resource('Queue').ref;
    return sqs.call('ReceiveMessage', sqs.owner, { QueueUrl, VisibilityTimeout: 1 });
  };
  aws.publish('Topic', 'dead');
  for (let receives = 0; receives < 3; receives += 1) {
    await aws.advance({ seconds: 2 });
    await receive();
  }
  aws.publish('Topic', 'in flight');
  await aws.advance({ seconds: 1 });
  await sqs.call('ReceiveMessage', sqs.owner, { QueueUrl: aws.resource('Queue').ref, VisibilityTimeout: 60 });
  expect(ledger(aws)).toEqual(UNDER_WAY);
});

afterEach(() => aws.close());

const UNDER_WAY = [
  ['Queue', 2, 0, 1, 0, 1],
  ['Delayed', 2, 0, 0, 0, 2],
  [`https://${PARTNER}/`, 2, 0, 0, 0, 2],
];

test('an update of other things keeps what is retried, in flight, delayed and dead', async () => {
  const after = {
    ...APP,
    Queue: queue({ RedrivePolicy: { deadLetterTargetArn: arnOf('Dlq'), maxReceiveCount: 2 }, VisibilityTimeout: 90 }),
    Delayed: queue({ DelaySeconds: 0 }),
    More: queue(),
  };
  expect(await aws.update(assembly(after))).toEqual(['Test']);
  expect(ledger(aws)).toEqual(UNDER_WAY);
  await aws.advance({ minutes: 15 });
  const drained = ['Queue', 'Delayed', 'Dlq'].map(name => aws.drain(name).length);
  expect(drained).toEqual([1, 2, 1]);
  expect(ledger(aws)).toEqual([
    ['Queue', 2, 1, 1, 0, 0],
    ['Delayed', 2, 2, 0, 0, 0],
    [`https://${PARTNER}/`, 2, 2, 0, 0, 0],
  ]);
});

test('a deletion loses all of them', async () => {
  await aws.destroy('Test');
  await aws.advance({ hours: 1 });
  expect(ledger(aws)).toEqual([
    ['Queue', 2, 0, 0, 2, 0],
    ['Delayed', 2, 0, 0, 2, 0],
    [`https://${PARTNER}/`, 2, 0, 0, 2, 0],
  ]);
});

test('an update that removes one queue and one subscription loses only their messages', async () => {
  const { Delayed: _delayed, DelayedPolicy: _policy, DelayedSub: _sub, Partner: _partner, ...after } = APP;
  await aws.update(assembly(after));
  await aws.advance({ hours: 1 });
  expect(ledger(aws)).toEqual([
    ['Queue', 2, 0, 1, 0, 1],
    ['Delayed', 2, 0, 0, 2, 0],
    [`https://${PARTNER}/`, 2, 0, 0, 2, 0],
  ]);
});
