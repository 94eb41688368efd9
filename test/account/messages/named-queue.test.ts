import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { BadInput } from '../../../account/errors';
import { queueNamed } from '../../../account/messages/named-queue';
import { LocalAws } from '../../../local';
import { connectedTo } from '../../bin/connected-to';

const MADE = [
  'Shop-MailDeadE4A7BA2B-7Xh3kQ9LmN2p',
  'Shop-PostDeadE4A7BA2B-7Xh3kQ9LmN2p',
  'Depot-PostDeadE4A7BA2B-7Xh3kQ9LmN2p',
];
const NAMES = ['orders', 'orders-dlq', 'bills-dlq', 'parcels.fifo', ...MADE];
const HOST = 'https://sqs.us-east-1.amazonaws.com';
const ARN = 'arn:aws:sqs:us-east-1:123456789012';

describe('The queue somebody names', () => {
  let aws: LocalAws;
  let url: string;

  beforeAll(async () => {
    aws = LocalAws.start({ places: [{ account: '999999999999' }] });
    ({ url } = await aws.listen());
    const sqs = new SQSClient(aws.clientConfig());
    for (const QueueName of NAMES) {
      const Attributes = QueueName.endsWith('.fifo') ? { FifoQueue: 'true' } : { VisibilityTimeout: '77' };
      await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
    }
  });

  afterAll(() => aws.close());

  const named = (text: string) => connectedTo(url, connection => queueNamed(connection, text));

  async function refused(text: string): Promise<string> {
    const thrown = await named(text).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(BadInput);
    return thrown instanceof Error ? thrown.message : '';
  }

  test.each([
    { by: 'name', text: 'orders-dlq' },
    { by: 'ARN', text: `${ARN}:orders-dlq` },
    { by: 'URL', text: `${HOST}/123456789012/orders-dlq` },
    { by: 'oldest URL', text: 'https://queue.amazonaws.com/123456789012/orders-dlq' },
    { by: "URL of somebody's own host", text: 'http://localhost:4566/123456789012/orders-dlq' },
  ])('is found by its $by', async ({ text }) => {
    expect(await named(text)).toMatchObject({
      url: `${url}/123456789012/orders-dlq`,
      arn: `${ARN}:orders-dlq`,
      name: 'orders-dlq',
      isFifo: false,
      attributes: { VisibilityTimeout: '77', ApproximateNumberOfMessages: '0' },
    });
  });

  test('is found by a short name, as dlo dlq ls shows it, unless that is short for several', async () => {
    expect(await named('MailDead')).toMatchObject({ name: MADE[0] });
    expect(await named('Depot-PostDead')).toMatchObject({ name: MADE[2] });
    expect(await refused('PostDead')).toBe(`PostDead is short for several queues: use one of ${MADE[1]}, ${MADE[2]}`);
  });

  test('is FIFO where its name says so', async () => {
    expect(await named('parcels.fifo')).toMatchObject({ isFifo: true, attributes: { FifoQueue: 'true' } });
  });

  test.each([
    ['order-dlq', '. Similar names: orders-dlq, orders'],
    ['DLQ', '. Similar names: bills-dlq, orders-dlq'],
    ['parcels', '. Similar names: parcels.fifo'],
    ['zebra', ''],
  ])('is not there by the name %s, and the names near that are told', async (name, near) => {
    expect(await refused(name)).toBe(`no queue of the account 123456789012 in us-east-1 is named ${name}${near}`);
  });

  test('names are left out where they may not be listed, and the rest is said all the same', async () => {
    const set = aws.faults.set({ service: 'sqs', action: 'ListQueues', code: 'AccessDenied', httpStatus: 403 });
    const said = await refused('order-dlq');
    set.end();
    expect(said).toBe('no queue of the account 123456789012 in us-east-1 is named order-dlq');
  });

  test.each([
    'arn:aws:sqs:eu-west-1:123456789012:orders-dlq',
    'https://sqs.eu-west-1.amazonaws.com/123456789012/orders-dlq',
    'https://vpce-0a1.sqs.eu-west-1.vpce.amazonaws.com/123456789012/orders-dlq',
    'https://eu-west-1.queue.amazonaws.com/123456789012/orders-dlq',
  ])('is in another Region: %s', async text => {
    expect(await refused(text)).toBe(`${text} is in eu-west-1, but the Region is us-east-1: add --region eu-west-1`);
  });

  test('is in another account, which may keep it to itself', async () => {
    expect(await refused('arn:aws:sqs:us-east-1:999999999999:orders-dlq')).toBe(
      'no queue of the account 999999999999 in us-east-1 is named orders-dlq, or you may not access it: ' +
        'the credentials belong to the account 123456789012',
    );
  });

  test.each([
    ['', 'a name, an ARN or a URL'],
    ['orders dlq', 'a name, an ARN or a URL'],
    ['x'.repeat(81), '1 to 80 letters'],
    ['arn:aws:sns:us-east-1:123456789012:orders', 'the ARN of a queue'],
    ['arn:aws:sqs:us-east-1:12:orders', 'the ARN of a queue'],
    ['https://sqs.us-east-1.amazonaws.com/orders', 'the URL of a queue'],
  ])('cannot be meant by %j', async (text, mustBe) => {
    const said = await refused(text);
    expect(said).toContain(`the queue must be ${mustBe.startsWith('1') ? '' : mustBe}`);
    expect(said).toContain(mustBe);
    expect(said).toContain(`got ${JSON.stringify(text)}`);
  });

  test('may be asked after only with the permission, which is named', async () => {
    const set = aws.faults.set({ service: 'sqs', action: 'GetQueueUrl', code: 'AccessDenied', httpStatus: 403 });
    await expect(named('orders-dlq')).rejects.toThrow('sqs:GetQueueUrl is denied');
    set.end();
  });
});
