import { GetQueueAttributesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { DurableTopic, OpsTopic } from '../../../lib';
import { response } from '../../../local';
import { OperatedAccount, openAccount } from '../operated-account';

const HOST = 'partner.example.com';
const RELAY = 'Orders/Deliveries/PartnerRelay';
const QUEUE = `${RELAY}/Queue`;
const DEAD = `${QUEUE}/DeadLetterQueue`;

function relaying(stack: Stack): void {
  const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
  const retryPolicy = { numRetries: 2, minDelayTarget: Duration.minutes(1), maxDelayTarget: Duration.minutes(1) };
  new DurableTopic(stack, 'Orders', { alarmActions }).relayToEndpoint('Partner', `https://${HOST}/orders`, {
    retryPolicy,
  });
}

test('What SNS could not deliver to a relay is with what the relay gave up: both are explained and returned', async () => {
  const { deployed, url } = await openAccount(relaying);
  const account = new OperatedAccount(deployed, url, 'dlq');
  const partner = deployed.aws.endpoint(HOST);
  partner.behave({ reply: response(410) });
  await deployed.publish('Orders', 'order 1');
  await deployed.advance({ minutes: 5 });
  const QueueUrl = deployed.ref(QUEUE);
  const { Attributes = {} } = await deployed.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['Policy'] }),
  );
  await deployed.takeQueuePolicyAway(QUEUE);
  await deployed.publish('Orders', 'order 2');
  await deployed.advance({ hours: 1 });
  const why = await account.dlo(`why ${deployed.name(DEAD)}`);
  expect(why.out).toContain('does not allow SNS to send for the');
  expect(why.out).toContain(`${HOST} is gone for good (410).`);
  await deployed.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy: Attributes.Policy ?? '' } }));
  partner.behave();
  const redrive = await account.dlo(`redrive ${deployed.name(DEAD)} --execute`);
  expect(redrive.out).toContain(`2 messages moved from ${deployed.name(DEAD)} to queue ${deployed.name(QUEUE)}`);
  await deployed.advance({ minutes: 5 });
  const taken = partner.requests.filter(({ reply }) => 'status' in reply && reply.status === 200);
  const messages = taken.map(({ body }) => JSON.parse(Buffer.from(body).toString('utf8')).Message);
  expect(messages.sort()).toEqual(['order 1', 'order 2']);
  expect(await deployed.take(DEAD)).toEqual([]);
});
