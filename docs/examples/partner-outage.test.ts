import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic, OpsTopic } from 'dead-letter-office';
import { Ledger, LocalAws, response } from 'dead-letter-office/local';

const PARTNER = 'https://partner.example.com/orders';

/** Jest and vitest stop a test after five seconds, unless it says how long it may take. */
const TIME_LIMIT_MS = 30_000;

/** The stack under test. Usually it is imported from your app. */
class OrdersStack extends Stack {
  constructor(app: App, id: string) {
    super(app, id);
    const ops = new OpsTopic(this, 'Ops', { email: 'ops@example.com' });
    const orders = new DurableTopic(this, 'Orders', { alarmActions: [ops] });
    const { deadLetterQueue } = orders.deliverToEndpoint('Partner', PARTNER);
    const archive = new Queue(this, 'Archive');
    orders.deliverToQueue('Archive', archive);
    new CfnOutput(this, 'OrdersArn', { value: orders.topicArn });
    new CfnOutput(this, 'ArchiveUrl', { value: archive.queueUrl });
    new CfnOutput(this, 'PartnerDlqUrl', { value: deadLetterQueue.queueUrl });
  }
}

let aws: LocalAws;
let sns: SNSClient;
let sqs: SQSClient;

beforeEach(async () => {
  const app = new App({ outdir: 'cdk.out/test' });
  new OrdersStack(app, 'Orders');
  aws = await LocalAws.deploy(app.synth(), { seed: 7, startAt: '2026-03-02T09:00:00Z' });
  sns = new SNSClient(aws.clientConfig());
  sqs = new SQSClient(aws.clientConfig());
  aws.confirmSubscription(PARTNER);
}, TIME_LIMIT_MS);

afterEach(() => aws.close());

const order = () => sns.send(new PublishCommand({ TopicArn: aws.output('OrdersArn'), Message: '{"order":1}' }));

test(
  'a partner that is down for ten minutes loses the order to the dead-letter queue, and an alarm fires',
  async () => {
    const tenMinutes = { untilMs: aws.nowMs + 600_000 };
    aws.endpoint('partner.example.com').behave({ ...tenMinutes, reply: response(503) });

    await order();
    await aws.advance({ minutes: 5 });

    // SNS's default policy for HTTP/S: one attempt, then three retries, twenty seconds apart.
    expect(aws.endpoint('partner.example.com').requests).toHaveLength(4);
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: aws.output('PartnerDlqUrl') }));
    expect(JSON.parse(Messages[0]?.Body ?? '{}')).toMatchObject({ Type: 'Notification', Message: '{"order":1}' });
    const rang = aws.trace.events.filter(it => it.type === 'cloudwatch.alarm-state-changed' && it.to === 'ALARM');
    expect(rang).not.toEqual([]);
  },
  TIME_LIMIT_MS,
);

test(
  'an SQS outage of a day loses nothing: SNS retries for 23 days',
  async () => {
    aws.faults.set({ service: 'sqs', action: 'SendMessage', untilMs: aws.nowMs + 86_400_000 });

    await order();
    await aws.advance({ days: 2 });

    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: aws.output('ArchiveUrl') }));
    expect(Messages).toHaveLength(1);
    const accounts = Ledger.of(aws.trace.events).accounts(aws.output('OrdersArn'));
    expect(accounts.map(({ lost }) => lost)).toEqual([0, 0]);
  },
  TIME_LIMIT_MS,
);
