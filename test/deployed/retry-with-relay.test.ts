import { StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { DeadLetterQueue, DurableTopic, HttpRelay, OpsTopic, ProcessingQueue, RelayEndpoint } from '../../lib';
import { type Behaviour, response } from '../../local';
import { Deployed } from '../support/deployed';

const HOST = 'partner.example.com';
const URL = `https://${HOST}/orders`;
const DOWN: Behaviour = { reply: response(503) };
const RELAY_DEAD = 'Relay/Queue/DeadLetterQueue';

/** SNS itself gives up within a minute. */
const SHORT = { healthyRetryPolicy: { numRetries: 1, minDelayTarget: Duration.seconds(20) } };

function relayIn(stack: Stack): HttpRelay {
  const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
  return new HttpRelay(stack, 'Relay', { endpoint: RelayEndpoint.fromUrl(URL), alarmActions });
}

/** A topic that delivers to a partner by itself, and what it gives up by a relay. */
function handingOver(stack: Stack): void {
  const retryWith = relayIn(stack);
  new DurableTopic(stack, 'Orders').deliverToEndpoint('Partner', URL, { retryWith, deliveryPolicy: SHORT });
}

async function confirmed(fill: (stack: Stack) => void): Promise<Deployed> {
  const deployed = await Deployed.stack(fill);
  await deployed.advance({ seconds: 10 });
  deployed.aws.confirmSubscription(URL);
  return deployed;
}

const arrivedAt = (deployed: Deployed, text: string) =>
  deployed.aws.endpoint(HOST).requests.filter(({ body }) => Buffer.from(body).toString('utf8').includes(text));

describe('A relay that goes on where SNS gives up', () => {
  test('delivers what SNS would have left in a dead-letter queue, once the endpoint is back', async () => {
    const deployed = await confirmed(handingOver);
    deployed.aws.endpoint(HOST).behave(DOWN);
    const messageId = await deployed.publish('Orders', 'order 7');
    await deployed.advance({ hours: 26 });
    expect(await deployed.take(RELAY_DEAD)).toEqual([]);
    deployed.aws.endpoint(HOST).behave();
    const failed = arrivedAt(deployed, 'order 7').length;
    await deployed.advance({ minutes: 70 });
    const [delivered, ...again] = arrivedAt(deployed, 'order 7').slice(failed);
    expect(again).toEqual([]);
    expect(JSON.parse(Buffer.from(delivered?.body ?? []).toString('utf8'))).toMatchObject({
      MessageId: messageId,
      Message: 'order 7',
    });
  });

  test('costs nothing where SNS delivers by itself', async () => {
    const deployed = await confirmed(handingOver);
    await deployed.publish('Orders', 'order 7');
    await deployed.advance({ minutes: 5 });
    expect(arrivedAt(deployed, 'order 7')).toHaveLength(1);
    expect(await deployed.functionSum('Relay/Function', 'Invocations')).toBe(0);
  });

  test('takes dead letters of before by a move task, where some queue names theirs', async () => {
    const deployed = await confirmed(stack => {
      relayIn(stack);
      const messages = new DeadLetterQueue(stack, 'Letters', { watchUnattended: false });
      messages.anchoredBy(
        new ProcessingQueue(stack, 'Anchor', { deadLetterQueue: { queue: messages, maxReceiveCount: 5 } }),
      );
      new DurableTopic(stack, 'Orders').deliverToEndpoint('Partner', URL, {
        deadLetterQueue: messages,
        deliveryPolicy: SHORT,
      });
    });
    deployed.aws.endpoint(HOST).behave(DOWN);
    await deployed.publish('Orders', 'order 7');
    await deployed.advance({ minutes: 5 });
    deployed.aws.endpoint(HOST).behave();
    const failed = arrivedAt(deployed, 'order 7').length;
    const SourceArn = deployed.arn('Letters');
    const DestinationArn = deployed.arn('Relay/Queue');
    await deployed.sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn }));
    await deployed.advance({ minutes: 5 });
    expect(arrivedAt(deployed, 'order 7').slice(failed)).toHaveLength(1);
    expect(await deployed.take('Letters')).toEqual([]);
  });
});
